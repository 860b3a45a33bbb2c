import type { Memory } from "../memory/memory.ts";
import { checkFolioFlags } from "./folio-flags.ts";
import { checkWindow } from "./generation-window.ts";
import { findMembers } from "./lists.ts";
import { lruvecsOf } from "./lru-list.ts";
import { checkSizes } from "./lruvec-sizes.ts";

/** When a check is made. */
export interface CheckOptions {
  /**
   * LRU lock free, all per-CPU batches drained, every walk's size changes flushed, no state switch
   * running, no folio isolated. Only then do sizes have to agree. Default false.
   */
  readonly quiescent?: boolean;
}

/**
 * Whether flags, lists and sizes of every lruvec agree, as far as that can be said without knowing
 * what the policy wants. Call it between operations: no rule holds while the LRU lock is held.
 *
 * Rules, always: INV-01..INV-04, INV-10, FOL-04, MINV-04..MINV-08, MINV-12.
 * When quiescent also: MINV-01, MINV-02, MINV-13 (INV-07), INV-06, FOL-42, and MINV-12 for the slot that an
 * aging may be about to use. INV-05 follows from MINV-01 and MINV-02. What one list alone can break is checkLists'.
 *
 * @returns one line for each violation: rule, folio or lruvec, what was found, what was expected
 */
export function checkLruvecs(memory: Memory, options: CheckOptions = {}): string[] {
  const quiescent = options.quiescent ?? false;
  const { listOf } = findMembers(memory);
  const violations: string[] = [];
  const report = (rule: string, subject: string, what: string): void => {
    violations.push(`${rule}: ${subject}: ${what}`);
  };
  checkFolioFlags(memory, listOf, report);
  for (const lruvec of lruvecsOf(memory)) checkWindow(memory, lruvec, quiescent, report);
  if (quiescent) checkSizes(memory, listOf, report);
  return violations;
}
