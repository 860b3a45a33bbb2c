import type { FolioTable } from "@lrugen/mm-core";
import { PairMms } from "./pair-mms.ts";

/** Slot without an address space; Mm.id begins at 1. */
const FREE = 0;

/**
 * Which address spaces map a large folio: two slots and a "maybe mapped shared" bit, as the kernel
 * keeps them. The bit is exact for two address spaces. A third one is not tracked, so once it is the
 * only one left, the folio still counts as shared; that decides whether a write copies (FLT-54).
 *
 * Kept in fields that tail pages do not use otherwise: ids in `mapping[head + 2]` and
 * `mapping[head + 3]`, map counts in `refcount` there, the bit in `prev[head + 2]`. A folio of two
 * pages has no such tails and is left to PairMms.
 *
 * Source: FOL-12; include/linux/rmap.h:folio_add_return_large_mapcount and its sibling.
 */
export class MappedMms {
  private readonly folios: FolioTable;
  private readonly pairs: PairMms;

  constructor(folios: FolioTable) {
    this.folios = folios;
    this.pairs = new PairMms(folios);
  }

  /** A folio that was not mapped before: all its mappings belong to one address space. */
  set(folio: number, mmId: number, mappings: number): void {
    if (this.isPair(folio)) {
      this.pairs.set(folio, mmId, mappings);
      return;
    }
    const { mapping, refcount, prev } = this.folios;
    mapping[folio + 2] = mmId;
    refcount[folio + 2] = mappings;
    mapping[folio + 3] = FREE;
    refcount[folio + 3] = 0;
    prev[folio + 2] = 0;
  }

  /** `added` more mappings in an address space. The map count of the folio includes them already. */
  add(folio: number, mmId: number, added: number): void {
    if (this.isPair(folio)) {
      this.pairs.add(folio, mmId, added);
      return;
    }
    const { mapping, refcount, prev } = this.folios;
    if (mapping[folio + 2] === mmId) refcount[folio + 2]! += added;
    else if (mapping[folio + 3] === mmId) refcount[folio + 3]! += added;
    else if (mapping[folio + 2] === FREE) {
      mapping[folio + 2] = mmId;
      refcount[folio + 2] = added;
      if (this.folios.mapcountOf(folio) !== added) prev[folio + 2] = 1;
    } else if (mapping[folio + 3] === FREE) {
      mapping[folio + 3] = mmId;
      refcount[folio + 3] = added;
      prev[folio + 2] = 1;
    }
  }

  /** `removed` mappings in an address space are gone, from the map count of the folio too. */
  remove(folio: number, mmId: number, removed: number): void {
    if (this.isPair(folio)) {
      this.pairs.remove(folio, mmId, removed);
      return;
    }
    const { mapping, refcount, prev } = this.folios;
    const slot = this.slotOf(folio, mmId);
    if (slot !== FREE) {
      refcount[slot]! -= removed;
      if ((refcount[slot] as number) > 0) return;
      // Mappings made while no slot was free may be removed from one: never below none.
      refcount[slot] = 0;
      mapping[slot] = FREE;
    }
    const total = this.folios.mapcountOf(folio);
    if (refcount[folio + 2] === total || refcount[folio + 3] === total) prev[folio + 2] = 0;
  }

  /** folio_maybe_mapped_shared() of a large folio. */
  maybeShared(folio: number): boolean {
    if (this.isPair(folio)) return this.pairs.maybeShared(folio);
    return this.folios.prev[folio + 2] !== 0;
  }

  private isPair(folio: number): boolean {
    return this.folios.order[folio] === 1;
  }

  private slotOf(folio: number, mmId: number): number {
    const { mapping } = this.folios;
    if (mapping[folio + 2] === mmId) return folio + 2;
    return mapping[folio + 3] === mmId ? folio + 3 : FREE;
  }
}
