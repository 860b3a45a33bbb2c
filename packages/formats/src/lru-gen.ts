/**
 * What `/sys/kernel/debug/lru_gen` and `lru_gen_full` say, as data. One record per memcg; the short file leaves `tiers` and
 * `mmStats` empty. Which numbers and letters belong where is the policy's knowledge, not this package's.
 *
 * @module
 */

/** A number and the letter printed after it. */
export interface LruGenField<Mark extends string> {
  /** 0 .. 2^53 − 1. */
  readonly value: number;
  readonly mark: Mark;
}

/** `x`: the generation is older than `min_seq` of this type (TXT-05). */
export type SizeMark = " " | "x";

/**
 * `R T`: averages of refaulted and total; `r e p`: refaulted, evicted, protected; `x`: not meaningful here (TXT-07). Kernels
 * before the secondary-mmu series print a space for `x` (S2-PRE-06).
 */
export type TierMark = " " | "x" | "R" | "T" | "r" | "e" | "p";

/**
 * `T Y F A`: leaf entries seen, young ones, non-leaf entries found in and added to the Bloom filter (TXT-08); `L O Y N F A`
 * before the secondary-mmu series (S2-PRE-06); small letters where histories are kept.
 */
export type StatMark =
  | " "
  | "x"
  | "T"
  | "Y"
  | "F"
  | "A"
  | "t"
  | "y"
  | "f"
  | "a"
  | "L"
  | "O"
  | "N"
  | "l"
  | "o"
  | "n";

/** The three numbers of one type in a tier line. Pages. */
export type TierFields = readonly [
  refaulted: LruGenField<TierMark>,
  evicted: LruGenField<TierMark>,
  protected_: LruGenField<TierMark>,
];

/** One tier line. */
export interface LruGenTier {
  readonly anon: TierFields;
  readonly file: TierFields;
}

/** One generation: one line of the short file, up to six of the full one. */
export interface LruGenGeneration {
  readonly seq: number;

  /** Milliseconds since the generation was created. */
  readonly ageMs: number;

  /** Pages. */
  readonly anon: LruGenField<SizeMark>;

  /** Pages. */
  readonly file: LruGenField<SizeMark>;

  /** Four tiers, 0 first; none in the short file. */
  readonly tiers: readonly LruGenTier[];

  /**
   * Page-table walk counters, entries: four, or six before the secondary-mmu series; none in the short file and in kernels
   * built without page-table walks.
   */
  readonly mmStats: readonly LruGenField<StatMark>[];
}

/** The generations of one memcg on one node, oldest first, `seq` rising by one. */
export interface LruGenNode {
  readonly node: number;
  readonly generations: readonly LruGenGeneration[];
}

/** Everything one memcg prints: its nodes in ascending order, at least one. */
export interface LruGenMemcg {
  /** cgroup id (6.x: the 16-bit memcg id); 0 without the memory controller. */
  readonly id: number;

  /** cgroup path, `/` for the root; empty without the memory controller. */
  readonly path: string;
  readonly nodes: readonly LruGenNode[];
}

/** Generations a node can have (CONST-02). */
export const MAX_NR_GENS: number = 4;

/** Tier lines of a generation in the full file (CONST-03). */
export const MAX_NR_TIERS: number = 4;

/** Whether a record has what the full file prints. */
export function isFull(memcg: LruGenMemcg): boolean {
  return memcg.nodes.every(({ generations }) =>
    generations.every(({ tiers }) => tiers.length === MAX_NR_TIERS),
  );
}

/** `max_seq` of a node: its last generation. */
export function maxSeqOf(node: LruGenNode): number {
  const last = node.generations.at(-1);
  if (last === undefined) throw new RangeError(`node ${node.node} has no generation`);
  return last.seq;
}

/**
 * `min_seq` of one type: the first generation not marked `x`. Exact for records of the full file. The short file does not mark,
 * so there it is the smaller `min_seq` of both types.
 */
export function minSeqOf(node: LruGenNode, type: "anon" | "file"): number {
  const first = node.generations.find((generation) => generation[type].mark !== "x");
  if (first === undefined) throw new RangeError(`node ${node.node} has no ${type} generation`);
  return first.seq;
}
