// @hot
import {
  LRU_GEN_MASK,
  LRU_GEN_PGOFF,
  type LruGenFolio,
  MAX_NR_GENS,
  MAX_NR_ZONES,
  type Memory,
} from "@lrugen/mm-core";

const GEN_MASK = LRU_GEN_MASK;
const GEN_SHIFT = LRU_GEN_PGOFF;
const GENS = MAX_NR_GENS;
const ZONES = MAX_NR_ZONES;

/** What became of an order: the same, turned round, or neither. */
export type ListOrder = "kept" | "reversed" | "mixed";

/** How an aging changed the order of the anon folios it took from the oldest generation. */
export interface OrderFacts {
  /** Of those nobody had promoted; null: fewer than two were moved to one list. */
  readonly order: ListOrder | null;
  /** The same of those that had been promoted in place. */
  readonly promotedOrder: ListOrder | null;
}

/** Neighbours on a list, by whether they stood the same way round before. */
class Neighbours {
  private same = 0;
  private turned = 0;
  private last = 0;

  startList(): void {
    this.last = 0;
  }

  /** The next folio of the list, by its position before, counted from 1. */
  take(position: number): void {
    if (this.last !== 0) {
      if (position > this.last) this.same += 1;
      else this.turned += 1;
    }
    this.last = position;
  }

  get order(): ListOrder | null {
    if (this.same + this.turned === 0) return null;
    if (this.turned === 0) return "kept";
    return this.same === 0 ? "reversed" : "mixed";
  }
}

/**
 * Compares the oldest anon list before an aging with where its folios stand afterwards, folio by
 * folio. `before` and `after` enclose one aging.
 */
export class OrderWatch {
  private readonly memory: Memory;
  /** Place on the list before, counted from 1; negative: already promoted then; 0: not on it. */
  private readonly places: Int32Array;
  /** The generation that the aging is about to empty; −1 = none. */
  private oldSeq = -1;

  constructor(memory: Memory) {
    this.memory = memory;
    this.places = new Int32Array(memory.folios.nrPages);
  }

  /** Notes the oldest list down, if the next aging has to empty it. */
  before(lrugen: LruGenFolio): void {
    const { lists, folios } = this.memory;
    const { next } = lists;
    const { flags } = folios;
    const { places } = this;
    const minSeq = lrugen.minSeq[0] as number;
    const full = lrugen.maxSeq - minSeq + 1 === GENS;
    this.oldSeq = full ? minSeq : -1;
    if (!full) return;
    places.fill(0);
    const gen = (minSeq % GENS) | 0;
    let place = 0;
    for (let zone = 0; zone < ZONES; zone++) {
      const head = lrugen.listHead + gen * 2 * ZONES + zone;
      for (let folio = next[head] as number; folio !== head; folio = next[folio] as number) {
        place += 1;
        const promoted = (((flags[folio] as number) & GEN_MASK) >>> GEN_SHIFT) - 1 !== gen;
        places[folio] = promoted ? -place : place;
      }
    }
  }

  /** Finds the noted folios again and says how they stand to each other. */
  after(lrugen: LruGenFolio): OrderFacts {
    if (this.oldSeq < 0) return { order: null, promotedOrder: null };
    const stayed = new Neighbours();
    const promoted = new Neighbours();
    for (let seq = this.oldSeq + 1; seq < this.oldSeq + GENS; seq++) {
      for (let zone = 0; zone < ZONES; zone++) {
        const head = lrugen.listHead + ((seq % GENS) | 0) * 2 * ZONES + zone;
        this.takeList(head, ((this.oldSeq + 1) % GENS) | 0, stayed, promoted);
      }
    }
    return { order: stayed.order, promotedOrder: promoted.order };
  }

  /** @param newGen the generation of a folio that was moved and not promoted */
  private takeList(head: number, newGen: number, stayed: Neighbours, promoted: Neighbours): void {
    const { lists, folios } = this.memory;
    const { next } = lists;
    const { flags } = folios;
    const { places } = this;
    stayed.startList();
    promoted.startList();
    for (let folio = next[head] as number; folio !== head; folio = next[folio] as number) {
      const place = places[folio] as number;
      if (place === 0) continue;
      const gen = (((flags[folio] as number) & GEN_MASK) >>> GEN_SHIFT) - 1;
      if (place > 0 && gen === newGen) stayed.take(place);
      else promoted.take(place > 0 ? place : -place);
    }
  }
}
