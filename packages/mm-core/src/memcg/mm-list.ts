import type { Mm } from "../address-space/mm.ts";

/** A link of a memcg's list of address spaces; the anchor has no mm. Unlinked it points at itself. */
export class MmListEntry {
  readonly mm: Mm | null;
  next: MmListEntry = this;
  prev: MmListEntry = this;

  constructor(mm: Mm | null) {
    this.mm = mm;
  }
}

/**
 * struct lru_gen_mm_list: the address spaces of one memcg, in the order they joined.
 * State only; @lrugen/mglru adds, deletes and iterates.
 * Source: MM-01, LAY-06, CSW-01.
 */
export class LruGenMmList {
  /** Where the list begins and ends. */
  readonly anchor: MmListEntry = new MmListEntry(null);

  /** Appends an unlinked entry at the tail. */
  append(entry: MmListEntry): void {
    const last = this.anchor.prev;
    entry.prev = last;
    entry.next = this.anchor;
    last.next = entry;
    this.anchor.prev = entry;
  }

  /** The address spaces from the first joined on. */
  *walk(): Generator<Mm, void, undefined> {
    for (let entry = this.anchor.next; entry !== this.anchor; entry = entry.next) {
      yield entry.mm as Mm;
    }
  }
}

/** Takes an entry off its list; it points at itself afterwards. */
export function unlinkMm(entry: MmListEntry): void {
  entry.prev.next = entry.next;
  entry.next.prev = entry.prev;
  entry.next = entry;
  entry.prev = entry;
}
