import { expect, test } from "vitest";
import { notifiersClearYoung } from "../../src/aging/secondary-young.ts";
import { Machine, subscribe } from "../machine.ts";

test("every secondary MMU is asked, also after one said yes (S2-OBS-03)", () => {
  const mm = new Machine().mm();
  const notifiers = [subscribe(mm), subscribe(mm), subscribe(mm)];
  notifiers[0]!.young.add(5);
  notifiers[2]!.young.add(7).add(8);
  expect(notifiersClearYoung(mm, 5, 8)).toBe(true);
  expect(notifiers.map(({ cleared }) => cleared)).toEqual([[[5, 8]], [[5, 8]], [[5, 8]]]);
  expect([...notifiers[2]!.young]).toEqual([8]);
  expect(notifiersClearYoung(mm, 5, 8)).toBe(false);
});

test("nobody there, nothing young", () => {
  expect(notifiersClearYoung(new Machine().mm(), 0, 512)).toBe(false);
});
