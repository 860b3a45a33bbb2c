import { expect, test } from "vitest";
import * as mm from "../../src/index.ts";

test("every VM_* flag but the two unions is one bit of its own", () => {
  const unions = new Set(["VM_SPECIAL", "VM_ACCESS_FLAGS"]);
  const flags = Object.entries(mm).filter(([name]) => name.startsWith("VM_") && !unions.has(name));
  expect(flags.filter(([, bit]) => Math.log2(bit as number) % 1 !== 0)).toEqual([]);
  expect(new Set(flags.map(([, bit]) => bit)).size).toBe(flags.length);
});

test("special mappings are those of devices, not locked or shared ones (VMA-02)", () => {
  const devices = [mm.VM_IO, mm.VM_PFNMAP, mm.VM_MIXEDMAP, mm.VM_DONTEXPAND];
  const others = [mm.VM_LOCKED, mm.VM_SHARED, mm.VM_HUGETLB, mm.VM_SEQ_READ];
  expect(devices.filter((flag) => !(mm.VM_SPECIAL & flag))).toEqual([]);
  expect(others.filter((flag) => mm.VM_SPECIAL & flag)).toEqual([]);
});
