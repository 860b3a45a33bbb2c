import type {
  LruGenField,
  LruGenGeneration,
  LruGenMemcg,
  LruGenNode,
  LruGenTier,
  SizeMark,
  StatMark,
  TierFields,
} from "@lrugen/formats";
import {
  JIFFY_MS,
  LRU_ANON,
  LRU_FILE,
  type LruGenFolio,
  type Lruvec,
  MAX_NR_GENS,
  MAX_NR_TIERS,
  MAX_NR_ZONES,
  type Memcg,
  NR_MM_STATS,
} from "@lrugen/mm-core";
import { genFromSeq } from "../generation/generation.ts";

const STAT_LETTERS: readonly StatMark[] = ["T", "Y", "F", "A"];

/**
 * What lru_gen and lru_gen_full show of a memcg and everything below it, as records that
 * @lrugen/formats prints. Nothing is locked, drained or flushed by reading (TXT-10).
 * @param jiffies now
 * Source: TXT-01..10; mm/vmscan.c:lru_gen_seq_show.
 */
export function lruGenRecords(memcg: Memcg, jiffies: number): LruGenMemcg[] {
  return [...memcg.preOrder()].map(({ id, path, lruvecs }) => ({
    id,
    path,
    nodes: lruvecs.map((lruvec) => nodeRecord(lruvec, jiffies)),
  }));
}

function nodeRecord(lruvec: Lruvec, jiffies: number): LruGenNode {
  const { lrugen } = lruvec;
  const generations: LruGenGeneration[] = [];
  for (let seq = Math.max(lrugen.maxSeq - MAX_NR_GENS + 1, 0); seq <= lrugen.maxSeq; seq++) {
    const born = lrugen.timestamps[genFromSeq(seq)] as number;
    generations.push({
      seq,
      ageMs: (jiffies - born) * JIFFY_MS,
      anon: sizeField(lrugen, seq, LRU_ANON),
      file: sizeField(lrugen, seq, LRU_FILE),
      tiers: Array.from({ length: MAX_NR_TIERS }, (_, tier): LruGenTier => ({
        anon: tierFields(lrugen, seq, LRU_ANON, tier),
        file: tierFields(lrugen, seq, LRU_FILE, tier),
      })),
      mmStats: Array.from({ length: NR_MM_STATS }, (_, i) => statField(lruvec, seq, i)),
    });
  }
  return { node: lruvec.node, generations };
}

/** Pages of a generation, negative zones counted as 0; `x` below min_seq (TXT-05). */
function sizeField(lrugen: LruGenFolio, seq: number, type: number): LruGenField<SizeMark> {
  const first = (genFromSeq(seq) * 2 + type) * MAX_NR_ZONES;
  let value = 0;
  for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
    value += Math.max(lrugen.nrPages[first + zone] as number, 0);
  }
  return { value, mark: seq < (lrugen.minSeq[type] as number) ? "x" : " " };
}

/** R T at the youngest generation, r e p at the type's oldest, zeros elsewhere (TXT-07). */
function tierFields(lrugen: LruGenFolio, seq: number, type: number, tier: number): TierFields {
  const i = type * MAX_NR_TIERS + tier;
  if (seq === lrugen.maxSeq) {
    return [
      { value: lrugen.avgRefaulted[i] as number, mark: "R" },
      { value: lrugen.avgTotal[i] as number, mark: "T" },
      { value: 0, mark: "x" },
    ];
  }
  if (seq === lrugen.minSeq[type]) {
    return [
      { value: lrugen.refaulted[i] as number, mark: "r" },
      { value: lrugen.evicted[i] as number, mark: "e" },
      { value: lrugen.protected[i] as number, mark: "p" },
    ];
  }
  return [
    { value: 0, mark: "x" },
    { value: 0, mark: "x" },
    { value: 0, mark: "x" },
  ];
}

/** T Y F A at the youngest generation, zeros elsewhere (TXT-08 with NR_HIST_GENS = 1). */
function statField({ lrugen, mmState }: Lruvec, seq: number, i: number): LruGenField<StatMark> {
  return seq === lrugen.maxSeq
    ? { value: mmState.stats[i] as number, mark: STAT_LETTERS[i] as StatMark }
    : { value: 0, mark: "x" };
}
