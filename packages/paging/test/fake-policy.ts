import type { Cpu } from "@lrugen/hardware";
import {
  type FolioTable,
  LRU_REFS_MASK,
  LRU_REFS_PGOFF,
  type LruPolicy,
  type Lruvec,
  type Memcg,
  type Memory,
  type Mm,
  PG_REFERENCED,
  PG_UNEVICTABLE,
} from "@lrugen/mm-core";

/** One list a lruvec, no generations: enough of a policy for paths that have no opinion on age. */
export class FakePolicy implements LruPolicy {
  readonly name = "fake";
  /** Address spaces that left their mm list, with what they still mapped. */
  readonly deleted: { readonly mm: Mm; readonly vmas: number }[] = [];
  private readonly memory: Memory;
  private readonly folios: FolioTable;

  constructor(memory: Memory) {
    this.memory = memory;
    this.folios = memory.folios;
  }

  addFolio(lruvec: Lruvec, folio: number): boolean {
    if (!this.isUnevictable(folio)) this.memory.lists.add(lruvec.listHead, folio);
    return true;
  }

  delFolio(_lruvec: Lruvec, folio: number): boolean {
    if (!this.isUnevictable(folio)) this.memory.lists.del(folio);
    return true;
  }

  beforeAdd(folio: number, inLruFault: boolean): void {
    if (inLruFault) this.folios.flags[folio]! |= PG_REFERENCED;
  }

  /** The first access sets PG_referenced, each further one counts up to 3. */
  markAccessed(_cpu: Cpu, folio: number): void {
    const word = this.folios.flags[folio] as number;
    if (this.isUnevictable(folio)) return;
    if ((word & PG_REFERENCED) === 0) this.folios.flags[folio] = word | PG_REFERENCED;
    else if ((word & LRU_REFS_MASK) !== LRU_REFS_MASK) {
      this.folios.flags[folio] = word + (1 << LRU_REFS_PGOFF);
    }
  }

  clearRefs(): boolean {
    return false;
  }

  mmAdd(_mm: Mm, _memcg: Memcg): void {}

  mmDel(mm: Mm): void {
    this.deleted.push({ mm, vmas: mm.vmas.length });
  }

  mmMigrate(_mm: Mm, _memcg: Memcg): void {}
  useMm(_mm: Mm): void {}

  private isUnevictable(folio: number): boolean {
    return ((this.folios.flags[folio] as number) & PG_UNEVICTABLE) !== 0;
  }
}
