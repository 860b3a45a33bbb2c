/**
 * The JSON document that one run of a scenario gives, on the real kernel and on the model. Field
 * names and their order are those of the fixtures.
 */

/** Anon and file numbers side by side; the inner array is by generation or by tier. */
export interface ByType {
  readonly anon: readonly number[];
  readonly file: readonly number[];
}

/** Constants of the kernel's configuration: bits of the folio flag word and sizes in bytes. */
export interface OracleLayout {
  readonly nr_pageflags: number;
  readonly gen_shift: number;
  readonly refs_shift: number;
  readonly refs_width: number;
  readonly nr_zones: number;
  readonly sizeof_page: number;
  readonly sizeof_lruvec: number;
}

/**
 * A run of consecutive list entries, `[name, first, last, order, gen, refs, flags]`: folios of one
 * region or file whose page index steps by +-(1 << order) and that agree in everything else.
 * `gen` is what the flags say, -1 for none; `refs` is 0..3; `flags` are letters.
 */
export type FolioRun = readonly [
  name: string,
  first: number,
  last: number,
  order: number,
  gen: number,
  refs: number,
  flags: string,
];

/** One non-empty generation list, folios head to tail. */
export interface DumpList {
  readonly type: "anon" | "file";
  readonly seq: number;
  /** seq % 4: the list's own generation. */
  readonly gen: number;
  readonly zone: string;
  readonly folios: readonly FolioRun[];
  /** Pages on the list, large folios in full. */
  readonly pages: number;
}

/** One folio batch of one CPU, oldest entry first. */
export interface DumpBatch {
  readonly nr: number;
  readonly folios: readonly FolioRun[];
}

/** The page tables of one worker over one region; the first two are run-length coded, per page. */
export interface DumpRegion {
  /** `.` none, `s` swap, `o`/`O` old clean/dirty, `y`/`Y` young clean/dirty. */
  readonly pte: string;
  /** `.` none, `L` folio on an LRU, `b` not on one, `Z` zero page. */
  readonly lru: string;
  /** One letter per 2 MiB: `t`/`T` table old/young, `h`/`H` leaf old/young, `.` none. */
  readonly pmd: string;
}

/** One live worker. */
export interface DumpProc {
  /** Bit of the mm in lru_gen's bitmap: it ran since the last walk. */
  readonly mm_used: number;
  readonly minflt: number;
  readonly majflt: number;
  /** Every region of the scenario, those of other workers too; empty in a `sizes` dump. */
  readonly regions: Readonly<Record<string, DumpRegion>>;
}

/** Refault and eviction counts of the tiers. */
export interface DumpTiers {
  /** The constant "[tier0..3]". */
  readonly _: string;
  readonly avg_refaulted: ByType;
  readonly avg_total: ByType;
  readonly refaulted: ByType;
  readonly evicted: ByType;
  readonly protected: ByType;
}

/** The page-table walk's state. */
export interface DumpMmState {
  readonly seq: number;
  /** PTEs seen, young ones, non-leaf entries found, non-leaf entries added. */
  readonly stats_TYFA: readonly number[];
  /** Set bits of the two Bloom filters; null: not allocated. */
  readonly bloom_bits: readonly (number | null)[];
}

/** Counters by name; zero values are left out. */
export type Counters = Readonly<Record<string, number>>;

/** What a `dump` line prints. */
export interface Dump {
  readonly max_seq: number;
  /** Anon, file. */
  readonly min_seq: readonly number[];
  readonly enabled: number;
  readonly memcg_gen: number;
  readonly memcg_seg: number;
  /** Pages by generation, summed over zones. */
  readonly nr_pages: ByType;
  readonly tiers: DumpTiers;
  readonly mm_state: DumpMmState;
  readonly lists: readonly DumpList[];
  /** Non-empty lists of the two-list LRU while MGLRU is off, by name (`inactive_anon` …). */
  readonly classic: Readonly<Record<string, readonly FolioRun[]>>;
  /** Non-empty batches, by `cpuN.BATCH`. */
  readonly batches: Readonly<Record<string, DumpBatch>>;
  readonly procs: Readonly<Record<string, DumpProc>>;
  readonly "memory.events": Counters;
  readonly vmstat_delta: Counters;
}

/** One line of the scenario and what came of it. */
export interface OracleStep {
  readonly cmd: string;
  /** A return value above 0: the bytes a debugfs write took. */
  readonly ret?: number;
  /** An errno name, or `KVM_EXIT`. */
  readonly err?: string;
  /** KVM's exit reason, with `KVM_EXIT`. */
  readonly exit_reason?: number;
  readonly dump?: Dump;
  /** Lines of the scenario memcg's record. */
  readonly lru_gen?: readonly string[];
  readonly lru_gen_full?: readonly string[];
  /** Lines of a `cat`, or one errno name. */
  readonly text?: readonly string[];
  /** Bytes or counts by name, after a flush. */
  readonly "memory.stat"?: Counters;
}

/** One run of one scenario. */
export interface OracleResult {
  /** The kernel's banner. */
  readonly kernel: string;
  readonly cpus: number;
  readonly layout: OracleLayout;
  readonly steps: readonly OracleStep[];
}
