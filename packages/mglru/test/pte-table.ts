import { PG_SWAPBACKED, type Vma } from "@lrugen/mm-core";
import { Machine, PMD, REGION } from "./machine.ts";
import { mapPtes, ptes } from "./mapping.ts";
import { walkMm } from "./walk.ts";

/** One address space with one VMA of one whole PTE table, unless told otherwise. */
export class Table {
  readonly m: Machine;
  readonly vma: Vma;

  constructor(m = new Machine(), pages: number = PMD) {
    this.m = m;
    this.vma = m.vma(m.mm(), REGION, pages);
  }

  get mm(): Vma["mm"] {
    return this.vma.mm;
  }

  map(at: number, folio: number, letters: string, first = 0): void {
    mapPtes(this.m.memory, this.vma, REGION + at, folio, letters, first);
  }

  /** Order-0 anon folios on the list of seq 1, one for each letter. */
  anon(at: number, letters: string, flags = 0): number[] {
    return letters.split("").map((letter, i) => {
      const folio = this.m.onList(1, PG_SWAPBACKED | flags);
      this.map(at + i, folio, letter);
      return folio;
    });
  }

  read(at: number, count: number): string {
    return ptes(this.m.memory, this.mm, REGION + at, count);
  }

  walk(): number[] {
    return walkMm(this.m, this.mm, { force: true });
  }
}
