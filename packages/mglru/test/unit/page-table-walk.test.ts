import {
  PG_REFERENCED,
  PG_SWAPBACKED,
  singleNode,
  VM_LOCKED,
  VM_READ,
  type Vma,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { Machine, P4D, PMD, PUD, REGION, subscribe } from "../machine.ts";
import { mapPtes, ptes } from "../mapping.ts";
import { walkMm } from "../walk.ts";

/** Maps a young order-0 folio, already referenced, at each of these virtual pages. */
function young(m: Machine, vma: Vma, ...vpns: readonly number[]): number[] {
  return vpns.map((vpn) => {
    const folio = m.onList(1, PG_SWAPBACKED | PG_REFERENCED);
    mapPtes(m.memory, vma, vpn, folio, "y");
    return folio;
  });
}

test("an address space without VMAs, or without page tables, has nothing to walk (WALK-01)", () => {
  const m = new Machine();
  const mm = m.mm();
  expect(walkMm(m, mm)).toEqual([0, 0, 0, 0]);
  m.vma(mm, REGION, P4D * 2);
  expect(walkMm(m, mm)).toEqual([0, 0, 0, 0]);
  expect(m.lruvec.lock.acquisitions).toBe(0);
});

test("only skipped VMAs: nothing is walked (WALK-02)", () => {
  const m = new Machine();
  const vma = m.vma(m.mm(), REGION, PMD, VM_READ | VM_LOCKED);
  young(m, vma, REGION);
  expect([walkMm(m, vma.mm), ptes(m.memory, vma.mm, REGION, 1)]).toEqual([[0, 0, 0, 0], "y"]);
});

test("a walk of a generation that is no longer the youngest stops before it begins (WALK-01)", () => {
  const m = new Machine();
  const vma = m.vma(m.mm(), REGION, PMD);
  young(m, vma, REGION);
  expect(walkMm(m, vma.mm, { seq: 2 })).toEqual([0, 0, 0, 0]);
});

test("GiB units without a PMD table count nothing (WALK-03)", () => {
  const m = new Machine();
  const vma = m.vma(m.mm(), REGION, 5 * PUD);
  young(m, vma, REGION + 3 * PUD);
  expect(walkMm(m, vma.mm)).toEqual([512 + 511, 1, 1, 0]);
});

test("a VMA from one GiB unit into others is walked from its first to its last page (WALK-03)", () => {
  const m = new Machine();
  const start = REGION + PUD - 3;
  const vma = m.vma(m.mm(), start, 2 * PUD);
  const folios = young(
    m,
    vma,
    start,
    REGION + PUD - 1,
    REGION + PUD,
    REGION + 2 * PUD,
    vma.end - 1,
  );
  const [total, seen, tables] = walkMm(m, vma.mm);
  // 3 PTEs, two whole GiB units with two and one tables in 512 and 510 entries, 509 PTEs at the end.
  expect([total, seen, tables]).toEqual([3 + 512 + 511 + 512 + 510 + 509, 5, 4]);
  expect(folios.every((folio) => m.state(folio) === "gen 3 W")).toBe(true);
});

test("the next VMA in the same 512 GiB is found from the GiB where the last one ended (WALK-04)", () => {
  const m = new Machine();
  const mm = m.mm();
  const a = m.vma(mm, REGION, 10);
  m.vma(mm, REGION + 10, 2 * PUD, VM_READ | VM_LOCKED);
  const b = m.vma(mm, REGION + 3 * PUD - 1, 2);
  const c = m.vma(mm, REGION + 3 * PUD + 5, 1);
  young(m, a, REGION);
  young(m, b, b.start, b.end - 1);
  young(m, c, c.start);
  expect(walkMm(m, mm)).toEqual([10 + 1 + 2, 4, 3, 2]);
});

test("two 512 GiB units are two slices: sizes are flushed in between (WALK-06)", () => {
  const m = new Machine();
  const mm = m.mm();
  const a = m.vma(mm, REGION, 1);
  const b = m.vma(mm, REGION + 7 * P4D, 1);
  young(m, a, a.start);
  young(m, b, b.start);
  expect([walkMm(m, mm), m.lruvec.lock.acquisitions, m.pages(3)]).toEqual([[2, 2, 2, 2], 2, 2]);
});

test("a slice that promoted nothing takes no lock (WALK-01)", () => {
  const m = new Machine();
  const vma = m.vma(m.mm(), REGION, 1);
  mapPtes(m.memory, vma, REGION, m.onList(1), "y");
  expect([walkMm(m, vma.mm)[1], m.lruvec.lock.acquisitions]).toEqual([1, 0]);
});

test("a VMA that crosses a 512 GiB border goes on in the next slice (WALK-06)", () => {
  const m = new Machine();
  const border = REGION + P4D;
  const vma = m.vma(m.mm(), border - 2, 4);
  young(m, vma, border - 2, border - 1, border, border + 1);
  expect([walkMm(m, vma.mm), m.lruvec.lock.acquisitions]).toEqual([[4, 4, 2, 2], 2]);
});

test("a range that ends in the last GiB of its 512 does not run on into the next 512 (WALK-04)", () => {
  const m = new Machine();
  const border = REGION + P4D;
  const mm = m.mm();
  const a = m.vma(mm, border - 20, 10);
  const b = m.vma(mm, border - 5, 10);
  young(m, a, a.start);
  young(m, b, b.start, b.end - 1);
  expect([walkMm(m, mm), m.lruvec.lock.acquisitions]).toEqual([[10 + 5 + 5, 3, 2, 2], 2]);
});

const at = (gib: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => REGION + gib * PUD + i);

test("4,096 promotions end a slice at the end of the GiB they were reached in (WALK-05)", () => {
  const m = new Machine({ nodes: singleNode(8192) });
  const vma = m.vma(m.mm(), REGION, 3 * PUD);
  young(m, vma, ...at(0, 4095), ...at(1, 4), ...at(2, 2));
  expect(walkMm(m, vma.mm)[1]).toBe(4101);
  // 4,095 are not enough, so the first slice ends after the second GiB.
  expect([m.lruvec.lock.acquisitions, m.pages(3)]).toEqual([2, 4101]);
});

test("the walk goes on where the slice ended, not from the start (WALK-05)", () => {
  const m = new Machine({ nodes: singleNode(8192) });
  const vma = m.vma(m.mm(), REGION, 2 * PUD);
  young(m, vma, ...Array.from({ length: 4096 }, (_, i) => REGION + i), REGION + PUD);
  const absent = 512 - 8 + 511;
  expect(walkMm(m, vma.mm)).toEqual([9 * 512 + absent, 4097, 9, 8]);
  expect(m.lruvec.lock.acquisitions).toBe(2);
});

test("a generation opened by somebody else ends the walk with the slice (WALK-01, PROMO-07)", () => {
  const m = new Machine();
  const mm = m.mm();
  const [a, b] = [m.vma(mm, REGION, 2), m.vma(mm, REGION + P4D, 1)];
  const [first, second, beyond] = [...young(m, a, a.start, a.start + 1), ...young(m, b, b.start)];
  // It happens in the middle of the first table, which still promotes to what was the youngest.
  subscribe(mm).clearYoung = () => {
    m.lruvec.lrugen.maxSeq = 4;
    return false;
  };
  walkMm(m, mm);
  expect([first, second, beyond].map((folio) => m.state(folio!))).toEqual([
    "gen 3 W",
    "gen 3 W",
    "gen 1 R",
  ]);
  expect([m.pages(3), ptes(m.memory, mm, b.start, 1)]).toEqual([2, "y"]);
});
