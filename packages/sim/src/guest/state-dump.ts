import { bloomFilterBits, folioLruGen } from "@lrugen/mglru";
import { LRU_BATCH_NAMES } from "@lrugen/lru-cache";
import {
  type FileMapping,
  type LruGenFolio,
  LRU_REFS_MASK,
  LRU_REFS_PGOFF,
  type Lruvec,
  MAX_NR_GENS,
  MAX_NR_TIERS,
  MAX_NR_ZONES,
  NotModelledError,
  VMSTAT_ITEMS,
  ZONE_NAMES,
} from "@lrugen/mm-core";
import { FolioRunEncoder } from "../dump/folio-runs.ts";
import type {
  ByType,
  Counters,
  Dump,
  DumpBatch,
  DumpList,
  DumpProc,
  FolioRun,
} from "../dump/oracle-result.ts";
import type { Guest } from "./guest.ts";
import { memcgEvents } from "./memcg-files.ts";
import { dumpRegion } from "./region-dump.ts";

const TYPES = ["anon", "file"] as const;
const CLASSIC_NAMES = ["inactive_anon", "active_anon", "inactive_file", "active_file"] as const;

/**
 * Everything the oracle prints for a `dump` line, read from the model without changing it.
 * @param node whose lists
 * @param baseline vmstat values that count as zero
 * @param sizes leave lists, batches and regions out
 */
export function dumpState(
  guest: Guest,
  node: number,
  baseline: Float64Array,
  sizes: boolean,
): Dump {
  const lruvec = guest.memcg.lruvecs[node];
  if (lruvec === undefined)
    throw new NotModelledError(`a dump of node ${node}, which is not there`);
  const { lrugen, mmState } = lruvec;
  return {
    max_seq: lrugen.maxSeq,
    min_seq: [...lrugen.minSeq],
    enabled: lrugen.enabled ? 1 : 0,
    memcg_gen: lrugen.gen,
    memcg_seg: lrugen.seg,
    nr_pages: byType((type) => generationSizes(lrugen, type)),
    tiers: {
      _: "[tier0..3]",
      avg_refaulted: byTier(lrugen.avgRefaulted),
      avg_total: byTier(lrugen.avgTotal),
      refaulted: byTier(lrugen.refaulted),
      evicted: byTier(lrugen.evicted),
      protected: byTier(lrugen.protected),
    },
    mm_state: {
      seq: mmState.seq,
      stats_TYFA: [...mmState.stats],
      bloom_bits: mmState.filters.map((filter) => (filter ? bloomFilterBits(filter) : null)),
    },
    lists: sizes ? [] : generationLists(guest, lrugen),
    classic: sizes ? {} : classicLists(guest, lruvec),
    batches: sizes ? {} : batches(guest),
    procs: procs(guest, sizes),
    "memory.events": memcgEvents(guest),
    vmstat_delta: vmstatDelta(guest, baseline),
  };
}

function byType(of: (type: number) => readonly number[]): ByType {
  return { anon: of(0), file: of(1) };
}

function byTier(values: Float64Array): ByType {
  return byType((type) => [...values.subarray(type * MAX_NR_TIERS, (type + 1) * MAX_NR_TIERS)]);
}

function generationSizes(lrugen: LruGenFolio, type: number): number[] {
  return Array.from({ length: MAX_NR_GENS }, (_, gen) => {
    const first = (gen * 2 + type) * MAX_NR_ZONES;
    return lrugen.nrPages.subarray(first, first + MAX_NR_ZONES).reduce((sum, n) => sum + n, 0);
  });
}

/** Every non-empty generation list, by type, sequence number and zone. */
function generationLists(guest: Guest, lrugen: LruGenFolio): DumpList[] {
  const lists: DumpList[] = [];
  for (const [type, name] of TYPES.entries()) {
    for (let seq = Math.max(lrugen.maxSeq - 3, 0); seq <= lrugen.maxSeq; seq++) {
      for (let zone = 0; zone < MAX_NR_ZONES; zone++) {
        const gen = seq % MAX_NR_GENS;
        const head = lrugen.listHead + (gen * 2 + type) * MAX_NR_ZONES + zone;
        const { folios, pages } = listRuns(guest, head);
        if (pages === 0) continue;
        lists.push({ type: name, seq, gen, zone: ZONE_NAMES[zone] as string, folios, pages });
      }
    }
  }
  return lists;
}

function classicLists(guest: Guest, { listHead }: Lruvec): Record<string, FolioRun[]> {
  const lists: Record<string, FolioRun[]> = {};
  for (const [i, name] of CLASSIC_NAMES.entries()) {
    const { folios, pages } = listRuns(guest, listHead + i);
    if (pages > 0) lists[name] = folios;
  }
  return lists;
}

function listRuns(guest: Guest, head: number): { folios: FolioRun[]; pages: number } {
  const { lists, folios } = guest.system.memory;
  const encoder = new FolioRunEncoder();
  let pages = 0;
  for (const folio of lists.walk(head)) {
    addFolio(guest, encoder, folio);
    pages += folios.nrPagesOf(folio);
  }
  return { folios: encoder.finish(), pages };
}

function batches(guest: Guest): Record<string, DumpBatch> {
  const found: Record<string, DumpBatch> = {};
  for (const { id } of guest.system.hw.cpus) {
    for (const name of LRU_BATCH_NAMES) {
      const slots = guest.system.batches.slots(id, name);
      if (slots.length === 0) continue;
      const encoder = new FolioRunEncoder();
      for (const folio of slots) addFolio(guest, encoder, folio);
      found[`cpu${id}.${name}`] = { nr: slots.length, folios: encoder.finish() };
    }
  }
  return found;
}

/** A folio as the oracle names it: by region and the page of the region it was first mapped at. */
function addFolio(guest: Guest, encoder: FolioRunEncoder, folio: number): void {
  const { folios } = guest.system.memory;
  const flags = folios.flags[folio] as number;
  const order = folios.isLarge(folio) ? (folios.order[folio] as number) : 0;
  const refs = (flags & LRU_REFS_MASK) >>> LRU_REFS_PGOFF;
  const { name, index } = identity(guest, folio);
  encoder.add(name, index, order, folioLruGen(flags), refs, flags);
}

/** Name and page: of the region an anonymous folio was first mapped in, or of its file. */
function identity(guest: Guest, folio: number): { name: string; index: number } {
  const { memory } = guest.system;
  const index = memory.folios.index[folio] as number;
  const mapping = memory.folios.mapping[folio] as number;
  if (mapping === 0) return { name: "?nomapping", index };
  if ((mapping & 1) === 0) return { name: fileName(guest, memory.fileOf(folio)), index };
  const region = guest.regions.find(({ start, pages }) => index >= start && index < start + pages);
  return region === undefined
    ? { name: "?anon", index }
    : { name: region.name, index: index - region.start };
}

/** A file by its own name, shared memory by that of its region. */
function fileName(guest: Guest, file: FileMapping | null): string {
  if (file === null) return "?nomapping";
  return file.shmem
    ? (guest.regions.find((region) => region.file === file)?.name ?? "?")
    : file.name;
}

function procs(guest: Guest, sizes: boolean): Record<string, DumpProc> {
  const { memory } = guest.system;
  const found: Record<string, DumpProc> = {};
  for (const { name, mm } of guest.workers) {
    const regions = sizes ? [] : guest.regions;
    found[name] = {
      mm_used: mm.lruGenBitmap & 1,
      minflt: mm.minorFaults,
      majflt: mm.majorFaults,
      regions: Object.fromEntries(
        regions.map((region) => [region.name, dumpRegion(memory, mm, region)]),
      ),
    };
  }
  return found;
}

/** Counters that the oracle does not ask for. */
const NOT_PRINTED: ReadonlySet<string> = new Set([
  "pgfault",
  "pgmajfault",
  "swpin_zero",
  "swpout_zero",
]);

function vmstatDelta(guest: Guest, baseline: Float64Array): Counters {
  const { values } = guest.system.memory.vmstat;
  const delta: Record<string, number> = {};
  for (const [id, name] of VMSTAT_ITEMS.entries()) {
    const change = (values[id] as number) - (baseline[id] as number);
    if (change !== 0 && !NOT_PRINTED.has(name)) delta[name] = change;
  }
  return delta;
}
