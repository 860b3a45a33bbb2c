import type { Cpu } from "@lrugen/hardware";
import {
  LRU_UNEVICTABLE,
  type LruPolicy,
  type Lruvec,
  type Memory,
  PG_ACTIVE,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
} from "@lrugen/mm-core";

/** The active and inactive lists without judgement: what the switch needs on its other side. */
export class ClassicLists implements LruPolicy {
  readonly name = "classic";
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  addFolio(lruvec: Lruvec, folio: number, tail: boolean): boolean {
    const lru = this.account(lruvec, folio, 1);
    if (lru === LRU_UNEVICTABLE) return true;
    if (tail) this.memory.lists.addTail(lruvec.listHead + lru, folio);
    else this.memory.lists.add(lruvec.listHead + lru, folio);
    return true;
  }

  delFolio(lruvec: Lruvec, folio: number): boolean {
    if (this.account(lruvec, folio, -1) !== LRU_UNEVICTABLE) this.memory.lists.del(folio);
    return true;
  }

  beforeAdd(): void {}
  markAccessed(_cpu: Cpu): void {}
  clearRefs(): boolean {
    return false;
  }
  mmAdd(): void {}
  mmDel(): void {}
  mmMigrate(): void {}
  useMm(): void {}

  private account(lruvec: Lruvec, folio: number, sign: number): number {
    const word = this.memory.folios.flags[folio]!;
    const evictable = (word & PG_SWAPBACKED ? 0 : 2) + (word & PG_ACTIVE ? 1 : 0);
    const lru = word & PG_UNEVICTABLE ? LRU_UNEVICTABLE : evictable;
    const zone = this.memory.allocator.zoneOf(folio);
    lruvec.updateLruSize(lru, zone, sign * this.memory.folios.nrPagesOf(folio));
    return lru;
  }
}
