import { expect, test } from "vitest";
import { LruGenMmWalk } from "../../src/index.ts";
import { Machine } from "../machine.ts";

test("a walk begins with nothing pending, whatever the last one left (LAY-04)", () => {
  const { lruvec } = new Machine();
  const walk = new LruGenMmWalk();
  walk.nrPages.fill(-5);
  walk.mmStats.fill(3);
  walk.batched = 9;
  walk.nextVpn = 77;
  walk.begin(lruvec, 3, 201, true);
  expect(walk).toMatchObject({ seq: 3, nextVpn: 0, batched: 0, swappiness: 201, forceScan: true });
  expect([...walk.nrPages, ...walk.mmStats].every((value) => value === 0)).toBe(true);
  expect(walk.lruvec).toBe(lruvec);
});

test("pending sizes are signed, by generation, type and zone (SZB-01)", () => {
  const { nrPages } = new LruGenMmWalk();
  nrPages[7] = -1;
  expect([nrPages.length, nrPages[7]]).toEqual([4 * 2 * 5, -1]);
});
