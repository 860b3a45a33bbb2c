// @hot
import {
  type FolioTable,
  type Lruvec,
  type Memory,
  PG_ACTIVE,
  PG_DIRTY,
  PG_RECLAIM,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_UNEVICTABLE,
  PG_WRITEBACK,
  PGACTIVATE,
  PGDEACTIVATE,
  PGLAZYFREE,
  PGROTATED,
  UNEVICTABLE_PGCULLED,
  UNEVICTABLE_PGRESCUED,
} from "@lrugen/mm-core";
import {
  LRU_ACTIVATE,
  LRU_ADD,
  LRU_DEACTIVATE,
  LRU_DEACTIVATE_FILE,
  LRU_LAZYFREE,
} from "./batch-kinds.ts";
import { folioEvictable } from "./evictable.ts";

const ACTIVE = PG_ACTIVE;
const UNEVICTABLE = PG_UNEVICTABLE;
const REFERENCED = PG_REFERENCED;
const SWAPBACKED = PG_SWAPBACKED;
const SWAPCACHE = PG_SWAPCACHE;
const BUSY = PG_DIRTY | PG_WRITEBACK;
const RECLAIM = PG_RECLAIM;
const ADD = LRU_ADD;
const ACTIVATE = LRU_ACTIVATE;
const DEACTIVATE = LRU_DEACTIVATE;
const DEACTIVATE_FILE = LRU_DEACTIVATE_FILE;
const LAZYFREE = LRU_LAZYFREE;
const evictable = folioEvictable;
const ACTIVATED = PGACTIVATE;
const DEACTIVATED = PGDEACTIVATE;
const LAZYFREED = PGLAZYFREE;
const ROTATED = PGROTATED;
const CULLED = UNEVICTABLE_PGCULLED;
const RESCUED = UNEVICTABLE_PGRESCUED;

/**
 * What a drain does to each folio, by batch. The caller holds the lock of the folio's lruvec and has
 * cleared PG_lru. A folio is taken off its list, its flags are changed and it is added again: where it
 * lands is decided now, by the policy, from the flags of this moment (BATCH-24).
 * Source: BATCH-22, BATCH-23, REF-21..26; mm/folio.c.
 */
export class LruMoves {
  private readonly memory: Memory;
  private readonly folios: FolioTable;

  constructor(memory: Memory) {
    this.memory = memory;
    this.folios = memory.folios;
  }

  /** Calls the move function of a batch kind. */
  apply(kind: number, lruvec: Lruvec, folio: number): void {
    if (kind === ADD) this.add(lruvec, folio);
    else if (kind === ACTIVATE) this.activate(lruvec, folio);
    else if (kind === DEACTIVATE) this.deactivate(lruvec, folio);
    else if (kind === DEACTIVATE_FILE) this.deactivateFile(lruvec, folio);
    else if (kind === LAZYFREE) this.lazyFree(lruvec, folio);
    else this.moveTail(lruvec, folio);
  }

  /** lru_add(): an unevictable folio is culled, one that was unevictable before is rescued. */
  private add(lruvec: Lruvec, folio: number): void {
    const { memory } = this;
    const { flags, prev } = this.folios;
    const word = flags[folio] as number;
    if (evictable(this.folios, folio)) {
      flags[folio] = word & ~UNEVICTABLE;
      if (word & UNEVICTABLE) {
        memory.vmstat.add(RESCUED, this.folios.nrPagesOf(folio));
      }
    } else {
      flags[folio] = (word & ~ACTIVE) | UNEVICTABLE;
      // mlock_count shares the link slot, free while a folio is only counted (FOL-05).
      prev[folio] = 0;
      if ((word & UNEVICTABLE) === 0) {
        memory.vmstat.add(CULLED, this.folios.nrPagesOf(folio));
      }
    }
    memory.lru.addFolio(lruvec, folio, false);
  }

  /** lru_activate(). */
  private activate(lruvec: Lruvec, folio: number): void {
    const { memory } = this;
    const { flags } = this.folios;
    if ((flags[folio] as number) & (ACTIVE | UNEVICTABLE)) return;
    memory.lru.delFolio(lruvec, folio);
    flags[folio]! |= ACTIVE;
    memory.lru.addFolio(lruvec, folio, false);
    memory.countEvents(ACTIVATED, lruvec.memcg, this.folios.nrPagesOf(folio));
  }

  /** lru_deactivate(). */
  private deactivate(lruvec: Lruvec, folio: number): void {
    const { memory } = this;
    const { lru } = memory;
    const { flags } = this.folios;
    const word = flags[folio] as number;
    if (word & UNEVICTABLE || !(word & ACTIVE || lru.coreEnabled)) return;
    lru.delFolio(lruvec, folio);
    flags[folio]! &= ~(ACTIVE | REFERENCED);
    lru.addFolio(lruvec, folio, false);
    memory.countEvents(DEACTIVATED, lruvec.memcg, this.folios.nrPagesOf(folio));
  }

  /** lru_deactivate_file(): a clean folio goes to the tail, one that needs writing is marked PG_reclaim. */
  private deactivateFile(lruvec: Lruvec, folio: number): void {
    const { memory } = this;
    const { lru } = memory;
    const { flags } = this.folios;
    const word = flags[folio] as number;
    if (word & UNEVICTABLE || this.folios.mapcountOf(folio) > 0) return;
    const pages = this.folios.nrPagesOf(folio);
    lru.delFolio(lruvec, folio);
    flags[folio]! &= ~(ACTIVE | REFERENCED);
    if (word & BUSY) {
      lru.addFolio(lruvec, folio, false);
      // After the add: PG_reclaim must not influence the placement (REF-23).
      flags[folio]! |= RECLAIM;
    } else {
      lru.addFolio(lruvec, folio, true);
      memory.vmstat.add(ROTATED, pages);
    }
    if (word & ACTIVE || lru.coreEnabled) memory.countEvents(DEACTIVATED, lruvec.memcg, pages);
  }

  /** lru_lazyfree(): the folio becomes file type. */
  private lazyFree(lruvec: Lruvec, folio: number): void {
    const { memory } = this;
    const { lru } = memory;
    const { flags, mapping } = this.folios;
    const word = flags[folio] as number;
    if (((mapping[folio] as number) & 1) === 0) return;
    if ((word & (SWAPBACKED | SWAPCACHE | UNEVICTABLE)) !== SWAPBACKED) return;
    lru.delFolio(lruvec, folio);
    flags[folio]! &= ~ACTIVE;
    // Off the generation lists by now, so under MGLRU this forgets nothing (REF-24).
    if (lru.coreEnabled) lru.mglru.clearRefs(lruvec, folio);
    else flags[folio]! &= ~REFERENCED;
    flags[folio]! &= ~SWAPBACKED;
    lru.addFolio(lruvec, folio, false);
    memory.countEvents(LAZYFREED, lruvec.memcg, this.folios.nrPagesOf(folio));
  }

  /** lru_move_tail(). */
  private moveTail(lruvec: Lruvec, folio: number): void {
    const { memory } = this;
    const { flags } = this.folios;
    if ((flags[folio] as number) & UNEVICTABLE) return;
    memory.lru.delFolio(lruvec, folio);
    flags[folio]! &= ~ACTIVE;
    memory.lru.addFolio(lruvec, folio, true);
    memory.vmstat.add(ROTATED, this.folios.nrPagesOf(folio));
  }
}
