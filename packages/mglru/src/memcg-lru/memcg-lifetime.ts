import type { Cpu } from "@lrugen/hardware";
import type { Memcg, Memory } from "@lrugen/mm-core";
import type { Aging } from "../aging/aging.ts";
import type { BinChooser } from "./bin-chooser.ts";
import { MEMCG_LRU_OLD, type MemcgLru } from "./memcg-lru.ts";
import { Reparent } from "./reparent.ts";

/** The parts of the policy that know memcgs. */
export interface MemcgParts {
  readonly aging: Aging;
  readonly memcgLrus: readonly MemcgLru[];
}

/**
 * What the policy does when a memcg comes and goes.
 * Source: MLRU-02, MLRU-03, REPAR-01; mm/memcontrol.c.
 */
export class MemcgLifetime {
  private readonly parts: MemcgParts;
  private readonly bins: BinChooser;
  private readonly reparent: Reparent;

  constructor(
    memory: Memory,
    parts: MemcgParts,
    bins: BinChooser,
    swappinessOf: (memcg: Memcg) => number,
  ) {
    this.parts = parts;
    this.bins = bins;
    this.reparent = new Reparent(memory, parts.aging.window, swappinessOf);
  }

  /** One draw, the same bin on all nodes (MLRU-02). */
  online(memcg: Memcg): void {
    const bin = this.bins.next();
    for (const [node, lru] of this.parts.memcgLrus.entries()) lru.online(memcg.lruvecs[node]!, bin);
  }

  /**
   * Folios to the parent, then last in line, then forgotten. Nothing of the model pins a memcg
   * without folios, so that it is released at once.
   */
  offline(cpu: Cpu, memcg: Memcg): void {
    const { memcgLrus } = this.parts;
    this.reparent.reparent(cpu, memcg);
    for (const [node, lru] of memcgLrus.entries()) lru.rotate(memcg.lruvecs[node]!, MEMCG_LRU_OLD);
    for (const [node, lru] of memcgLrus.entries()) lru.release(memcg.lruvecs[node]!);
  }
}
