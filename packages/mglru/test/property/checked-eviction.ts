import { LRU_ANON, MAX_NR_ZONES, PG_LRU, PG_MLOCKED } from "@lrugen/mm-core";
import fc from "fast-check";
import { folioLruGen, genFromSeq, nrGens } from "../../src/index.ts";
import type { Machine } from "../machine.ts";
import type { Fate } from "../reclaim.ts";
import { buildLists, type ListSpec, listsOf } from "./random-lists.ts";

/** One batch, what becomes of its folios, and whether all that was evicted comes back after it. */
export const batches = fc.record({
  nr: fc.integer({ min: 1, max: 130 }),
  swappiness: fc.constantFrom(0, 1, 60, 60, 60, 200, 201),
  fates: fc.infiniteStream(fc.constantFrom<Fate>("free", "free", "free", "keep", "activate")),
  refaults: fc.boolean(),
});

type Batch = typeof batches extends fc.Arbitrary<infer T> ? T : never;

/** Random lists whose every batch of eviction is judged by the invariants. */
export class CheckedEviction {
  private readonly m: Machine;

  constructor(spec: ListSpec) {
    this.m = buildLists(spec);
  }

  /** @returns a line for everything that is not as the rules say */
  take(batch: Batch): string[] {
    const { m } = this;
    const { lrugen } = m.lruvec;
    const before = listsOf(m);
    const twoGens = [0, 1].map((type) => nrGens(lrugen, type) === 2);
    const seen = m.reclaimer.batches.length;
    const decided = new Map<number, Fate>();
    m.reclaimer.fate = (folio) => {
      if (!decided.has(folio)) decided.set(folio, batch.fates.next().value);
      return decided.get(folio)!;
    };
    let oldest: number[] = [];
    m.reclaimer.afterwards = () => {
      oldest = [...lrugen.minSeq];
    };
    m.policy.eviction.evictFolios(batch.nr, m.lruvec, m.scanControl(), batch.swappiness);
    const found: string[] = [];
    const [first] = m.reclaimer.batches.slice(seen);
    if (first !== undefined) {
      const types = new Set(first.map((folio) => typeOf(listOf(before, folio))));
      const [type = LRU_ANON] = types;
      if (first.length > batch.nr) found.push("MINV-23: more folios than asked for");
      if (types.size !== 1) found.push("MINV-22: both types at once");
      if (twoGens[type]) found.push("MINV-22: a type with two generations");
      const survivors = [...decided.keys()].filter((folio) => this.isBack(folio, decided));
      found.push(...this.returned(survivors, oldest[type]!));
      found.push(...this.disordered(before, survivors, decided));
    }
    found.push(...this.forgotten());
    if (batch.refaults) this.refaultAll();
    return [...found, ...this.refaults()];
  }

  private isBack(folio: number, decided: ReadonlyMap<number, Fate>): boolean {
    return (
      decided.get(folio) !== "free" && (this.m.flags(folio) & (PG_LRU | PG_MLOCKED)) === PG_LRU
    );
  }

  /** MINV-25. With two generations left PG_active leads to the older of them: there is no other. */
  private returned(survivors: readonly number[], oldest: number): string[] {
    if (oldest > this.m.lruvec.lrugen.maxSeq - 2) return [];
    return survivors
      .filter((folio) => folioLruGen(this.m.flags(folio)) === genFromSeq(oldest))
      .map((folio) => `MINV-25: folio ${folio} is back in the oldest generation`);
  }

  /** MINV-26, among those that were put back together because they were activated. */
  private disordered(
    before: readonly number[][],
    survivors: readonly number[],
    decided: ReadonlyMap<number, Fate>,
  ): string[] {
    const after = listsOf(this.m);
    const found: string[] = [];
    const last = new Map<number, number>();
    for (const folio of survivors) {
      if (decided.get(folio) !== "activate") continue;
      const list = listOf(after, folio);
      const at = after[list]!.indexOf(folio);
      if (at > (last.get(list) ?? Infinity)) found.push(`MINV-26: folio ${folio} out of order`);
      last.set(list, at);
      const older = after[list]!.findIndex(
        (other) => before[list]!.includes(other) && !survivors.includes(other),
      );
      if (older >= 0 && older < at) found.push(`MINV-26: folio ${folio} behind older ones`);
    }
    return found;
  }

  /** MINV-27, as long as no carry-over halved the counts. */
  private forgotten(): string[] {
    const { evicted, avgTotal } = this.m.lruvec.lrugen;
    if (avgTotal.some((pages) => pages > 0) || this.m.lruvec.lrugen.minSeq.some((seq) => seq > 0)) {
      return [];
    }
    const stolen = this.m.events["pgsteal_direct"] ?? 0;
    const counted = evicted.reduce((sum, pages) => sum + pages, 0);
    return counted === stolen ? [] : [`MINV-27: ${counted} pages counted, ${stolen} evicted`];
  }

  private refaultAll(): void {
    const { m } = this;
    for (const shadow of m.reclaimer.shadows.values()) {
      const fresh = m.memory.allocFolio(0, m.memcg);
      m.task.inLruFault = !m.task.inLruFault;
      m.policy.refault(m.task, fresh, shadow);
      m.memory.release.put(m.cpu, fresh);
    }
    m.reclaimer.shadows.clear();
  }

  /** MINV-28. */
  private refaults(): string[] {
    const { events } = this.m;
    const count = (name: string): number => events[name] ?? 0;
    const { refaulted, avgRefaulted } = this.m.lruvec.lrugen;
    const counted = [...refaulted, ...avgRefaulted].reduce((sum, pages) => sum + pages, 0);
    const found: string[] = [];
    if (counted > count("workingset_refault_anon") + count("workingset_refault_file")) {
      found.push("MINV-28: more refaults in tiers than events");
    }
    if (count("workingset_restore_file") < count("workingset_activate_file")) {
      found.push("MINV-28: activated but not restored");
    }
    return found;
  }
}

/** Index of the list a folio is on, -1 = none. */
function listOf(lists: readonly number[][], folio: number): number {
  return lists.findIndex((folios) => folios.includes(folio));
}

/** Type of the folios of a list. */
function typeOf(list: number): number {
  return Math.floor(list / MAX_NR_ZONES) % 2;
}
