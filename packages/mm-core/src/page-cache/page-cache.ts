// @hot
import { NIL, type FolioTable } from "../folio/folio-table.ts";
import type { VmStat } from "../stat/vmstat.ts";
import { vmstatId } from "../stat/vmstat-items.ts";
import { NO_SLOT } from "../swap/swap-clusters.ts";
import type { FileMapping } from "./file-mapping.ts";
import { PageCacheNodes } from "./page-cache-nodes.ts";

const NONE = NIL;
const NO_SWAP = NO_SLOT;
const SLOTS = 64;
const WORKINGSET_NODES = vmstatId("workingset_nodes");

/**
 * Which folio caches which page of which file, and what was evicted from where.
 *
 * A folio in the cache has one reference a page (FOL-21), taken and dropped by the callers, since
 * reclaim freezes them instead. Shadow values are the policy's; here they are numbers.
 * Source: PGC-01, PGC-02, PGC-07; mm/filemap.c, mm/workingset.c:workingset_update_node.
 */
export class PageCache {
  private readonly folios: FolioTable;
  private readonly vmstat: VmStat;
  /**
   * A slot of a leaf was emptied, and the leaf is gone with it, or one entry is left in all of the file:
   * whoever charges nodes hears of it (CHG-43).
   */
  onErased: (file: FileMapping, leaf: number) => void = () => {};
  private readonly nodes: PageCacheNodes = new PageCacheNodes(64);

  constructor(folios: FolioTable, vmstat: VmStat) {
    this.folios = folios;
    this.vmstat = vmstat;
  }

  /** filemap_get_folio(): the folio that caches a page, or NIL. `index` is a page of the file. */
  lookup(file: FileMapping, index: number): number {
    const leaf = index >>> 6;
    const { leaves } = file;
    if (leaf >= leaves.length) return NONE;
    const node = leaves[leaf] as number;
    return node === 0 ? NONE : this.nodes.folioAt(node, index & 63);
  }

  /** Whether a page's slot holds anything: a folio, a shadow or a swap entry. */
  holds(file: FileMapping, index: number): boolean {
    const node = file.leaves[index >>> 6] ?? 0;
    if (node === 0) return false;
    return this.nodes.folioAt(node, index & 63) !== NONE || this.nodes.isValue(node, index & 63);
  }

  /** The shadow left in a page's slot, or undefined when there is none. */
  shadow(file: FileMapping, index: number): number | undefined {
    const node = file.leaves[index >>> 6] ?? 0;
    if (node === 0 || !this.nodes.isShadow(node, index & 63)) return undefined;
    return this.nodes.shadowAt(node, index & 63);
  }

  /** First page from `from` on, below `end`, that has a folio; `end` when none has. */
  nextCached(file: FileMapping, from: number, end: number): number {
    for (let index = from; index < end;) {
      const node = file.leaves[index >>> 6] ?? 0;
      if (node === 0) {
        index = (index | 63) + 1;
      } else if (this.nodes.folioAt(node, index & 63) !== NONE) {
        return index;
      } else {
        index += 1;
      }
    }
    return end;
  }

  /**
   * __filemap_add_folio(): puts a folio in place of nothing, of shadows or of swap entries. Its mapping and index are
   * set; references are the caller's.
   * @param index page of the file, aligned to the folio's size
   */
  insert(file: FileMapping, folio: number, index: number): void {
    const pages = this.folios.nrPagesOf(folio);
    this.reserve(file, index + pages);
    const before = this.countedNodes(file, index, index + pages);
    for (let page = index; page < index + pages; page++) {
      const node = this.nodeFor(file, page >>> 6);
      if (!this.nodes.isValue(node, page & 63)) file.entries += 1;
      this.nodes.setFolio(node, page & 63, folio);
    }
    this.folios.mapping[folio] = file.id * 2;
    this.folios.index[folio] = index;
    file.cachedPages += pages;
    this.vmstat.add(WORKINGSET_NODES, this.countedNodes(file, index, index + pages) - before);
  }

  /**
   * __filemap_remove_folio(): takes a folio out.
   * @param shadow value left in its slots (reclaim, PGC-02), or undefined for nothing (truncation)
   */
  remove(file: FileMapping, folio: number, shadow?: number): void {
    const index = this.folios.index[folio] as number;
    const pages = this.folios.nrPagesOf(folio);
    const before = this.countedNodes(file, index, index + pages);
    for (let page = index; page < index + pages; page++) {
      const node = file.leaves[page >>> 6] as number;
      if (shadow === undefined) this.erase(file, page);
      else this.nodes.setShadow(node, page & 63, shadow);
    }
    this.folios.mapping[folio] = 0;
    file.cachedPages -= pages;
    this.vmstat.add(WORKINGSET_NODES, this.countedNodes(file, index, index + pages) - before);
  }

  /** The swap slot that holds a page of shared memory, NO_SLOT when none does (PGC-03). */
  swapSlot(file: FileMapping, index: number): number {
    const node = file.leaves[index >>> 6] ?? 0;
    return node === 0 ? NO_SWAP : this.nodes.swapAt(node, index & 63);
  }

  /**
   * shmem_delete_from_page_cache(): takes a folio of shared memory out and leaves swap entries.
   * @param slot swap slot of its first page; the others follow
   */
  replaceWithSwap(file: FileMapping, folio: number, slot: number): void {
    const index = this.folios.index[folio] as number;
    const pages = this.folios.nrPagesOf(folio);
    for (let i = 0; i < pages; i++) {
      const page = index + i;
      this.nodes.setSwap(file.leaves[page >>> 6] as number, page & 63, slot + i);
    }
    this.folios.mapping[folio] = 0;
    file.cachedPages -= pages;
  }

  /** Empties the slot of a page that has a swap entry. */
  clearSwap(file: FileMapping, index: number): void {
    this.erase(file, index);
  }

  /** A large folio was split: its first `pages` pages are folios of their own from now on. */
  split(file: FileMapping, folio: number, pages: number): void {
    const first = this.folios.index[folio] as number;
    for (let i = 0; i < pages; i++) {
      const page = first + i;
      this.nodes.setFolio(file.leaves[page >>> 6] as number, page & 63, folio + i);
    }
  }

  /** Forgets the shadows of pages [from, end) (PGC-05). */
  clearShadows(file: FileMapping, from: number, end: number): void {
    const last = Math.min(end, file.leaves.length * SLOTS);
    const before = this.countedNodes(file, from, last);
    for (let page = from; page < last; page++) {
      const node = file.leaves[page >>> 6] as number;
      if (node === 0 || !this.nodes.isShadow(node, page & 63)) continue;
      this.erase(file, page);
    }
    this.vmstat.add(WORKINGSET_NODES, this.countedNodes(file, from, last) - before);
  }

  /**
   * Nodes with nothing but shadows among those a change of pages [from, end) can affect: theirs, and
   * the first, which is no node while the file's only entry is its page 0 (PGC-07).
   */
  private countedNodes(file: FileMapping, from: number, end: number): number {
    if (file.shmem || end <= from) return 0;
    let counted = 0;
    for (let leaf = from >>> 6; leaf <= (end - 1) >>> 6; leaf++) {
      if (leaf !== 0) counted += this.isCounted(file, leaf) ? 1 : 0;
    }
    return counted + (this.isCounted(file, 0) ? 1 : 0);
  }

  private isCounted(file: FileMapping, leaf: number): boolean {
    const node = file.leaves[leaf] ?? 0;
    if (node === 0 || this.nodes.folios(node) > 0 || this.nodes.valueSlots(node) === 0)
      return false;
    return file.entries > 1 || !this.nodes.isShadow(node, 0) || leaf !== 0;
  }

  private nodeFor(file: FileMapping, leaf: number): number {
    const node = file.leaves[leaf] as number;
    if (node !== 0) return node;
    return (file.leaves[leaf] = this.nodes.alloc());
  }

  /** Nothing is left in a page's slot; an empty leaf goes. */
  private erase(file: FileMapping, page: number): void {
    const leaf = page >>> 6;
    const node = file.leaves[leaf] as number;
    this.nodes.clear(node, page & 63);
    file.entries -= 1;
    const isEmpty = this.nodes.folios(node) === 0 && this.nodes.valueSlots(node) === 0;
    if (isEmpty) {
      this.nodes.free(node);
      file.leaves[leaf] = 0;
    }
    if (isEmpty || file.entries === 1) this.onErased(file, leaf);
  }

  /** Room for `pages` pages in a file's table of leaves. */
  private reserve(file: FileMapping, pages: number): void {
    const leaves = Math.ceil(pages / SLOTS);
    if (leaves <= file.leaves.length) return;
    const grown = new Int32Array(Math.max(leaves, file.leaves.length * 2));
    grown.set(file.leaves);
    file.leaves = grown;
  }
}
