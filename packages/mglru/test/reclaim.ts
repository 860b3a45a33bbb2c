import type { Cpu } from "@lrugen/hardware";
import {
  type FolioBatches,
  type FolioReclaimer,
  type Memcg,
  type Memory,
  NIL,
  PG_ACTIVE,
  type ScanControl,
  type Task,
} from "@lrugen/mm-core";

/** What the test's reclaim does with a folio. */
export type Fate = "free" | "keep" | "activate";

/**
 * Reclaim of single folios as a test wants it: by default everything is freed, and leaves a shadow.
 */
export class FakeReclaimer implements FolioReclaimer {
  /** Fate of a folio; may be asked twice for one that is clean. */
  fate: (folio: number) => Fate = () => "free";
  /** Folios in the order they were processed, one list a call. */
  readonly batches: number[][] = [];
  /** Shadow of each folio that was freed. */
  readonly shadows = new Map<number, number>();
  /** Whether freed folios leave a shadow. */
  leaveShadows = true;
  /** Runs at the end of each call, before survivors are judged. */
  afterwards: () => void = () => {};
  swapPages = 1_000_000;
  balanced = false;
  /** Memcgs whose slab was shrunk. */
  readonly slab: string[] = [];
  outOfMemories = 0;
  /** Times the flushers were woken. */
  flushes = 0;
  /** Pages that each call finds dirty and not under writeback. */
  unqueuedDirty = 0;
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /** All folios processed so far. */
  get processed(): number[] {
    return this.batches.flat();
  }

  shrinkFolioList(sc: ScanControl, list: number): number {
    const { lists, folios, lru, release } = this.memory;
    const batch: number[] = [];
    const survivors: number[] = [];
    let freed = 0;
    for (let folio = lists.tail(list); folio !== NIL; folio = lists.tail(list)) {
      lists.del(folio);
      batch.push(folio);
      const pages = folios.nrPagesOf(folio);
      sc.nrScanned += pages;
      const fate = this.fate(folio);
      if (fate === "free") {
        if (this.leaveShadows) {
          this.shadows.set(folio, lru.reclaim!.evictionShadow(folio, sc.targetMemcg));
        }
        folios.refcount[folio] = 0;
        release.free(folio);
        freed += pages;
        continue;
      }
      if (fate === "activate") folios.flags[folio]! |= PG_ACTIVE;
      survivors.push(folio);
    }
    for (const folio of survivors) lists.add(list, folio);
    sc.nr.unqueuedDirty += this.unqueuedDirty;
    this.batches.push(batch);
    this.afterwards();
    return freed;
  }

  freeSwapPages(): number {
    return this.swapPages;
  }

  isEvictable(folio: number): boolean {
    return this.memory.putback.isEvictable(folio);
  }

  isBalanced(): boolean {
    return this.balanced;
  }

  shrinkSlab(_sc: ScanControl, _node: number, memcg: Memcg): void {
    this.slab.push(memcg.path);
  }

  wakeFlushers(): void {
    this.flushes += 1;
  }

  outOfMemory(): void {
    this.outOfMemories += 1;
  }
}

/** The batches this package reaches: what is activated waits for ever, what is added is on no list. */
export class FakeBatches {
  readonly activated: number[] = [];
  readonly added: number[] = [];
  drains = 0;

  activate(_cpu: Cpu, folio: number): void {
    this.activated.push(folio);
  }

  add(_task: Task, folio: number): void {
    this.added.push(folio);
    this.memory.folios.refcount[folio]! += 1;
  }

  drain(): void {
    this.drains += 1;
  }

  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  /** As the interface; the other members are not there. */
  get all(): FolioBatches {
    return this as unknown as FolioBatches;
  }
}
