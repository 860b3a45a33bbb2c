import { describe, expect, test } from "vitest";
import {
  LRU_ACTIVE_FILE,
  LRU_INACTIVE_ANON,
  LRU_UNEVICTABLE,
  LruGenFolio,
  type Lruvec,
  LRUVEC_HEADS,
  MAX_NR_ZONES,
} from "../../src/index.ts";
import { listMachine } from "../machine.ts";

function newLruvec(): Lruvec {
  return listMachine().memory.root.lruvecs[0]!;
}

describe("the heads of a lruvec", () => {
  test("are those of the generations and four classic ones, side by side (FOL-40)", () => {
    const lruvec = newLruvec();
    expect(LRUVEC_HEADS).toBe(LruGenFolio.nrHeads + 4);
    expect(lruvec.listHead - lruvec.lrugen.listHead).toBe(LruGenFolio.nrHeads);
  });
});

describe("sizes", () => {
  test("of a classic folio count in both tables (FOL-41, FOL-42)", () => {
    const lruvec = newLruvec();
    lruvec.updateLruSize(LRU_ACTIVE_FILE, 2, 16);
    const slot = LRU_ACTIVE_FILE * MAX_NR_ZONES + 2;
    expect([lruvec.lruSize[slot], lruvec.lruZoneSize[slot]]).toEqual([16, 16]);
    lruvec.updateLruSize(LRU_ACTIVE_FILE, 2, -16);
    expect([lruvec.lruSize[slot], lruvec.lruZoneSize[slot]]).toEqual([0, 0]);
  });

  test("of a list are summed over the zones", () => {
    const lruvec = newLruvec();
    for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
      lruvec.updateLruSize(LRU_INACTIVE_ANON, zone, 10 ** zone);
    }
    lruvec.updateLruSize(LRU_UNEVICTABLE, 0, 7);
    expect(lruvec.sizeOf(LRU_INACTIVE_ANON)).toBe(11_111);
    expect(lruvec.sizeOf(LRU_UNEVICTABLE)).toBe(7);
    expect(lruvec.sizeOf(LRU_ACTIVE_FILE)).toBe(0);
  });

  test("of a multi-gen folio, counted in lruSize alone, show in sizeOf", () => {
    const lruvec = newLruvec();
    lruvec.lruSize[LRU_INACTIVE_ANON * MAX_NR_ZONES + 1] = 3;
    expect(lruvec.sizeOf(LRU_INACTIVE_ANON)).toBe(3);
  });
});
