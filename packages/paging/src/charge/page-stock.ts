// @hot
import type { Memcg } from "@lrugen/mm-core";

/** CHG-10: pages charged at a time, and most that one slot keeps. */
export const MEMCG_CHARGE_BATCH: number = 64;
const BATCH = MEMCG_CHARGE_BATCH;
/** CHG-10. */
const NR_MEMCG_STOCK = 7;
const SLOTS = NR_MEMCG_STOCK;

/**
 * Pages that one CPU has charged in advance, by memcg.
 * Source: CHG-10..CHG-13; mm/memcontrol.c:struct memcg_stock_pcp.
 */
export class PageStock {
  private readonly owners: (Memcg | null)[] = Array.from({ length: SLOTS }, () => null);
  private readonly pages: Uint8Array = new Uint8Array(SLOTS);
  /** Slot that is evicted next when all are taken. */
  private nextVictim = 0;

  /** consume_stock(): takes `pages` pages of a memcg, all or none (CHG-11). */
  consume(memcg: Memcg, pages: number): boolean {
    if (pages > BATCH) return false;
    const slot = this.owners.indexOf(memcg);
    if (slot < 0 || (this.pages[slot] as number) < pages) return false;
    if ((this.pages[slot]! -= pages) === 0) this.owners[slot] = null;
    return true;
  }

  /** refill_stock(): keeps `pages` charged pages of a memcg, or uncharges what does not fit (CHG-12). */
  refill(memcg: Memcg, pages: number): void {
    if (pages > BATCH) {
      memcg.memory.uncharge(pages);
      return;
    }
    let slot = this.owners.indexOf(memcg);
    if (slot < 0) slot = this.takeSlot(memcg);
    const total = (this.pages[slot] as number) + pages;
    this.pages[slot] = total;
    if (total > BATCH) this.drainSlot(slot);
  }

  /** Whether pages of a memcg or of its descendants are here. */
  holds(root: Memcg): boolean {
    for (const owner of this.owners) if (owner !== null && owner.isWithin(root)) return true;
    return false;
  }

  /** drain_stock_fully(): uncharges everything. */
  drain(): void {
    for (let slot = 0; slot < SLOTS; slot++) this.drainSlot(slot);
  }

  /** Pages kept for one memcg. */
  pagesOf(memcg: Memcg): number {
    const slot = this.owners.indexOf(memcg);
    return slot < 0 ? 0 : (this.pages[slot] as number);
  }

  private takeSlot(memcg: Memcg): number {
    let slot = this.owners.indexOf(null);
    if (slot < 0) {
      slot = this.nextVictim;
      this.nextVictim = (slot + 1) % SLOTS;
      this.drainSlot(slot);
    }
    this.owners[slot] = memcg;
    return slot;
  }

  private drainSlot(slot: number): void {
    const owner = this.owners[slot] as Memcg | null;
    const pages = this.pages[slot] as number;
    this.owners[slot] = null;
    this.pages[slot] = 0;
    if (owner !== null && pages > 0) owner.memory.uncharge(pages);
  }
}
