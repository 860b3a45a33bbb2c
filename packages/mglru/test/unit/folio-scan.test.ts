import {
  LRU_ANON,
  LRU_FILE,
  LRU_REFS_PGOFF,
  NIL,
  PG_LRU,
  PG_MLOCKED,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_WORKINGSET,
  type ScanControl,
} from "@lrugen/mm-core";
import { beforeEach, describe, expect, test } from "vitest";
import { FolioScan, GenerationLists } from "../../src/index.ts";
import { Machine } from "../machine.ts";

/** Flags of a file folio that was accessed `1 + extra` times. */
const read = (extra: number): number => PG_REFERENCED | (extra << LRU_REFS_PGOFF);
const TWO_ZONES = [{ zones: [1, 2].map((zone) => ({ zone, pages: 2048 })) }];

let m: Machine;
let scan: FolioScan;
let list: number;
let sc: ScanControl;

function build(machine: Machine): void {
  m = machine;
  scan = new FolioScan(m.memory, new GenerationLists(m.memory));
  list = m.memory.lists.allocHeads(1);
  sc = m.scanControl();
}

beforeEach(() => build(new Machine()));

/** A file folio at the head of a generation list. */
const onFile = (seq: number, flags = 0): number => m.onList(seq, flags);

/** `count` folios at the oldest generation, the first one coldest. */
function folios(count: number, flags = 0, order = 0): number[] {
  return Array.from({ length: count }, () => m.onList(0, flags, order));
}

function run(nr: number, type = LRU_FILE, tier = 3): number {
  return scan.scan(nr, m.lruvec, sc, type, tier, list);
}

const isolated = (): number[] => [...m.memory.lists.walk(list)];

describe("scan", () => {
  test("isolates from the cold end; the coldest comes to the tail (EVT-10, MINV-22)", () => {
    const [a, b, c] = folios(3);
    expect([run(2), isolated()]).toEqual([2, [b, a]]);
    expect(m.list(0, LRU_FILE)).toEqual([c]);
  });

  test("takes nothing of a type that has only two generations (EVT-10, MINV-22)", () => {
    folios(3);
    m.lruvec.lrugen.minSeq[LRU_FILE] = 2;
    expect([run(10), isolated()]).toEqual([0, []]);
  });

  test("looks at nr folios, however large they are (EVT-10, MINV-23)", () => {
    folios(3, 0, 3);
    expect([run(2), scan.isolated]).toEqual([16, 16]);
  });

  test("stops once 64 pages are isolated, the last folio whole (EVT-10, MINV-23)", () => {
    folios(100);
    expect([run(1000), isolated().length]).toEqual([64, 64]);
    build(new Machine());
    folios(20, 0, 4);
    expect([run(1000), scan.isolated]).toEqual([64, 64]);
    build(new Machine());
    folios(9, 0, 0);
    folios(4, 0, 5);
    expect([run(1000), scan.isolated]).toEqual([73, 73]);
  });

  test("counts what it isolated and sorted, not what it scanned (EVT-25, MINV-24)", () => {
    folios(2);
    m.setGen(onFile(0), 2);
    folios(1, PG_SWAPBACKED);
    expect(run(10)).toBe(3);
    expect([scan.isolated, scan.sorted, scan.skipped]).toEqual([2, 1, 0]);
    expect(m.events).toEqual({ pgscan_direct: 2, pgscan_file: 2, pgrefill: 1 });
    expect(m.memcg.vmstat.toRecord()).toMatchObject({ pgscan_direct: 2, pgrefill: 1 });
  });

  test.each([
    ["kswapd", { kswapd: true, targetMemcg: null }],
    ["proactive", { proactive: true }],
  ])("counts for %s by its name (EVT-25)", (name, request) => {
    folios(1);
    sc = m.scanControl(request);
    run(1);
    expect(m.events).toEqual({ [`pgscan_${name}`]: 1, pgscan_file: 1 });
  });
});

describe("sorting", () => {
  test("a folio the walk promoted goes to the hot end of its list, uncounted (EVT-11 row 2, EVT-12)", () => {
    const cold = onFile(0);
    const promoted = onFile(0);
    const young = onFile(3);
    m.setGen(promoted, 3);
    m.lruvec.lrugen.nrPages[6]! -= 1; // as if its batch had been flushed
    m.lruvec.lrugen.nrPages[3 * 10 + 6]! += 1;
    run(10);
    expect([m.list(3, LRU_FILE), isolated()]).toEqual([[promoted, young], [cold]]);
    expect([m.pages(3, LRU_FILE), [...m.lruvec.lrugen.protected]]).toEqual([2, Array(8).fill(0)]);
  });

  test("a tier above the limit is protected: next generation, hot end, accesses forgotten (EVT-11 row 3)", () => {
    const next = onFile(1);
    const often = onFile(0, read(2));
    expect(run(10, LRU_FILE, 1)).toBe(1);
    expect([m.state(often), m.list(1, LRU_FILE)]).toEqual(["gen 1", [often, next]]);
    expect([...m.lruvec.lrugen.protected.subarray(4)]).toEqual([0, 0, 1, 0]);
    expect([m.pages(0, LRU_FILE), m.pages(1, LRU_FILE)]).toEqual([0, 2]);
  });

  test("a tier at the limit is not (EVT-11 row 5)", () => {
    const often = onFile(0, read(2));
    run(10, LRU_FILE, 2);
    expect(isolated()).toEqual([often]);
  });

  test("a saturated folio moves on under any limit, and is not counted as protected (EVT-11 row 3, MAP-05)", () => {
    const hot = onFile(0, read(3) | PG_WORKINGSET);
    const warm = onFile(0, read(2) | PG_WORKINGSET);
    run(10, LRU_FILE, 3);
    expect([m.state(hot), m.list(1, LRU_FILE), isolated()]).toEqual(["gen 1 W", [hot], [warm]]);
    expect([...m.lruvec.lrugen.protected]).toEqual(Array(8).fill(0));
  });

  test("a folio of a zone nobody asked for moves to the cold end of the next generation (EVT-11 row 4)", () => {
    build(new Machine({ nodes: TWO_ZONES }));
    const high = onFile(0, read(1));
    const next = onFile(1);
    sc = m.scanControl({ reclaimIdx: 1 });
    run(10);
    expect([m.list(1, LRU_FILE, 2), m.state(high)]).toEqual([[next, high], "gen 1"]);
    expect(m.events).toEqual({ pgrefill: 1 });
  });

  test("what is not evictable is isolated, to be culled later (EVT-11 row 1)", () => {
    const locked = onFile(0, PG_MLOCKED | read(3) | PG_WORKINGSET);
    run(10, LRU_FILE, 0);
    expect(isolated()).toEqual([locked]);
  });
});

describe("zones", () => {
  test("come from the highest usable one down, then those above it (EVT-10)", () => {
    build(new Machine({ nodes: TWO_ZONES }));
    const high = onFile(0); // zone Normal
    while (m.memory.allocator.freePages[1]! > 0) m.memory.allocFolio(0, m.memory.root);
    const low = onFile(0); // zone DMA32
    expect([high, low].map((folio) => m.memory.allocator.zoneOf(folio))).toEqual([2, 1]);
    run(1);
    expect(isolated()).toEqual([high]);
    sc = m.scanControl({ reclaimIdx: 1 });
    run(1);
    expect(isolated()).toEqual([low, high]);
  });
});

describe("isolation", () => {
  test("takes a reference and PG_lru, and never makes active (EVT-20, EVT-21, DEL-02)", () => {
    const folio = onFile(0, read(2));
    run(1);
    expect([m.state(folio), m.flags(folio) & PG_LRU]).toEqual(["gen -1 R r2", 0]);
    expect([m.memory.folios.refcount[folio], m.pages(0, LRU_FILE)]).toEqual([2, 0]);
  });

  test("forgets accesses that only a refault had written (EVT-20)", () => {
    const folio = onFile(0, 2 << LRU_REFS_PGOFF);
    run(1);
    expect(m.state(folio)).toBe("gen -1");
  });

  test("leaves alone what another has isolated, ahead of the others in order (EVT-10, EVT-20)", () => {
    const [a, b, c] = folios(3);
    m.memory.folios.flags[a!]! &= ~PG_LRU;
    m.memory.folios.refcount[b!] = 0;
    run(2);
    expect([m.list(0, LRU_FILE), isolated(), scan.skipped]).toEqual([[b, a, c], [], 2]);
    expect(m.events).toEqual({ pgskip_dma32: 2 });
  });

  test("gives a zone up after 64 pages it could not take (EVT-10)", () => {
    for (const folio of folios(100)) m.memory.folios.flags[folio]! &= ~PG_LRU;
    expect([run(1000), m.memory.lists.tail(list)]).toEqual([64, NIL]);
  });

  test("anon has lists of its own", () => {
    const anon = m.onList(0, PG_SWAPBACKED);
    folios(1);
    run(10, LRU_ANON);
    expect(isolated()).toEqual([anon]);
  });
});
