export { AnonVma, AnonVmas } from "./address-space/anon-vma.ts";
export { Mm } from "./address-space/mm.ts";
export { Rmap } from "./address-space/rmap.ts";
export { type MappedFile, Vma } from "./address-space/vma.ts";
export * from "./address-space/vma-flags.ts";
export * from "./errno.ts";
export { type FeatureDescriptor } from "./feature.ts";
export { type FolioFlags, LRU_ANON, LRU_FILE } from "./folio/folio-flags.ts";
export { DeferredSplit } from "./folio/deferred-split.ts";
export { FolioLists } from "./folio/folio-lists.ts";
export { FILE_CONTENTS, FolioTable, NIL } from "./folio/folio-table.ts";
export { allocatorHeads, PageAllocator } from "./folio/page-allocator.ts";
export * from "./folio/page-flags.ts";
export {
  layOutZones,
  MAX_NR_ZONES,
  MAX_PAGE_ORDER,
  type NodeConfig,
  type Zone,
  ZONE_NAMES,
  type ZoneConfig,
} from "./folio/zones.ts";
export { Clock, JIFFY_MS } from "./interfaces/clock.ts";
export type { EventSink, FolioEvent } from "./interfaces/event-sink.ts";
export type { FolioBatches } from "./interfaces/folio-batches.ts";
export { LruPolicies, type LruPolicy } from "./interfaces/lru-policy.ts";
export type { MultiGenReclaim, ReclaimPolicy } from "./interfaces/reclaim-policy.ts";
export type { MmuNotifier } from "./interfaces/mmu-notifier.ts";
export type { SwapDevice } from "./interfaces/swap-device.ts";
export {
  ANON_AND_FILE,
  LruGenFolio,
  MAX_NR_GENS,
  MAX_NR_TIERS,
  MIN_NR_GENS,
} from "./lru/lru-gen-folio.ts";
export { LruGenMmState, NR_BLOOM_FILTERS, NR_MM_STATS } from "./lru/lru-gen-mm-state.ts";
export {
  LRU_ACTIVE_ANON,
  LRU_ACTIVE_FILE,
  LRU_INACTIVE_ANON,
  LRU_INACTIVE_FILE,
  LRU_UNEVICTABLE,
  Lruvec,
  LRUVEC_HEADS,
  NR_LRU_LISTS,
} from "./lru/lruvec.ts";
export { ageNonresident } from "./lru/nonresident-age.ts";
export { Memcg } from "./memcg/memcg.ts";
export * from "./memcg/memcg-events.ts";
export { PAGE_COUNTER_MAX, PageCounter } from "./memcg/page-counter.ts";
export { calculateProtection, isBelowLow, isBelowMin } from "./memcg/protection.ts";
export { LruGenMmList, MmListEntry, unlinkMm } from "./memcg/mm-list.ts";
export { FOLIO_BATCH_SIZE, FolioRelease } from "./memory/folio-release.ts";
export { LruPutback } from "./memory/lru-putback.ts";
export { Memory } from "./memory/memory.ts";
export {
  type MemoryConfig,
  type MemoryLimits,
  memoryLimits,
  singleNode,
} from "./memory/memory-config.ts";
export { FOLIO_LAYOUT } from "./memory/struct-layouts.ts";
export { Task } from "./memory/task.ts";
export { FileMapping, type FileOptions } from "./page-cache/file-mapping.ts";
export { OpenFile } from "./page-cache/open-file.ts";
export { PageCache } from "./page-cache/page-cache.ts";
export { PAGE_CACHE_NODE_SLOTS, PageCacheNodes } from "./page-cache/page-cache-nodes.ts";
export * from "./page-table/entry.ts";
export { NotModelledError } from "./not-modelled.ts";
export { NO_ENTRY, PageTables } from "./page-table/page-tables.ts";
export * from "./stat/state-counters.ts";
export { NO_SLOT } from "./swap/swap-clusters.ts";
export { SwapTable } from "./swap/swap-table.ts";
export { packShadow, type Shadow, SHADOW_TOKENS, unpackShadow } from "./reclaim/shadow.ts";
export type { FolioMapping, FolioReclaimer, ReferenceVerdict } from "./reclaim/folio-reclaimer.ts";
export {
  DEF_PRIORITY,
  ScanControl,
  type ScanCounts,
  type ScanRequest,
  SWAP_CLUSTER_MAX,
} from "./reclaim/scan-control.ts";
export { VmStat } from "./stat/vmstat.ts";
export * from "./stat/vmstat-items.ts";
