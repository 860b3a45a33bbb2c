import type { Memory } from "@lrugen/mm-core";
import type { Charge } from "../charge/charge.ts";
import type { Filemap } from "../file/filemap.ts";
import { ShmemSwap } from "./shmem-swap.ts";
import { SwapCache } from "./swap-cache.ts";
import { SwapIn } from "./swap-in.ts";
import { Zram } from "./zram.ts";

/** Everything that swapping is made of, on one zram. */
export class Swap {
  readonly device: Zram;
  /** Slots, and the folios that cache them. */
  readonly cache: SwapCache;
  /** Reading into the swap cache. */
  readonly swapIn: SwapIn;
  /** Shared memory that is swapped out. */
  readonly shmem: ShmemSwap;

  constructor(memory: Memory, filemap: Filemap, charge: Charge) {
    this.device = new Zram(memory.swap.slots);
    this.cache = new SwapCache(memory, this.device);
    this.swapIn = new SwapIn(memory, this.cache, charge);
    this.shmem = new ShmemSwap(memory, this.cache, filemap, this.swapIn);
  }
}
