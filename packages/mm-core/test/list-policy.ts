import {
  LRU_ANON,
  LRU_FILE,
  LRU_GEN_MASK,
  LRU_GEN_PGOFF,
  LRU_UNEVICTABLE,
  type LruPolicy,
  type Lruvec,
  MAX_NR_GENS,
  MAX_NR_ZONES,
  type Memory,
  PG_ACTIVE,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
} from "../src/index.ts";

/** The part of a policy that puts folios on lists, which is all that mm-core itself calls. */
export type ListKeeper = Pick<LruPolicy, "addFolio" | "delFolio">;

/** Generation lists without judgement: the test says which generation a folio is added to. */
export class GenerationLists implements ListKeeper {
  /** How much older than the youngest generation new members are. */
  backOff = 1;
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  addFolio(lruvec: Lruvec, folio: number, reclaiming: boolean): boolean {
    const { flags } = this.memory.folios;
    const { enabled, listHead, maxSeq } = lruvec.lrugen;
    if (!enabled || flags[folio]! & PG_UNEVICTABLE) return false;
    const gen = (maxSeq - this.backOff) % MAX_NR_GENS;
    flags[folio]! &= ~PG_ACTIVE;
    flags[folio]! |= (gen + 1) << LRU_GEN_PGOFF;
    this.account(lruvec, folio, gen, 1);
    const head = listHead + this.slot(folio, gen);
    if (reclaiming) this.memory.lists.addTail(head, folio);
    else this.memory.lists.add(head, folio);
    return true;
  }

  delFolio(lruvec: Lruvec, folio: number): boolean {
    const { flags } = this.memory.folios;
    const gen = ((flags[folio]! & LRU_GEN_MASK) >> LRU_GEN_PGOFF) - 1;
    if (gen < 0) return false;
    this.account(lruvec, folio, gen, -1);
    flags[folio]! &= ~LRU_GEN_MASK;
    this.memory.lists.del(folio);
    return true;
  }

  /** What a walk and its flush do: the flags and the sizes move to the youngest generation. */
  updateGen(lruvec: Lruvec, folio: number): void {
    const { flags } = this.memory.folios;
    const old = ((flags[folio]! & LRU_GEN_MASK) >> LRU_GEN_PGOFF) - 1;
    const young = lruvec.lrugen.maxSeq % MAX_NR_GENS;
    this.account(lruvec, folio, old, -1);
    flags[folio] = (flags[folio]! & ~LRU_GEN_MASK) | ((young + 1) << LRU_GEN_PGOFF);
    this.account(lruvec, folio, young, 1);
  }

  private slot(folio: number, gen: number): number {
    const type = typeOf(this.memory, folio);
    return (gen * 2 + type) * MAX_NR_ZONES + this.memory.allocator.zoneOf(folio);
  }

  private account(lruvec: Lruvec, folio: number, gen: number, sign: number): void {
    const { maxSeq, nrPages } = lruvec.lrugen;
    const pages = sign * this.memory.folios.nrPagesOf(folio);
    const active = gen === maxSeq % MAX_NR_GENS || gen === (maxSeq - 1) % MAX_NR_GENS;
    const lru = typeOf(this.memory, folio) * 2 + (active ? 1 : 0);
    nrPages[this.slot(folio, gen)]! += pages;
    lruvec.lruSize[lru * MAX_NR_ZONES + this.memory.allocator.zoneOf(folio)]! += pages;
  }
}

/** The four classic lists and the count of unevictable pages, chosen by flags alone. */
export class ClassicLists implements ListKeeper {
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  addFolio(lruvec: Lruvec, folio: number, tail: boolean): boolean {
    const lru = this.account(lruvec, folio, 1);
    if (lru === LRU_UNEVICTABLE) return true;
    if (tail) this.memory.lists.addTail(lruvec.listHead + lru, folio);
    else this.memory.lists.add(lruvec.listHead + lru, folio);
    return true;
  }

  delFolio(lruvec: Lruvec, folio: number): boolean {
    if (this.account(lruvec, folio, -1) !== LRU_UNEVICTABLE) this.memory.lists.del(folio);
    return true;
  }

  private account(lruvec: Lruvec, folio: number, sign: number): number {
    const word = this.memory.folios.flags[folio]!;
    const classic = typeOf(this.memory, folio) * 2 + (word & PG_ACTIVE ? 1 : 0);
    const lru = word & PG_UNEVICTABLE ? LRU_UNEVICTABLE : classic;
    const zone = this.memory.allocator.zoneOf(folio);
    lruvec.updateLruSize(lru, zone, sign * this.memory.folios.nrPagesOf(folio));
    return lru;
  }
}

function typeOf(memory: Memory, folio: number): number {
  return memory.folios.flags[folio]! & PG_SWAPBACKED ? LRU_ANON : LRU_FILE;
}
