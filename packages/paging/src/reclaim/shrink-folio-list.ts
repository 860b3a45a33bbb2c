// @hot
import {
  FOLIO_BATCH_SIZE,
  type FolioLists,
  type FolioTable,
  type Memcg,
  type Memory,
  NIL,
  NR_VMSCAN_IMMEDIATE,
  PG_ACTIVE,
  PG_DIRTY,
  PG_LOCKED,
  PG_MLOCKED,
  PG_RECLAIM,
  PG_SWAPBACKED,
  PG_WRITEBACK,
  PGACTIVATE,
  PGLAZYFREED,
  type ReclaimPolicy,
  type ScanControl,
  THP_SWPOUT_FALLBACK,
} from "@lrugen/mm-core";
import type { FolioReferenced } from "../rmap/folio-referenced.ts";
import type { TryToUnmap } from "../rmap/try-to-unmap.ts";
import type { SplitFolio } from "../split/split-folio.ts";
import type { SwapCache } from "../swap/swap-cache.ts";
import { PMD_ORDER } from "../thp/thp-config.ts";
import type { Pageout } from "./pageout.ts";
import type { RemoveMapping } from "./remove-mapping.ts";

const NONE = NIL;
const BATCH_SIZE = FOLIO_BATCH_SIZE;
const HUGE_ORDER = PMD_ORDER;
const ACTIVE = PG_ACTIVE;
const DIRTY = PG_DIRTY;
const LOCKED = PG_LOCKED;
const MLOCKED = PG_MLOCKED;
const RECLAIM = PG_RECLAIM;
const SWAPBACKED = PG_SWAPBACKED;
const WRITEBACK = PG_WRITEBACK;
const COUNT_ACTIVATE = PGACTIVATE;
const COUNT_IMMEDIATE = NR_VMSCAN_IMMEDIATE;
const COUNT_LAZYFREED = PGLAZYFREED;
const COUNT_FALLBACK = THP_SWPOUT_FALLBACK;

/** What becomes of a folio: it stays, it stays and is wanted, it is free, or nothing is decided yet. */
type Outcome = "keep" | "activate" | "free" | "go on";

/** The mechanisms that free a folio. */
export interface ShrinkParts {
  readonly referenced: FolioReferenced;
  readonly unmap: TryToUnmap;
  readonly pageout: Pageout;
  readonly removeMapping: RemoveMapping;
  readonly split: SplitFolio;
  readonly swap: SwapCache;
}

/**
 * Frees what can be freed of a list of isolated folios.
 *
 * Left out, as it cannot happen here: hardware poison, pinned pages,
 * demotion, private data of file systems.
 *
 * Source: SFL-01..SFL-24, EVT-60..64; mm/vmscan.c:shrink_folio_list.
 */
export class ShrinkFolioList {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly lists: FolioLists;
  private readonly parts: ShrinkParts;
  private readonly survivors: number;
  private readonly freed: Int32Array = new Int32Array(BATCH_SIZE);
  private nrFreed = 0;

  constructor(memory: Memory, parts: ShrinkParts) {
    this.memory = memory;
    this.folios = memory.folios;
    this.lists = memory.lists;
    this.parts = parts;
    this.survivors = memory.lists.allocHeads(1);
  }

  /** See FolioReclaimer.shrinkFolioList(). */
  shrink(sc: ScanControl, list: number, ignoreReferences: boolean): number {
    const { lists, survivors } = this;
    let reclaimed = 0;
    for (let folio = lists.tail(list); folio !== NONE; folio = lists.tail(list)) {
      lists.del(folio);
      const outcome = this.shrinkFolio(sc, list, folio, ignoreReferences);
      if (outcome === "free") {
        reclaimed += this.folios.nrPagesOf(folio);
        this.free(folio);
      } else {
        if (outcome === "activate") this.activate(folio);
        lists.add(survivors, folio);
      }
    }
    this.flush();
    const first = lists.first(survivors);
    if (first !== NONE) lists.bulkMoveTail(list, first, lists.tail(survivors));
    return reclaimed;
  }

  private shrinkFolio(sc: ScanControl, list: number, folio: number, ignore: boolean): Outcome {
    const { folios, memory } = this;
    if ((folios.flags[folio] as number) & LOCKED) return "keep";
    const pages = folios.nrPagesOf(folio);
    sc.nrScanned += pages;
    if (!memory.putback.isEvictable(folio)) return "activate";
    if (!sc.mayUnmap && folios.mapcountOf(folio) > 0) return "keep";
    const queued = this.countQueued(sc, folio, pages);
    if (queued !== "go on") return queued;
    if (!ignore) {
      const verdict = this.checkReferences(sc, folio);
      if (verdict !== "reclaim") return verdict;
    }
    const given = this.giveSwap(sc, list, folio);
    const outcome = given === "go on" ? this.unmapAndWrite(sc, folio) : given;
    return outcome === "go on" ? this.takeOut(sc, folio) : outcome;
  }

  /** What a folio's I/O means for its reclaim: statistics of files (SFL-06), folios under writeback (SFL-08). */
  private countQueued(sc: ScanControl, folio: number, pages: number): Outcome {
    const { flags } = this.folios;
    const word = flags[folio] as number;
    if ((word & SWAPBACKED) === 0 && !this.isAnon(folio)) {
      if (word & (DIRTY | WRITEBACK)) sc.nr.dirty += pages;
      if ((word & (DIRTY | WRITEBACK)) === DIRTY) sc.nr.unqueuedDirty += pages;
      if (word & WRITEBACK && word & RECLAIM) sc.nr.congested += pages;
    }
    if ((word & WRITEBACK) === 0) return "go on";
    // Reclaim of cgroup v2 and of the machine never waits; the end of the writeback brings it back.
    flags[folio] = word | RECLAIM;
    sc.nr.writeback += pages;
    return "activate";
  }

  /** folio_check_references() (SFL-10, CLS-10). */
  private checkReferences(sc: ScanControl, folio: number): "keep" | "activate" | "reclaim" {
    const { referenced } = this.parts;
    const count = referenced.check(sc.task.cpu, folio, sc.targetMemcg);
    const policy = this.memory.lru.reclaim as ReclaimPolicy;
    return policy.checkReferences(folio, count, referenced.vmaFlags);
  }

  /** Anonymous memory needs swap slots; a large folio that gets none in a row is split (SFL-12). */
  private giveSwap(sc: ScanControl, list: number, folio: number): Outcome {
    const { folios, memory } = this;
    const { split, swap } = this.parts;
    const word = folios.flags[folio] as number;
    if ((word & SWAPBACKED) === 0 || !this.isAnon(folio) || swap.has(folio)) return "go on";
    const pages = folios.nrPagesOf(folio);
    if (pages > 1) {
      if (folios.expectedRefCountOf(folio) !== (folios.refcount[folio] as number) - 1)
        return "activate";
      const { deferredSplit } = memory;
      if (deferredSplit.isQueued(folio) && deferredSplit.isPartiallyMapped(folio)) {
        if (split.split(sc.task.cpu, folio, list) !== 0) return "activate";
      }
    }
    const outcome = this.allocSwap(sc, list, folio);
    if (pages > 1 && !folios.isLarge(folio)) sc.nrScanned -= pages - 1;
    return outcome;
  }

  private allocSwap(sc: ScanControl, list: number, folio: number): Outcome {
    const { folios } = this;
    const { split, swap } = this.parts;
    if (swap.allocSwap(folio) !== 0) {
      if (!folios.isLarge(folio)) return "activate";
      const huge = folios.order[folio] === HUGE_ORDER;
      if (split.split(sc.task.cpu, folio, list) !== 0) return "activate";
      if (huge) this.memory.countEvents(COUNT_FALLBACK, this.memcgOf(folio), 1);
      if (swap.allocSwap(folio) !== 0) return "activate";
    }
    folios.flags[folio]! |= DIRTY;
    return "go on";
  }

  /** SFL-13..SFL-17. */
  private unmapAndWrite(sc: ScanControl, folio: number): Outcome {
    const { folios } = this;
    const { flags } = folios;
    if (folios.mapcountOf(folio) > 0) {
      this.parts.unmap.unmap(sc.task.cpu, folio, false);
      if (folios.mapcountOf(folio) > 0) return "activate";
    }
    const word = flags[folio] as number;
    if ((word & DIRTY) === 0) return "go on";
    if ((word & SWAPBACKED) === 0) {
      this.memory.countEvents(COUNT_IMMEDIATE, this.memcgOf(folio), folios.nrPagesOf(folio));
      flags[folio] = word | RECLAIM;
      return "activate";
    }
    if (!sc.mayWritepage) return "keep";
    const result = this.parts.pageout.write(folio);
    if (result === "keep" || result === "activate") return result;
    return (flags[folio] as number) & (DIRTY | WRITEBACK) ? "keep" : "go on";
  }

  /** The folio is clean and unmapped: it is freed, unless somebody holds it (SFL-19, SFL-20). */
  private takeOut(sc: ScanControl, folio: number): Outcome {
    const { folios } = this;
    if (this.isAnon(folio) && ((folios.flags[folio] as number) & SWAPBACKED) === 0) {
      if (folios.refcount[folio] !== 1) return "keep";
      folios.refcount[folio] = 0;
      this.memory.countEvents(COUNT_LAZYFREED, this.memcgOf(folio), folios.nrPagesOf(folio));
      return "free";
    }
    return this.parts.removeMapping.remove(sc.task.cpu, folio, sc.targetMemcg) ? "free" : "keep";
  }

  /** activate_locked: back to the young end, unless it is mlocked; slots that are scarce are given back. */
  private activate(folio: number): void {
    const { flags } = this.folios;
    const { swap } = this.parts;
    const word = flags[folio] as number;
    const memcg = this.memcgOf(folio);
    if (swap.has(folio) && (word & MLOCKED || swap.isFullFor(memcg))) swap.freeSwap(folio);
    if (word & MLOCKED) return;
    flags[folio]! |= ACTIVE;
    this.memory.countEvents(COUNT_ACTIVATE, memcg, this.folios.nrPagesOf(folio));
  }

  /** SFL-21: freed folios are uncharged and given back 31 at a time. */
  private free(folio: number): void {
    this.memory.deferredSplit.remove(folio);
    this.freed[this.nrFreed++] = folio;
    if (this.nrFreed === BATCH_SIZE) this.flush();
  }

  private flush(): void {
    for (let i = 0; i < this.nrFreed; i++) this.memory.release.free(this.freed[i] as number);
    this.nrFreed = 0;
  }

  private isAnon(folio: number): boolean {
    return ((this.folios.mapping[folio] as number) & 1) !== 0;
  }

  private memcgOf(folio: number): Memcg {
    return this.memory.memcgs[this.folios.memcg[folio] as number] as Memcg;
  }
}
