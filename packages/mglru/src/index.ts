export { Aging, type AgingCounts } from "./aging/aging.ts";
export {
  bloomFilterBits,
  resetBloomFilter,
  testBloomFilter,
  updateBloomFilter,
} from "./aging/bloom-filter.ts";
export { GenerationWindow } from "./aging/generation-window.ts";
export { IncMinSeq } from "./aging/inc-min-seq.ts";
export {
  iterateMmList,
  iterateMmListNowalk,
  lruGenAddMm,
  lruGenDelMm,
  lruGenMigrateMm,
  lruGenUseMm,
  type NextMm,
} from "./aging/mm-list.ts";
export {
  LruGenMmWalk,
  MM_LEAF_TOTAL,
  MM_LEAF_YOUNG,
  MM_NONLEAF_ADDED,
  MM_NONLEAF_FOUND,
} from "./aging/mm-walk.ts";
export { Promotion } from "./aging/promotion.ts";
export { PageTableWalk } from "./aging/page-table-walk.ts";
export { PmdWalk } from "./aging/pmd-walk.ts";
export { PteWalk, suitableToScan } from "./aging/pte-walk.ts";
export { shouldSkipVma } from "./aging/vma-filter.ts";
export { type LruGenCommand, parseCommand, splitCommands } from "./debugfs/command-syntax.ts";
export { LruGenDebugfs } from "./debugfs/commands.ts";
export { lruGenRecords } from "./debugfs/text.ts";
export { Eviction, type EvictionParts } from "./eviction/eviction.ts";
export { FolioScan } from "./eviction/folio-scan.ts";
export { NodeReclaim, type ReclaimParts } from "./eviction/node-reclaim.ts";
export { ReclaimWalks } from "./eviction/reclaim-walks.ts";
export {
  type CtrlPos,
  positiveCtrlErr,
  readCtrlPos,
  tierLimit,
  typeToScan,
} from "./eviction/refault-balance.ts";
export {
  applyProtection,
  evictableSize,
  isSizable,
  ScanTarget,
  shouldRunAging,
} from "./eviction/scan-target.ts";
export { ShrinkLruvec } from "./eviction/shrink-lruvec.ts";
export {
  incMinSeqFeatures,
  type IncMinSeqFeatures,
  MGLRU_FEATURES,
  STOCK_FEATURES,
} from "./features.ts";
export { resetCtrlPos } from "./generation/ctrl-pos.ts";
export { GenerationLists } from "./generation/generation-lists.ts";
export * from "./generation/generation.ts";
export { References } from "./generation/references.ts";
export { LookAround } from "./look-around/look-around.ts";
export { AgeNode } from "./memcg-lru/age-node.ts";
export { type BinChooser, MEMCG_NR_BINS, RoundRobinBins } from "./memcg-lru/bin-chooser.ts";
export { MemcgLifetime, type MemcgParts } from "./memcg-lru/memcg-lifetime.ts";
export * from "./memcg-lru/memcg-lru.ts";
export { Reparent } from "./memcg-lru/reparent.ts";
export { ShrinkNode } from "./memcg-lru/shrink-node.ts";
export { MultiGenLru, type MultiGenLruOptions } from "./multi-gen-lru.ts";
export { formatEnabled, type LruGenCaps } from "./switch/caps.ts";
export { StateSwitch } from "./switch/change-state.ts";
export { kstrtouint } from "./switch/kstrto.ts";
export { LruGenSysfs } from "./switch/sysfs.ts";
export { Workingset } from "./workingset/workingset.ts";
