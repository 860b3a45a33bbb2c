import { type IncMinSeqAging } from "./aging-record.ts";
import type { FullIncMinSeqOptions, IncMinSeqOptions } from "./options.ts";
import { IncMinSeqProgram } from "./program.ts";

/** START_GEN of the program: max_seq of a fresh memcg. */
export const INC_MIN_SEQ_FIRST_GEN = 3;

/** A finished or stopped run. */
export interface IncMinSeqRun {
  readonly options: FullIncMinSeqOptions;
  /** One record per write, in order. */
  readonly agings: readonly IncMinSeqAging[];
  /**
   * Whether every aging that moved folios nobody had promoted kept them in their order; null: none
   * moved two of them.
   */
  readonly orderKept: boolean | null;
  /** False: stopped before the last aging. */
  readonly complete: boolean;
}

/**
 * Runs the program one aging a step. A step that is sent `true` ends the run there, with what there
 * is.
 * @throws RangeError for a bad option
 */
export function* incMinSeqAgings(
  options: IncMinSeqOptions,
): Generator<IncMinSeqAging, IncMinSeqRun, boolean | undefined> {
  const program = new IncMinSeqProgram(options);
  const agings: IncMinSeqAging[] = [];
  let stop = false;
  for (let i = 0; i < program.options.agings && !stop; i++) {
    const aging = program.age(INC_MIN_SEQ_FIRST_GEN + i);
    agings.push(aging);
    stop = (yield aging) === true;
  }
  return {
    options: program.options,
    agings,
    orderKept: orderKept(agings),
    complete: agings.length === program.options.agings,
  };
}

/**
 * Runs the program to its end.
 * @param onProgress called after each aging
 * @throws RangeError for a bad option
 */
export function runIncMinSeq(
  options: IncMinSeqOptions,
  onProgress?: (aging: IncMinSeqAging) => void,
): IncMinSeqRun {
  const agings = incMinSeqAgings(options);
  for (;;) {
    const { done, value } = agings.next();
    if (done === true) return value;
    onProgress?.(value);
  }
}

function orderKept(agings: readonly IncMinSeqAging[]): boolean | null {
  const orders = agings.map(({ order }) => order).filter((order) => order !== null);
  return orders.length === 0 ? null : orders.every((order) => order === "kept");
}
