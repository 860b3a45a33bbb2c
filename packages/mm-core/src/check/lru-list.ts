import { LRU_ANON, LRU_FILE } from "../folio/folio-flags.ts";
import { MAX_NR_ZONES, ZONE_NAMES } from "../folio/zones.ts";
import { ANON_AND_FILE, MAX_NR_GENS } from "../lru/lru-gen-folio.ts";
import {
  LRU_ACTIVE_ANON,
  LRU_ACTIVE_FILE,
  LRU_INACTIVE_ANON,
  LRU_INACTIVE_FILE,
  type Lruvec,
} from "../lru/lruvec.ts";
import type { Memory } from "../memory/memory.ts";

/** Names of the two types, by index. */
export const TYPE_NAMES: readonly string[] = ["anon", "file"];

/** Names of the classic list indices, as /proc/vmstat spells them (FOL-04). */
export const LRU_NAMES: readonly string[] = [
  "inactive_anon",
  "active_anon",
  "inactive_file",
  "active_file",
  "unevictable",
];

/** One list of one lruvec. */
export interface LruList {
  readonly lruvec: Lruvec;
  readonly head: number;
  /** LRU_ANON or LRU_FILE. */
  readonly type: number;
  /** Generation slot 0..3 and kernel zone id of a multi-gen list; null on a classic one. */
  readonly generation: { readonly gen: number; readonly zone: number } | null;
  /** The active one of the two classic lists; false on multi-gen ones. */
  readonly active: boolean;
  /** `memcg /a node 0 gen 1 anon DMA32`, `memcg / node 0 active_file`. */
  readonly name: string;
}

/** `memcg /a node 0`. */
export function lruvecName({ memcg, node }: Lruvec): string {
  return `memcg ${memcg.path} node ${node}`;
}

/** Every lruvec of the machine, by memcg index and node. */
export function lruvecsOf(memory: Memory): Lruvec[] {
  return memory.memcgs.flatMap((memcg) => memcg?.lruvecs ?? []);
}

/** Those that folios may be linked to: of removed memcgs too (REPAR-03). */
export function linkedLruvecsOf(memory: Memory): Lruvec[] {
  return [...lruvecsOf(memory), ...memory.lruvecHeads.abandonedLruvecs()];
}

/** The lists of a lruvec: the multi-gen ones in [gen][type][zone] order, then the classic ones. */
export function lruListsOf(lruvec: Lruvec): LruList[] {
  const lists: LruList[] = [];
  const owner = lruvecName(lruvec);
  for (let gen = 0; gen < MAX_NR_GENS; gen++) {
    for (let type = LRU_ANON; type <= LRU_FILE; type++) {
      for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
        const slot = (gen * ANON_AND_FILE + type) * MAX_NR_ZONES + zone;
        const head = lruvec.lrugen.listHead + slot;
        const name = `${owner} gen ${gen} ${TYPE_NAMES[type]} ${ZONE_NAMES[zone]}`;
        lists.push({ lruvec, head, type, generation: { gen, zone }, active: false, name });
      }
    }
  }
  for (const lru of [LRU_INACTIVE_ANON, LRU_ACTIVE_ANON, LRU_INACTIVE_FILE, LRU_ACTIVE_FILE]) {
    const type = lru < LRU_INACTIVE_FILE ? LRU_ANON : LRU_FILE;
    const active = lru === LRU_ACTIVE_ANON || lru === LRU_ACTIVE_FILE;
    const name = `${owner} ${LRU_NAMES[lru]}`;
    lists.push({ lruvec, head: lruvec.listHead + lru, type, generation: null, active, name });
  }
  return lists;
}
