import type { Cpu } from "@lrugen/hardware";
import {
  LRU_GEN_MASK,
  LRU_GEN_PGOFF,
  LRU_INACTIVE_ANON,
  LRU_UNEVICTABLE,
  type LruPolicy,
  type Lruvec,
  type Memory,
  PG_ACTIVE,
  PG_REFERENCED,
  PG_UNEVICTABLE,
} from "@lrugen/mm-core";

/** An addition as the policy saw it. */
export interface Added {
  readonly folio: number;
  /** Flag word on arrival. */
  readonly flags: number;
  readonly tail: boolean;
}

/**
 * One list a lruvec instead of a policy. As `mglru` it marks its folios in LRU_GEN, clears PG_active when it
 * takes a folio, may hand it back active, and refuses unevictable folios; as `classic` it takes all.
 */
export class FakePolicy implements LruPolicy {
  readonly name: "mglru" | "classic";
  /** Every addition since boot. */
  readonly added: Added[] = [];
  /** Folios that beforeAdd() was called for, with inLruFault. */
  readonly announced: [folio: number, inLruFault: boolean][] = [];
  /** As mglru: whether delFolio() hands folios back with PG_active, as from a young generation. */
  young = false;
  /** As mglru: whether clearRefs() says that the folio is in the oldest generation. */
  oldest = false;
  private readonly memory: Memory;

  constructor(memory: Memory, name: "mglru" | "classic") {
    this.memory = memory;
    this.name = name;
  }

  /** The list's head in a lruvec. */
  headOf(lruvec: Lruvec): number {
    return this.name === "mglru" ? lruvec.lrugen.listHead : lruvec.listHead;
  }

  addFolio(lruvec: Lruvec, folio: number, tail: boolean): boolean {
    const { flags } = this.memory.folios;
    const word = flags[folio]!;
    const unevictable = (word & PG_UNEVICTABLE) !== 0;
    if (this.name === "mglru") {
      if (unevictable || !lruvec.lrugen.enabled) return false;
      flags[folio] = (word & ~PG_ACTIVE) | (1 << LRU_GEN_PGOFF);
    }
    this.added.push({ folio, flags: word, tail });
    this.count(lruvec, folio, 1);
    if (unevictable) return true;
    if (tail) this.memory.lists.addTail(this.headOf(lruvec), folio);
    else this.memory.lists.add(this.headOf(lruvec), folio);
    return true;
  }

  delFolio(lruvec: Lruvec, folio: number): boolean {
    const { flags } = this.memory.folios;
    if (this.name === "mglru") {
      if ((flags[folio]! & LRU_GEN_MASK) === 0) return false;
      flags[folio]! &= ~LRU_GEN_MASK;
      if (this.young) flags[folio]! |= PG_ACTIVE;
    }
    if ((flags[folio]! & PG_UNEVICTABLE) === 0) this.memory.lists.del(folio);
    this.count(lruvec, folio, -1);
    return true;
  }

  beforeAdd(folio: number, inLruFault: boolean): void {
    this.announced.push([folio, inLruFault]);
  }

  markAccessed(_cpu: Cpu, folio: number): void {
    this.memory.folios.flags[folio]! |= PG_REFERENCED;
  }

  clearRefs(_lruvec: Lruvec, folio: number): boolean {
    if (this.name === "classic") return false;
    const { flags } = this.memory.folios;
    if ((flags[folio]! & LRU_GEN_MASK) === 0) return true;
    flags[folio]! &= ~PG_REFERENCED;
    return this.oldest;
  }

  mmAdd(): void {}
  mmDel(): void {}
  mmMigrate(): void {}
  useMm(): void {}

  private count(lruvec: Lruvec, folio: number, sign: 1 | -1): void {
    if (lruvec.lock.holder < 0) throw new Error("list changed without the lruvec lock"); // LOCK-01
    const { folios, allocator } = this.memory;
    const lru = folios.flags[folio]! & PG_UNEVICTABLE ? LRU_UNEVICTABLE : LRU_INACTIVE_ANON;
    lruvec.updateLruSize(lru, allocator.zoneOf(folio), sign * folios.nrPagesOf(folio));
  }
}
