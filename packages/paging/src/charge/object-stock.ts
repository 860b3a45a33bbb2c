import type { Memcg } from "@lrugen/mm-core";

/** CHG-41. */
const NR_OBJ_STOCK = 5;
const PAGE_BYTES = 4096;

/** Where an object stock gets whole pages from and gives them back to. */
export interface ObjectPages {
  /** obj_cgroup_uncharge_pages(): whole pages of a memcg are not needed any more. */
  uncharge(memcg: Memcg, pages: number): void;
}

/**
 * Bytes of charged pages that one CPU has left over, by memcg: small kernel objects take from them.
 * Source: CHG-41; mm/memcontrol.c:struct obj_stock_pcp.
 */
export class ObjectStock {
  private readonly owners: (Memcg | null)[] = Array.from({ length: NR_OBJ_STOCK }, () => null);
  private readonly bytes: Float64Array = new Float64Array(NR_OBJ_STOCK);
  private readonly pages: ObjectPages;
  /** Bytes below a page that drained slots left, by memcg (objcg.nr_charged_bytes). */
  private readonly central: Map<Memcg, number>;
  private nextVictim = 0;

  /** @param central shared by the stocks of all CPUs */
  constructor(pages: ObjectPages, central: Map<Memcg, number>) {
    this.pages = pages;
    this.central = central;
  }

  /** consume_obj_stock(): takes `bytes`, all or none. */
  consume(memcg: Memcg, bytes: number): boolean {
    const slot = this.owners.indexOf(memcg);
    if (slot < 0 || (this.bytes[slot] as number) < bytes) return false;
    this.bytes[slot]! -= bytes;
    return true;
  }

  /**
   * __refill_obj_stock(): adds bytes that are charged and unused. More than a page of them, after a free or
   * with what a drain had left, gives whole pages back.
   */
  refill(memcg: Memcg, bytes: number): void {
    let slot = this.owners.indexOf(memcg);
    if (slot < 0) slot = this.takeSlot(memcg);
    const total = (this.bytes[slot] as number) + bytes;
    this.bytes[slot] = total;
    if (total <= PAGE_BYTES) return;
    this.bytes[slot] = total % PAGE_BYTES;
    this.pages.uncharge(memcg, Math.floor(total / PAGE_BYTES));
  }

  /** Whether bytes of a memcg or of its descendants are here. */
  holds(root: Memcg): boolean {
    for (const owner of this.owners) if (owner !== null && owner.isWithin(root)) return true;
    return false;
  }

  /** drain_obj_stock(): gives everything back; what is no whole page is remembered centrally. */
  drain(): void {
    for (let slot = 0; slot < NR_OBJ_STOCK; slot++) this.drainSlot(slot);
  }

  private takeSlot(memcg: Memcg): number {
    let slot = this.owners.indexOf(null);
    if (slot < 0) {
      slot = this.nextVictim;
      this.nextVictim = (slot + 1) % NR_OBJ_STOCK;
      this.drainSlot(slot);
    }
    this.owners[slot] = memcg;
    this.bytes[slot] = this.central.get(memcg) ?? 0;
    this.central.delete(memcg);
    return slot;
  }

  private drainSlot(slot: number): void {
    const owner = this.owners[slot] as Memcg | null;
    const bytes = this.bytes[slot] as number;
    this.owners[slot] = null;
    this.bytes[slot] = 0;
    if (owner === null || bytes === 0) return;
    const pages = Math.floor(bytes / PAGE_BYTES);
    if (pages > 0) this.pages.uncharge(owner, pages);
    const rest = bytes % PAGE_BYTES;
    if (rest > 0) this.central.set(owner, (this.central.get(owner) ?? 0) + rest);
  }
}
