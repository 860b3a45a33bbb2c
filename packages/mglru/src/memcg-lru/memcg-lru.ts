import type { Lruvec } from "@lrugen/mm-core";
import { type BinChooser, MEMCG_NR_BINS } from "./bin-chooser.ts";

/** CONST-12. */
export const MEMCG_NR_GENS: number = 3;

/** Operations of the memcg LRU; HEAD and TAIL are values of `seg` too (MLRU-01). */
export const MEMCG_LRU_NOP: number = 0;
export const MEMCG_LRU_HEAD: number = 1;
export const MEMCG_LRU_TAIL: number = 2;
export const MEMCG_LRU_OLD: number = 3;
export const MEMCG_LRU_YOUNG: number = 4;

/** A memcg's place in a bin; a bin's end marker has no lruvec. Unlinked it points at itself. */
export class MemcgLink {
  readonly lruvec: Lruvec | null;
  /** Of an end marker: the generation it closes (INIT-02). */
  readonly gen: number;
  next: MemcgLink = this;
  prev: MemcgLink = this;

  constructor(lruvec: Lruvec | null, gen: number) {
    this.lruvec = lruvec;
    this.gen = gen;
  }
}

/**
 * struct lru_gen_memcg: the memcgs of one node in the order that the machine's own reclaim visits
 * them: an old and a young generation, eight bins each.
 * Source: MLRU-01..05, INIT-02; mm/vmscan.c.
 */
export class MemcgLru {
  /** Number of the old generation. */
  seq = 0;
  /** Memcgs by generation slot. */
  readonly nrMemcgs: Int32Array = new Int32Array(MEMCG_NR_GENS);
  private readonly bins: readonly MemcgLink[];
  private readonly links = new Map<Lruvec, MemcgLink>();
  private readonly chooser: BinChooser;

  constructor(chooser: BinChooser) {
    this.chooser = chooser;
    this.bins = Array.from(
      { length: MEMCG_NR_GENS * MEMCG_NR_BINS },
      (_, i) => new MemcgLink(null, Math.floor(i / MEMCG_NR_BINS)),
    );
  }

  /** End marker of a bin; what it links to is the bin's first memcg. */
  bin(gen: number, bin: number): MemcgLink {
    return this.bins[gen * MEMCG_NR_BINS + bin] as MemcgLink;
  }

  /** The lruvecs of a bin in the order they are visited; for checks. */
  *walk(gen: number, bin: number): Generator<Lruvec, void, undefined> {
    const end = this.bin(gen, bin);
    for (let link = end.next; link !== end; link = link.next) yield link.lruvec as Lruvec;
  }

  /** A draw: where a pass begins. */
  chooseBin(): number {
    return this.chooser.next();
  }

  /** lru_gen_online_memcg() on this node: last of a bin of the old generation (MLRU-02). */
  online(lruvec: Lruvec, bin: number): void {
    const gen = this.seq % MEMCG_NR_GENS;
    const link = new MemcgLink(lruvec, gen);
    this.links.set(lruvec, link);
    lruvec.lrugen.gen = gen;
    lruvec.lrugen.seg = MEMCG_LRU_NOP;
    insertBefore(this.bin(gen, bin), link);
    this.nrMemcgs[gen]! += 1;
  }

  /** lru_gen_release_memcg() on this node (MLRU-03). */
  release(lruvec: Lruvec): void {
    const link = this.links.get(lruvec);
    if (link === undefined) return;
    this.links.delete(lruvec);
    unlink(link);
    this.leave(lruvec.lrugen.gen);
  }

  /** lru_gen_rotate_memcg() (MLRU-05). */
  rotate(lruvec: Lruvec, operation: number): void {
    const { lrugen } = lruvec;
    const link = this.links.get(lruvec);
    if (link === undefined) return;
    const bin = this.chooser.next();
    const old = lrugen.gen;
    if (operation === MEMCG_LRU_OLD) lrugen.gen = this.seq % MEMCG_NR_GENS;
    else if (operation === MEMCG_LRU_YOUNG) lrugen.gen = (this.seq + 1) % MEMCG_NR_GENS;
    const keepsGen = operation === MEMCG_LRU_HEAD || operation === MEMCG_LRU_TAIL;
    lrugen.seg = keepsGen ? operation : MEMCG_LRU_NOP;
    unlink(link);
    const end = this.bin(lrugen.gen, bin);
    const atHead = operation === MEMCG_LRU_HEAD || operation === MEMCG_LRU_OLD;
    insertBefore(atHead ? end.next : end, link);
    this.nrMemcgs[lrugen.gen]! += 1;
    this.leave(old);
  }

  /** One memcg less in a generation; the old one ends with its last. */
  private leave(gen: number): void {
    this.nrMemcgs[gen]! -= 1;
    if (this.nrMemcgs[gen] === 0 && gen === this.seq % MEMCG_NR_GENS) this.seq += 1;
  }
}

function unlink(link: MemcgLink): void {
  link.prev.next = link.next;
  link.next.prev = link.prev;
  link.next = link;
  link.prev = link;
}

function insertBefore(next: MemcgLink, link: MemcgLink): void {
  link.next = next;
  link.prev = next.prev;
  next.prev.next = link;
  next.prev = link;
}
