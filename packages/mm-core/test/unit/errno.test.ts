import { expect, test } from "vitest";
import { EAGAIN, EINVAL, ENOMEM, errnoName, EOPNOTSUPP } from "../../src/index.ts";

test("numbers are the kernel's, and have names", () => {
  expect([EAGAIN, ENOMEM, EINVAL, EOPNOTSUPP]).toEqual([11, 12, 22, 95]);
  expect([11, 12, 22, 95].map(errnoName)).toEqual(["EAGAIN", "ENOMEM", "EINVAL", "EOPNOTSUPP"]);
});

test("a number that no path returns is refused", () => {
  expect(() => errnoName(0)).toThrow("unknown errno 0");
  expect(() => errnoName(-22)).toThrow(RangeError);
});
