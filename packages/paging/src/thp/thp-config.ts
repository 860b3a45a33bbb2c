import { VM_HUGEPAGE, VM_NOHUGEPAGE } from "@lrugen/mm-core";

/** Pages of a PMD-mapped folio: order 9, 2 MiB. */
export const PMD_ORDER: number = 9;
/** 2^PMD_ORDER. */
export const PAGES_PER_PMD: number = 512;
/** Smallest order of a large anonymous folio: order 1 has no room for its bookkeeping (FOL-10). */
export const MIN_ANON_ORDER: number = 2;

/** `/sys/kernel/mm/transparent_hugepage/enabled`. */
export type ThpMode = "always" | "madvise" | "never";
/** The same file of one size; `inherit` follows the global one. */
export type ThpSizeMode = ThpMode | "inherit";

/**
 * Which orders of folios an anonymous page fault may allocate.
 *
 * Starts as the kernel does for the sizes (2 MiB `inherit`, all others `never`), and with the global
 * switch at `never`.
 *
 * Source: FLT-10, FOL-11; mm/huge_memory.c, include/linux/huge_mm.h:thp_vma_allowable_orders.
 */
export class ThpConfig {
  private globalMode: ThpMode = "never";
  /** Bit masks of orders by the mode of their size. */
  private always = 0;
  private madvise = 0;
  private inherit: number = 1 << PMD_ORDER;

  /** The global switch. */
  get global(): ThpMode {
    return this.globalMode;
  }

  setGlobal(mode: ThpMode): void {
    this.globalMode = mode;
  }

  /**
   * The switch of one size.
   * @param order 2..9
   * @throws RangeError for another order
   */
  setSize(order: number, mode: ThpSizeMode): void {
    const bit = orderBit(order);
    this.always &= ~bit;
    this.madvise &= ~bit;
    this.inherit &= ~bit;
    if (mode === "always") this.always |= bit;
    else if (mode === "madvise") this.madvise |= bit;
    else if (mode === "inherit") this.inherit |= bit;
  }

  /**
   * What the switch of one size is set to.
   * @throws RangeError for an order outside 2..9
   */
  size(order: number): ThpSizeMode {
    const bit = orderBit(order);
    if (this.always & bit) return "always";
    if (this.madvise & bit) return "madvise";
    return this.inherit & bit ? "inherit" : "never";
  }

  /**
   * Orders a fault in a VMA with these VM_* flags may use, as a mask of `1 << order` bits. Whether
   * the aligned block fits into the VMA is the fault's business (FLT-11).
   */
  allowedOrders(vmFlags: number): number {
    if (vmFlags & VM_NOHUGEPAGE) return 0;
    const advised = (vmFlags & VM_HUGEPAGE) !== 0;
    let orders = this.always;
    if (advised) orders |= this.madvise;
    if (this.globalMode === "always" || (advised && this.globalMode === "madvise")) {
      orders |= this.inherit;
    }
    return orders;
  }
}

function orderBit(order: number): number {
  if (!Number.isInteger(order) || order < MIN_ANON_ORDER || order > PMD_ORDER) {
    throw new RangeError(`THP order ${order} found, expected ${MIN_ANON_ORDER}..${PMD_ORDER}`);
  }
  return 1 << order;
}
