import { describe, expect, test } from "vitest";
import * as mm from "../../src/index.ts";

const { VMSTAT_ITEMS, vmstatId } = mm;

describe("counter names", () => {
  test("are unique and stand at their index", () => {
    expect(VMSTAT_ITEMS.map((name) => vmstatId(name))).toEqual([...VMSTAT_ITEMS.keys()]);
  });

  test.each(["pgscan", "PGACTIVATE", "", "constructor"])("do not include %j", (name) => {
    expect(() => vmstatId(name)).toThrow(new RangeError(`unknown vmstat counter ${name}`));
  });

  test("have constants that point at the counter of the same name", () => {
    expect([mm.PGACTIVATE, mm.PGDEACTIVATE, mm.PGLAZYFREE, mm.PGROTATED, mm.PGLAZYFREED]).toEqual(
      ["pgactivate", "pgdeactivate", "pglazyfree", "pgrotated", "pglazyfreed"].map(vmstatId),
    );
    expect([
      mm.UNEVICTABLE_PGCULLED,
      mm.UNEVICTABLE_PGRESCUED,
      mm.UNEVICTABLE_PGMLOCKED,
      mm.UNEVICTABLE_PGMUNLOCKED,
      mm.UNEVICTABLE_PGCLEARED,
      mm.UNEVICTABLE_PGSTRANDED,
    ]).toEqual(
      ["culled", "rescued", "mlocked", "munlocked", "cleared", "stranded"].map((event) =>
        vmstatId(`unevictable_pgs_${event}`),
      ),
    );
    expect([mm.NR_VMSCAN_WRITE, mm.NR_VMSCAN_IMMEDIATE]).toEqual(
      ["nr_vmscan_write", "nr_vmscan_immediate_reclaim"].map(vmstatId),
    );
    expect([mm.THP_SPLIT_PAGE, mm.THP_SPLIT_PAGE_FAILED, mm.THP_SWPOUT_FALLBACK]).toEqual(
      ["thp_split_page", "thp_split_page_failed", "thp_swpout_fallback"].map(vmstatId),
    );
    expect([
      mm.THP_FAULT_ALLOC,
      mm.THP_FAULT_FALLBACK,
      mm.THP_DEFERRED_SPLIT_PAGE,
      mm.THP_SPLIT_PMD,
      mm.THP_ZERO_PAGE_ALLOC,
    ]).toEqual(
      [
        "thp_fault_alloc",
        "thp_fault_fallback",
        "thp_deferred_split_page",
        "thp_split_pmd",
        "thp_zero_page_alloc",
      ].map(vmstatId),
    );
  });
});
