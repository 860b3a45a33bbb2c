import { type Lruvec, type Memcg, PG_SWAPBACKED, type ScanRequest } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { MEMCG_LRU_TAIL } from "../../src/index.ts";
import { Machine } from "../machine.ts";

/** A machine with memcgs /a, /b, … next to /t, all bins drawn as told; /t and the root have nothing. */
class Node {
  readonly m: Machine;
  readonly memcgs: Memcg[];
  draw = 0;

  constructor(files: readonly number[]) {
    this.m = new Machine({ bins: { next: () => this.draw } });
    const { memory } = this.m;
    this.memcgs = files.map((_, i) =>
      memory.createMemcg(memory.root, 100 + i, String.fromCodePoint(97 + i)),
    );
    for (const [i, count] of files.entries()) this.fill(this.memcgs[i]!, count);
  }

  /** Unreferenced file folios: of the oldest generation. */
  fill(memcg: Memcg, count: number): void {
    for (let i = 0; i < count; i++) this.m.add(this.m.folio(0, 0, memcg));
  }

  lruvec(i: number): Lruvec {
    return this.memcgs[i]!.lruvecs[0]!;
  }

  /** Generation and segment in the memcg LRU. */
  place(i: number): number[] {
    const { gen, seg } = this.lruvec(i).lrugen;
    return [gen, seg];
  }

  shrink(priority: number, request: Partial<ScanRequest> = {}): number {
    const sc = this.m.scanControl({ nrToReclaim: 1_000_000, targetMemcg: null, ...request });
    sc.priority = priority;
    this.m.policy.shrinkNode(0, sc);
    return sc.nrReclaimed;
  }

  /** What each memcg still has. */
  get left(): number[] {
    return this.memcgs.map(({ charged }) => charged);
  }
}

describe("shrinkNode", () => {
  test("drains this CPU and reclaims from every memcg of the old generation (SHR-04, MLRU-10)", () => {
    const n = new Node([64, 32]);
    expect([n.shrink(1), n.left, n.m.batches.drains]).toEqual([48, [32, 16], 1]);
  });

  test("does nothing when it may not write or unmap (SHR-04)", () => {
    const n = new Node([64]);
    for (const forbidden of ["mayWritepage", "mayUnmap"] as const) {
      const sc = n.m.scanControl({ targetMemcg: null });
      sc[forbidden] = false;
      n.m.policy.shrinkNode(0, sc);
    }
    expect([n.left, n.m.batches.drains]).toEqual([[64], 0]);
  });

  test("stops as soon as the target is met; the others wait (STOP-01, MLRU-10)", () => {
    const n = new Node([64, 64, 64]);
    expect([n.shrink(0, { nrToReclaim: 50 }), n.left]).toEqual([64, [0, 64, 64]]);
  });

  test("kswapd counts each node's progress from 0 (SHR-04)", () => {
    const n = new Node([10, 10]);
    const sc = n.m.scanControl({ kswapd: true, nrToReclaim: 15, targetMemcg: null });
    sc.nrReclaimed = 15;
    sc.priority = 0;
    n.m.policy.shrinkNode(0, sc);
    expect([sc.nrReclaimed, n.left]).toEqual([35, [0, 0]]);
  });

  test("a large target begins with a lower priority (SHR-03, SHR-04)", () => {
    const n = new Node([1000]);
    const sc = n.m.scanControl({ kswapd: true, nrToReclaim: 100, targetMemcg: null });
    n.m.policy.shrinkNode(0, sc);
    expect([sc.priority, sc.nrReclaimed]).toEqual([6, 15]);
  });

  test("begins at a drawn bin and comes round to the one before it (MLRU-10)", () => {
    const n = new Node([]);
    const bins = [5, 4, 3].map((bin, i) => {
      n.draw = bin;
      return n.m.memory.createMemcg(n.m.memory.root, 200 + i, `bin${bin}`);
    });
    for (const memcg of bins) n.fill(memcg, 8);
    n.draw = 4;
    n.shrink(0);
    const order = n.m.reclaimer.slab.filter((path) => path.startsWith("/bin"));
    expect(order).toEqual(["/bin4", "/bin5", "/bin3"]);
  });

  test("memcgs that went to the young generation wait for the next call (MLRU-11)", () => {
    const n = new Node([0]);
    n.lruvec(0).lrugen.minSeq.fill(2); // so that it ages
    n.fill(n.memcgs[0]!, 8);
    n.shrink(0);
    expect([n.place(0), n.m.reclaimer.slab.filter((path) => path === "/a")]).toEqual([
      [1, 0],
      ["/a"],
    ]);
    n.shrink(0);
    expect(n.m.reclaimer.slab.filter((path) => path === "/a")).toEqual(["/a"]);
  });
});

describe("what becomes of a memcg (SHR-06)", () => {
  test("still sizable and not aged: it stays where it is", () => {
    const n = new Node([100]);
    n.shrink(2);
    expect([n.place(0), n.left]).toEqual([[0, 0], [75]]);
  });

  test("too small: to the tail, and met there again, to the young generation", () => {
    const n = new Node([1]);
    n.shrink(12);
    // Moved behind the iterator to the same bin's tail: one more visit in the same pass.
    expect(n.place(0)).toEqual([1, 0]);
  });

  test("too small, tail of a bin that is behind: it waits for the next pass", () => {
    const n = new Node([1]);
    n.draw = 7;
    const sc = n.m.scanControl({ targetMemcg: null, nrToReclaim: 1_000_000 });
    n.m.policy.shrinkNode(0, sc);
    expect(n.place(0)).toEqual([0, MEMCG_LRU_TAIL]);
  });

  test("below memory.min: young without a look at it", () => {
    const n = new Node([64]);
    n.memcgs[0]!.memory.min = 64;
    n.shrink(0);
    expect([n.place(0), n.left]).toEqual([[1, 0], [64]]);
  });

  test("below memory.low: postponed to the tail first, then reclaimed with an event", () => {
    const n = new Node([64]);
    n.memcgs[0]!.memory.low = 64;
    n.draw = 7;
    n.shrink(0);
    n.draw = 0;
    expect([n.place(0), n.left]).toEqual([[0, MEMCG_LRU_TAIL], [64]]);
    n.shrink(0);
    expect([n.left, n.memcgs[0]!.events.local[0]]).toEqual([[32], 1]);
  });

  test("kswapd relies on the protection its round computed", () => {
    const n = new Node([64]);
    n.memcgs[0]!.memory.min = 64;
    n.shrink(0, { kswapd: true });
    expect(n.left).toEqual([0]);
  });
});

/** One balancing round of kswapd. */
function age(n: Node, priority = 0): void {
  const sc = n.m.scanControl({ kswapd: true, targetMemcg: null });
  sc.priority = priority;
  n.m.policy.ageNode(0, sc);
}

describe("ageNode", () => {
  test("computes the protection of every memcg from the top down (TTL-01)", () => {
    const n = new Node([10]);
    n.memcgs[0]!.memory.min = 4;
    age(n);
    expect([n.memcgs[0]!.memory.emin, n.m.reclaimer.outOfMemories]).toEqual([4, 0]);
  });

  test("without min_ttl_ms never runs out of memory (TTL-01)", () => {
    const n = new Node([]);
    age(n);
    expect(n.m.reclaimer.outOfMemories).toBe(0);
  });

  test("is out of memory when the oldest generation of every memcg is too young (TTL-02, TTL-04)", () => {
    const n = new Node([10]);
    n.m.policy.sysfs.writeMinTtl("1000");
    n.m.memory.clock.sleep(1000);
    age(n);
    expect(n.m.reclaimer.outOfMemories).toBe(1);
    n.m.memory.clock.sleep(4);
    age(n);
    expect(n.m.reclaimer.outOfMemories).toBe(1);
  });

  test("a memcg that is too small, or protected, does not count (TTL-02, TTL-03)", () => {
    const n = new Node([10]);
    n.m.policy.sysfs.writeMinTtl("4");
    n.m.memory.clock.sleep(100);
    age(n, 4);
    n.memcgs[0]!.memory.min = 10;
    age(n, 0);
    expect(n.m.reclaimer.outOfMemories).toBe(2);
  });

  test("opens no generation (TTL-05)", () => {
    const n = new Node([10]);
    n.m.onList(0, PG_SWAPBACKED);
    n.lruvec(0).lrugen.minSeq.fill(2);
    age(n);
    expect([n.lruvec(0).lrugen.maxSeq, n.m.lruvec.lrugen.maxSeq]).toEqual([3, 3]);
  });
});
