import { folioFlagLetters, PRINTED_FOLIO_FLAGS } from "./folio-flags.ts";
import type { FolioRun } from "./oracle-result.ts";

/**
 * Turns a list of folios, in list order, into runs. A folio continues the run when only its index
 * differs and steps by the size of the folio, in the direction the run has already taken.
 */
export class FolioRunEncoder {
  #runs: FolioRun[] = [];
  #open = false;
  #name = "";
  #first = 0;
  #last = 0;
  /** Pages from one folio to the next, 0 while the run has one folio. */
  #step = 0;
  #order = 0;
  #gen = 0;
  #refs = 0;
  #flags = 0;

  /**
   * Appends a folio.
   *
   * @param name the region or file it belongs to
   * @param index its first page in there
   * @param order log2 of its pages
   * @param gen the generation in its flags, -1 for none
   * @param refs its LRU_REFS bits, 0..3
   * @param flags page flags, the low bits of the flag word; those without a letter do not matter
   */
  add(name: string, index: number, order: number, gen: number, refs: number, flags: number): void {
    const printed = flags & PRINTED_FOLIO_FLAGS;
    if (this.#continues(name, order, gen, refs, printed)) {
      const step = index - this.#last;
      const size = 2 ** order;
      if ((step === size || step === -size) && (this.#step === 0 || this.#step === step)) {
        this.#step = step;
        this.#last = index;
        return;
      }
    }
    this.#flush();
    this.#open = true;
    this.#name = name;
    this.#first = index;
    this.#last = index;
    this.#step = 0;
    this.#order = order;
    this.#gen = gen;
    this.#refs = refs;
    this.#flags = printed;
  }

  /** The runs so far; the encoder is empty afterwards. */
  finish(): FolioRun[] {
    this.#flush();
    const runs = this.#runs;
    this.#runs = [];
    return runs;
  }

  #continues(name: string, order: number, gen: number, refs: number, flags: number): boolean {
    return (
      this.#open &&
      name === this.#name &&
      flags === this.#flags &&
      order === this.#order &&
      gen === this.#gen &&
      refs === this.#refs
    );
  }

  #flush(): void {
    if (!this.#open) return;
    this.#runs.push([
      this.#name,
      this.#first,
      this.#last,
      this.#order,
      this.#gen,
      this.#refs,
      folioFlagLetters(this.#flags),
    ]);
    this.#open = false;
  }
}

/** One folio as a dump shows it. */
export interface DumpedFolio {
  readonly name: string;
  /** Its first page in the region or file. */
  readonly index: number;
  readonly order: number;
  readonly gen: number;
  readonly refs: number;
  readonly flags: string;
}

/** The folios behind `runs`, in list order. */
export function* folioRunsToFolios(
  runs: Iterable<FolioRun>,
): Generator<DumpedFolio, void, undefined> {
  for (const [name, first, last, order, gen, refs, flags] of runs) {
    const step = first <= last ? 2 ** order : -(2 ** order);
    const folios = (last - first) / step;
    for (let i = 0; i <= folios; i++) {
      yield { name, index: first + i * step, order, gen, refs, flags };
    }
  }
}
