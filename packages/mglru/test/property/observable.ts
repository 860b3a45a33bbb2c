import { lruGenRecords } from "../../src/index.ts";
import type { Machine } from "../machine.ts";

/** A copy of what must not depend on the series: all but list order, protected and avg_total (MINV-40). */
export function observable({ memory }: Machine): unknown {
  return {
    flags: nonZero(memory.folios.flags),
    entries: nonZero(memory.pageTables.entries),
    vmstat: [...memory.vmstat.values],
    memcgs: memory.memcgs.map((memcg) => ({
      vmstat: [...memcg!.vmstat.values],
      lruvecs: memcg!.lruvecs.map(({ lrugen, lruSize, mmState, lock }) => ({
        seqs: [lrugen.maxSeq, ...lrugen.minSeq, mmState.seq],
        sizes: [...lrugen.nrPages, ...lruSize],
        stats: [...mmState.stats],
        filters: mmState.filters.map((filter) => filter && [...filter]),
        holds: lock.acquisitions,
        refaults: [...lrugen.refaulted, ...lrugen.evicted, ...lrugen.avgRefaulted],
        lists: Array.from({ length: 40 }, (_, i) => membersOf(memory, lrugen.listHead + i)),
      })),
    })),
    text: lruGenRecords(memory.root, 0).map(({ nodes }) =>
      nodes.map(({ generations }) => generations.map(({ seq, anon, file }) => [seq, anon, file])),
    ),
  };
}

/** Places that are not 0, and what is there, one after the other. */
function nonZero(words: Int32Array): number[] {
  const found: number[] = [];
  for (let i = 0; i < words.length; i++) if (words[i] !== 0) found.push(i, words[i]!);
  return found;
}

/** The folios of a list in ascending order, so that theirs does not count. */
function membersOf({ lists }: Machine["memory"], head: number): number[] {
  return [...lists.walk(head)].toSorted((a, b) => a - b);
}
