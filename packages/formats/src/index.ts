export { FormatError } from "./format-error.ts";
export { LruGenReader, readLruGen } from "./lru-gen-reader.ts";
export { formatLruGen, lruGenLines, type LruGenWriterOptions } from "./lru-gen-writer.ts";
export {
  isFull,
  MAX_NR_GENS,
  MAX_NR_TIERS,
  maxSeqOf,
  minSeqOf,
  type LruGenField,
  type LruGenGeneration,
  type LruGenMemcg,
  type LruGenNode,
  type LruGenTier,
  type SizeMark,
  type StatMark,
  type TierFields,
  type TierMark,
} from "./lru-gen.ts";
