import { VM_HUGEPAGE, VM_NOHUGEPAGE } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { ThpConfig, type ThpMode, type ThpSizeMode } from "../../src/index.ts";

test("at boot 2 MiB inherits, every other size is never, and the global switch is never (FOL-11)", () => {
  const thp = new ThpConfig();
  expect([2, 3, 4, 5, 6, 7, 8, 9].map((order) => thp.size(order))).toEqual([
    ...Array<ThpSizeMode>(7).fill("never"),
    "inherit",
  ]);
  expect(thp.global).toBe("never");
  expect(thp.allowedOrders(VM_HUGEPAGE)).toBe(0);
});

/** Whether a size is allowed without advice, with VM_HUGEPAGE, with VM_NOHUGEPAGE. */
const cases: [ThpMode, ThpSizeMode, boolean[]][] = [
  ["never", "always", [true, true, false]],
  ["never", "madvise", [false, true, false]],
  ["never", "inherit", [false, false, false]],
  ["madvise", "inherit", [false, true, false]],
  ["always", "inherit", [true, true, false]],
  ["always", "madvise", [false, true, false]],
  ["always", "never", [false, false, false]],
];

test.each(cases)("global %s, size %s (FLT-10)", (global, size, expected) => {
  const thp = new ThpConfig();
  thp.setGlobal(global);
  thp.setSize(4, "always");
  thp.setSize(4, size);
  thp.setSize(9, "never");
  expect(thp.size(4)).toBe(size);
  const orders = [0, VM_HUGEPAGE, VM_NOHUGEPAGE].map((flags) => thp.allowedOrders(flags));
  expect(orders).toEqual(expected.map((allowed) => (allowed ? 1 << 4 : 0)));
});

test.each([0, 1, 10, 2.5])("order %d has no switch", (order) => {
  const thp = new ThpConfig();
  expect(() => thp.setSize(order, "always")).toThrow(`THP order ${order} found, expected 2..9`);
  expect(() => thp.size(order)).toThrow(RangeError);
});
