import { describe, expect, test } from "vitest";
import * as mm from "../../src/index.ts";

/** Every E* number by name. */
const numbers = Object.entries(mm).filter((entry): entry is [string, number] =>
  /^E[A-Z]+$/.test(entry[0]),
);

describe("error numbers", () => {
  test("are named as their constants, each number once", () => {
    expect(numbers.length).toBeGreaterThan(10);
    expect(numbers.map(([, errno]) => mm.errnoName(errno))).toEqual(numbers.map(([name]) => name));
  });

  test("are those of the kernel", () => {
    expect([mm.ENOENT, mm.EAGAIN, mm.ENOMEM, mm.EBUSY, mm.EINVAL]).toEqual([2, 11, 12, 16, 22]);
  });

  test.each([0, -22, 1000])("do not include %i", (errno) => {
    expect(() => mm.errnoName(errno)).toThrow(new RangeError(`unknown errno ${errno}`));
  });
});
