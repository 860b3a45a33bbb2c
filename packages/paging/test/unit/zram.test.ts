import { expect, test } from "vitest";
import { Zram } from "../../src/swap/zram.ts";

test("what was written is read back, until the slot is freed (SWP-20)", () => {
  const zram = new Zram(16);
  expect(zram.write(4, 2, Uint8Array.of(9, 7, 30), 1)).toBe(0);
  const read = new Uint8Array(4);
  expect(zram.read(4, 2, read, 2)).toBe(0);
  expect([...read]).toEqual([0, 0, 7, 30]);
  zram.free(4, 1);
  expect(() => zram.read(4, 1, read, 0)).toThrow("read swap slot 4, which holds nothing");
});

test("a page takes memory once, however often it is written", () => {
  const zram = new Zram(16);
  zram.write(4, 2, new Uint8Array(2), 0);
  zram.write(5, 2, new Uint8Array(2), 0);
  expect(zram.stored).toBe(3);
  zram.free(3, 4);
  expect(zram.stored).toBe(0);
});
