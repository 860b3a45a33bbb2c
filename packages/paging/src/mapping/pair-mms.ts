import type { FolioTable } from "@lrugen/mm-core";

/** Slot without an address space; Mm.id begins at 1. */
const FREE = 0;
/** Ids that fit: two of them are in one exact double. */
const MAX_IDS = 2 ** 26;
/** Mappings of one slot that fit into a byte. */
const MAX_MAPPINGS = 255;

/**
 * What MappedMms keeps, for folios of two pages, which have no third and fourth page to keep it in.
 * Only page-cache folios are that small.
 *
 * Kept in fields of the second page that nothing else uses: the ids of both slots in
 * `index[head + 1]`, their map counts in the two bytes of `memcg[head + 1]`, the bit in
 * `order[head + 1]`.
 *
 * Source: FOL-12; include/linux/rmap.h:folio_add_return_large_mapcount and its sibling.
 */
export class PairMms {
  private readonly folios: FolioTable;

  constructor(folios: FolioTable) {
    this.folios = folios;
  }

  /** All mappings of the folio belong to one address space. */
  set(folio: number, mmId: number, mappings: number): void {
    this.put(folio, 0, mmId, mappings);
    this.put(folio, 1, FREE, 0);
    this.folios.order[folio + 1] = 0;
  }

  /** `added` more mappings in an address space. The map count of the folio includes them already. */
  add(folio: number, mmId: number, added: number): void {
    const slot = this.slotOf(folio, mmId);
    if (slot >= 0) {
      this.put(folio, slot, mmId, this.mappingsIn(folio, slot) + added);
      return;
    }
    const free = this.slotOf(folio, FREE);
    if (free >= 0) this.put(folio, free, mmId, added);
    if (this.folios.mapcountOf(folio) !== added) this.folios.order[folio + 1] = 1;
  }

  /** `removed` mappings in an address space are gone, from the map count of the folio too. */
  remove(folio: number, mmId: number, removed: number): void {
    const slot = this.slotOf(folio, mmId);
    if (slot >= 0) {
      const left = this.mappingsIn(folio, slot) - removed;
      // Mappings made while no slot was free may be removed from one: never below none.
      this.put(folio, slot, left > 0 ? mmId : FREE, Math.max(0, left));
      if (left > 0) return;
    }
    const total = this.folios.mapcountOf(folio);
    if (this.mappingsIn(folio, 0) !== total && this.mappingsIn(folio, 1) !== total) return;
    this.folios.order[folio + 1] = 0;
  }

  /** folio_maybe_mapped_shared(). */
  maybeShared(folio: number): boolean {
    return this.folios.order[folio + 1] !== 0;
  }

  /** The slot of an address space, or a free one; −1 = none. */
  private slotOf(folio: number, mmId: number): number {
    if (this.idIn(folio, 0) === mmId) return 0;
    return this.idIn(folio, 1) === mmId ? 1 : -1;
  }

  private idIn(folio: number, slot: number): number {
    const ids = this.folios.index[folio + 1] as number;
    return slot === 0 ? ids % MAX_IDS : Math.floor(ids / MAX_IDS);
  }

  private mappingsIn(folio: number, slot: number): number {
    return ((this.folios.memcg[folio + 1] as number) >> (8 * slot)) & MAX_MAPPINGS;
  }

  private put(folio: number, slot: number, mmId: number, mappings: number): void {
    if (mmId >= MAX_IDS || mappings > MAX_MAPPINGS) {
      throw new RangeError(
        `address space ${mmId} maps a folio of two pages ${mappings} times, expected an id below ` +
          `${MAX_IDS} and at most ${MAX_MAPPINGS} times`,
      );
    }
    const { index, memcg } = this.folios;
    const other = this.idIn(folio, 1 - slot);
    index[folio + 1] = slot === 0 ? mmId + other * MAX_IDS : other + mmId * MAX_IDS;
    const kept = (memcg[folio + 1] as number) & (slot === 0 ? MAX_MAPPINGS << 8 : MAX_MAPPINGS);
    memcg[folio + 1] = kept | (mappings << (8 * slot));
  }
}
