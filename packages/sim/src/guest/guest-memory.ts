import type { Memory, NodeConfig } from "@lrugen/mm-core";
import type { ScenarioOptions } from "../scenario/scenario.ts";

const PAGE_BYTES = 4096;
/** Zones are made of whole buddy blocks. */
const BLOCK_PAGES = 1024;
/** Kernel zone ids. */
const DMA32 = 1;
const MOVABLE = 3;

/** What boot takes, struct pages (1 in 64) aside; and memory from which on it is taken. */
const BOOT_PAGES = 32_900;
const LEAST_GUEST_PAGES = 65_536;
/** Blocks of that which the harness's own buffers have: they are user memory, so in zone Movable. */
const HARNESS_BLOCKS = 15;

/** How much memory a guest has, and where. */
export type GuestMemory = Pick<ScenarioOptions, "memBytes"> &
  Partial<Pick<ScenarioOptions, "movableBytes" | "numa">>;

/** The memory in equal parts on the nodes, zone Movable in equal parts at the end of each. */
export function guestNodes({ memBytes, movableBytes = 0, numa = 1 }: GuestMemory): NodeConfig[] {
  const blocks = share(memBytes / PAGE_BYTES / BLOCK_PAGES, numa);
  const movable = share(movableBytes / PAGE_BYTES / BLOCK_PAGES, numa);
  return blocks.map((all, node) => {
    const last = Math.min(movable[node] as number, all - 1);
    const zones = [{ zone: DMA32, pages: (all - last) * BLOCK_PAGES }];
    if (last > 0) zones.push({ zone: MOVABLE, pages: last * BLOCK_PAGES });
    return { zones };
  });
}

/**
 * Takes what the reference guest has in use when the harness starts: the kernel, its struct pages,
 * the harness with its locked memory and the RAM disk; 34,440 pages of 384 MiB. A guest too small to
 * boot for real has all of its memory. In which zone the last page goes is not exact.
 */
export function takeBootMemory(memory: Memory, guest: GuestMemory): void {
  const pages = guest.memBytes / PAGE_BYTES;
  if (pages < LEAST_GUEST_PAGES) return;
  const blocks = Math.round((BOOT_PAGES + pages / 64) / BLOCK_PAGES);
  const { zones } = memory.allocator;
  const movable = zones.find(({ zone }) => zone === MOVABLE);
  const spare = movable === undefined ? 0 : (movable.end - movable.start) / BLOCK_PAGES - 1;
  const buffers = Math.min(HARNESS_BLOCKS, spare);
  if (buffers > 0) memory.reserve(buffers, MOVABLE);
  memory.reserve(blocks - buffers, DMA32);
}

/** `total` in `parts` nearly equal whole numbers. */
function share(total: number, parts: number): number[] {
  return Array.from(
    { length: parts },
    (_, i) => Math.floor(((i + 1) * total) / parts) - Math.floor((i * total) / parts),
  );
}
