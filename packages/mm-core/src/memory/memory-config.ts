import type { NodeConfig } from "../folio/zones.ts";
import { layOutZones } from "../folio/zones.ts";
import { MAX_PFN } from "../page-table/entry.ts";

/** Size of the machine. Everything is allocated once, at boot, from these numbers. */
export interface MemoryConfig {
  /** Nodes and their populated zones; see singleNode for the usual case. */
  readonly nodes: readonly NodeConfig[];
  /** Memory cgroups that may exist at a time, the root included. Default 8. */
  readonly maxMemcgs?: number;
  /**
   * Page tables in the pool, all levels. Default: enough to map every frame with PTEs twice, plus
   * 1,024.
   */
  readonly pageTables?: number;
  /** Pages of the swap device, of which the first is its header; default 0 = no swap. */
  readonly swapPages?: number;
}

/** Limits with the defaults filled in. */
export interface MemoryLimits {
  readonly pages: number;
  readonly maxMemcgs: number;
  readonly pageTables: number;
  readonly swapPages: number;
}

/**
 * A machine of one node whose memory is all in zone DMA32, as the reference guest's is.
 * @param pages memory in pages, a multiple of 1024
 */
export function singleNode(pages: number): readonly NodeConfig[] {
  return [{ zones: [{ zone: 1, pages }] }];
}

/**
 * Checks a configuration and fills its defaults in.
 * @throws RangeError naming the field, what was found and what was expected
 */
export function memoryLimits(config: MemoryConfig): MemoryLimits {
  const pages = layOutZones(config.nodes).at(-1)!.end;
  if (pages > MAX_PFN) throw new RangeError(`memory: ${pages} pages found, at most ${MAX_PFN}`);
  const maxMemcgs = config.maxMemcgs ?? 8;
  if (!Number.isInteger(maxMemcgs) || maxMemcgs < 1 || maxMemcgs > 0xffff) {
    throw new RangeError(`maxMemcgs: ${maxMemcgs} found, expected 1..65535`);
  }
  const pageTables = config.pageTables ?? Math.ceil(pages / 512) * 2 + 1024;
  if (!Number.isInteger(pageTables) || pageTables < 2 || pageTables > MAX_PFN) {
    throw new RangeError(`pageTables: ${pageTables} found, expected 2..${MAX_PFN}`);
  }
  const swapPages = config.swapPages ?? 0;
  if (!Number.isInteger(swapPages) || swapPages < 0 || swapPages > MAX_PFN) {
    throw new RangeError(`swapPages: ${swapPages} found, expected 0..${MAX_PFN}`);
  }
  return { pages, maxMemcgs, pageTables, swapPages };
}
