import {
  LRU_ACTIVE_ANON,
  LRU_ACTIVE_FILE,
  LRU_INACTIVE_ANON,
  LRU_INACTIVE_FILE,
  LRU_UNEVICTABLE,
  type Memcg,
  type Memory,
  STATE_ITEMS,
  VMSTAT_ITEMS,
} from "@lrugen/mm-core";
import type { Counters } from "../dump/oracle-result.ts";

const PAGE_BYTES = 4096;

/** LRU sizes in the order memory.stat prints them. */
const LRU_SIZES: readonly (readonly [name: string, lru: number])[] = [
  ["inactive_anon", LRU_INACTIVE_ANON],
  ["active_anon", LRU_ACTIVE_ANON],
  ["inactive_file", LRU_INACTIVE_FILE],
  ["active_file", LRU_ACTIVE_FILE],
  ["unevictable", LRU_UNEVICTABLE],
];

/** Events in the order memory.stat prints them; the two sums are made of those before them. */
const EVENTS: readonly string[] = [
  "workingset_refault_anon",
  "workingset_refault_file",
  "workingset_activate_anon",
  "workingset_activate_file",
  "workingset_restore_anon",
  "workingset_restore_file",
  "workingset_nodereclaim",
  "pgsteal_kswapd",
  "pgsteal_direct",
  "pgsteal_khugepaged",
  "pgsteal_proactive",
  "pgscan_kswapd",
  "pgscan_direct",
  "pgscan_khugepaged",
  "pgscan_proactive",
  "pgrefill",
  "pgscan",
  "pgsteal",
  "pgfault",
  "pgmajfault",
  "pgactivate",
  "pgdeactivate",
  "pglazyfree",
  "pglazyfreed",
  "thp_fault_alloc",
  "thp_swpout",
];

const SUMS: Readonly<Record<string, readonly string[]>> = {
  pgscan: EVENTS.filter((name) => name.startsWith("pgscan_")),
  pgsteal: EVENTS.filter((name) => name.startsWith("pgsteal_")),
};

/**
 * memory.stat of a memcg and everything below it, freshly flushed: sizes in bytes, events in pages
 * or times; what is zero is left out. Only the entries that the oracle prints.
 * Source: mm/memcontrol.c:memcg_stat_format; names and order as seen on the reference kernel.
 */
export function memoryStat(memory: Memory, memcg: Memcg): Counters {
  const stat: Record<string, number> = {};
  const subtree = [...memcg.preOrder()];
  const put = (name: string, value: number): void => {
    if (value !== 0) stat[name] = value;
  };
  for (const [item, name] of STATE_ITEMS.entries()) {
    put(name, PAGE_BYTES * sum(subtree, ({ index }) => memory.states.of(item, index)));
  }
  for (const [name, lru] of LRU_SIZES) {
    const pages = sum(subtree, ({ lruvecs }) => sum(lruvecs, (lruvec) => lruvec.sizeOf(lru)));
    put(name, PAGE_BYTES * pages);
  }
  for (const name of EVENTS) {
    const parts = SUMS[name] ?? [name];
    put(
      name,
      sum(subtree, ({ vmstat }) => sum(parts, (part) => eventOf(vmstat.values, part))),
    );
  }
  return stat;
}

function eventOf(values: Float64Array, name: string): number {
  return values[VMSTAT_ITEMS.indexOf(name)] as number;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
