import type { AgingCounts } from "@lrugen/mglru";
import { MAX_NR_GENS, MAX_NR_ZONES } from "@lrugen/mm-core";
import type { Guest } from "@lrugen/sim";
import type { OrderFacts } from "./list-order.ts";

/** Tier of folios with PG_workingset: where promotion puts them (MAP-04). */
const WORKINGSET_TIER = 3;

/** What one aging did, as counted by the model. */
export interface AgingDelta {
  /** PTEs, or 2 MiB entries, that the walk looked at (T). */
  readonly walked: number;
  /** Those it found young (Y). */
  readonly young: number;
  /** PTE tables it found young (F), and added to the Bloom filter (A). */
  readonly tablesFound: number;
  readonly tablesAdded: number;
  /** Folios promoted to max_seq. */
  readonly promoted: number;
  /** Folios moved from the oldest generation to another list, singly or in a run. */
  readonly moved: number;
  /** Runs of folios moved by one splice. */
  readonly splices: number;
  /** Times lru_lock was taken. */
  readonly lockHolds: number;
}

/** One write to debugfs and what it did. */
export interface IncMinSeqAging extends AgingDelta, OrderFacts {
  /** The number in the command, max_seq before: 3, 4, … */
  readonly seq: number;
  /** The oldest anon generation that holds folios afterwards; null: there is none. */
  readonly oldestSeq: number | null;
  /** First page of the folio at the head (hot end) of that list, from the start of the region. */
  readonly headPage: number | null;
  /** The same at its tail, where eviction takes. */
  readonly tailPage: number | null;
  /**
   * avg_total of anon tier 3 afterwards, in pages. The pages protected by this aging are averaged
   * into it at once, and the count itself is cleared (CTRL-02).
   */
  readonly avgTotal: number;
}

/** Counters of the model at one moment; two of them make a delta. */
export class AgingCounters {
  private readonly stats: readonly number[];
  private readonly counts: AgingCounts;
  private readonly lockHolds: number;

  constructor({ memcg, system }: Guest) {
    const { lock, mmState } = memcg.lruvecs[0]!;
    this.stats = [...mmState.stats];
    this.counts = system.mglru.aging.counts;
    this.lockHolds = lock.acquisitions;
  }

  /** What happened from here to `later`. */
  deltaTo(later: AgingCounters): AgingDelta {
    const [walked, young, tablesFound, tablesAdded] = later.stats.map(
      (stat, i) => stat - (this.stats[i] as number),
    ) as [number, number, number, number];
    return {
      walked,
      young,
      tablesFound,
      tablesAdded,
      promoted: later.counts.promoted - this.counts.promoted,
      moved: later.counts.moved - this.counts.moved,
      splices: later.counts.splices - this.counts.splices,
      lockHolds: later.lockHolds - this.lockHolds,
    };
  }
}

/** Puts a record together from the state an aging left. */
export function agingRecord(
  guest: Guest,
  seq: number,
  delta: AgingDelta,
  order: OrderFacts,
): IncMinSeqAging {
  const { lrugen } = guest.memcg.lruvecs[0]!;
  return {
    seq,
    ...delta,
    ...order,
    ...oldestList(guest),
    avgTotal: lrugen.avgTotal[WORKINGSET_TIER] as number,
  };
}

function oldestList(guest: Guest): Pick<IncMinSeqAging, "oldestSeq" | "headPage" | "tailPage"> {
  const { lrugen } = guest.memcg.lruvecs[0]!;
  const { lists, folios } = guest.system.memory;
  const start = guest.regions[0]?.start ?? 0;
  for (let seq = lrugen.minSeq[0] as number; seq <= lrugen.maxSeq; seq++) {
    for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
      const head = lrugen.listHead + (seq % MAX_NR_GENS) * 2 * MAX_NR_ZONES + zone;
      if (lists.isEmpty(head)) continue;
      const pageOf = (folio: number): number => (folios.index[folio] as number) - start;
      const [headPage, tailPage] = [pageOf(lists.first(head)), pageOf(lists.tail(head))];
      return { oldestSeq: seq, headPage, tailPage };
    }
  }
  return { oldestSeq: null, headPage: null, tailPage: null };
}
