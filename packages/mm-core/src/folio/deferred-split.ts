// @hot
import { NIL, type FolioTable } from "./folio-table.ts";
import { PG_DEFERRED_SPLIT, PG_PARTIALLY_MAPPED } from "./page-flags.ts";

const NONE = NIL;
const QUEUED = PG_DEFERRED_SPLIT;
const PARTIALLY_MAPPED = PG_PARTIALLY_MAPPED;

/**
 * The deferred split queues: large anonymous folios that are split when memory is short, one queue for
 * each memcg and node, oldest first.
 *
 * The links are in fields that a folio's third and fourth page do not use otherwise: `index[head + 2]`
 * and `index[head + 3]`; which queue it is in, `memcg[head + 2]`.
 *
 * Source: FOL-13, SPLIT-06; mm/huge_memory.c:deferred_split_folio.
 */
export class DeferredSplit {
  private readonly folios: FolioTable;
  private readonly firsts: Int32Array;
  private readonly lasts: Int32Array;
  private readonly lengths: Int32Array;
  private readonly nrNodes: number;

  constructor(folios: FolioTable, maxMemcgs: number, nrNodes: number) {
    this.folios = folios;
    this.nrNodes = nrNodes;
    this.firsts = new Int32Array(maxMemcgs * nrNodes).fill(NONE);
    this.lasts = new Int32Array(maxMemcgs * nrNodes).fill(NONE);
    this.lengths = new Int32Array(maxMemcgs * nrNodes);
  }

  /** Folios queued of one memcg on one node. */
  length(memcg: number, node: number): number {
    return this.lengths[memcg * this.nrNodes + node] as number;
  }

  /** The folio queued first, or NIL. */
  first(memcg: number, node: number): number {
    return this.firsts[memcg * this.nrNodes + node] as number;
  }

  /** Whether a folio, of any size, is queued. */
  isQueued(folio: number): boolean {
    return this.folios.isLarge(folio) && ((this.folios.flags[folio + 1] as number) & QUEUED) !== 0;
  }

  /** folio_test_partially_mapped(). */
  isPartiallyMapped(folio: number): boolean {
    return ((this.folios.flags[folio + 1] as number) & PARTIALLY_MAPPED) !== 0;
  }

  /** Queues a folio of four pages or more, at the end; one that is queued stays where it is. */
  add(folio: number, node: number): void {
    if (this.isQueued(folio)) return;
    const { flags, index, memcg } = this.folios;
    const queue = (memcg[folio] as number) * this.nrNodes + node;
    const last = this.lasts[queue] as number;
    flags[folio + 1]! |= QUEUED;
    memcg[folio + 2] = queue;
    index[folio + 2] = NONE;
    index[folio + 3] = last;
    if (last === NONE) this.firsts[queue] = folio;
    else index[last + 2] = folio;
    this.lasts[queue] = folio;
    this.lengths[queue]! += 1;
  }

  /** Takes a folio off its queue if it is on one; being partially mapped is forgotten with it. */
  remove(folio: number): void {
    if (!this.isQueued(folio)) return;
    const { flags, index, memcg } = this.folios;
    const queue = memcg[folio + 2] as number;
    const next = index[folio + 2] as number;
    const previous = index[folio + 3] as number;
    if (previous === NONE) this.firsts[queue] = next;
    else index[previous + 2] = next;
    if (next === NONE) this.lasts[queue] = previous;
    else index[next + 3] = previous;
    this.lengths[queue]! -= 1;
    flags[folio + 1]! &= ~(QUEUED | PARTIALLY_MAPPED);
  }

  /** Takes the first folio off to look at it; whether it is partially mapped stays known. */
  shift(memcg: number, node: number): number {
    const folio = this.first(memcg, node);
    if (folio === NONE) return NONE;
    const partial = (this.folios.flags[folio + 1] as number) & PARTIALLY_MAPPED;
    this.remove(folio);
    this.folios.flags[folio + 1]! |= partial;
    return folio;
  }

  /** A memcg goes away: its queue is appended to that of `to`, whose folios they are already. */
  reparent(from: number, to: number, node: number): void {
    for (let folio = this.first(from, node); folio !== NONE; folio = this.first(from, node)) {
      this.shift(from, node);
      this.folios.memcg[folio] = to;
      this.add(folio, node);
    }
  }
}
