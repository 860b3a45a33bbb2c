import { checkAllocator, checkLists, checkLruvecs, MonotoneChecker } from "@lrugen/mm-core/check";
import { checkCharges, checkMappings } from "@lrugen/paging/check";
import { type Memcg, type Mm } from "@lrugen/mm-core";
import type { System } from "../system/system.ts";
import { checkBatches } from "./check-batches.ts";

/**
 * Every invariant of one system that can be asked between two operations, on whatever path it got
 * there. Keep one checker a system: some rules compare with the check before.
 *
 * Rules: chapter 10 of both specifications, as listed by the checkers of mm-core, paging and this
 * package. Sizes have to agree only while no folio waits in a batch; the checker looks for itself.
 */
export class InvariantChecker {
  private readonly monotone: MonotoneChecker = new MonotoneChecker();
  private readonly system: System;

  constructor(system: System) {
    this.system = system;
  }

  /** References the machine itself holds. */
  private ownReferences(folio: number): number {
    return folio === this.system.paging.hugeZeroFolio ? 1 : 0;
  }

  /**
   * Checks everything; changes nothing.
   * @param mms every address space that exists
   * @returns one line for each violation: rule, where, what was found, what was expected
   */
  check(mms: readonly Mm[]): string[] {
    const { memory, batches, hw } = this.system;
    const quiescent = hw.cpus.every(({ id }) => batches.isEmpty(id));
    return [
      ...checkLists(memory),
      ...checkAllocator(memory),
      ...checkLruvecs(memory, { quiescent }),
      ...checkMappings(memory, mms, (folio) => batches.slotsOf(folio) + this.ownReferences(folio)),
      ...checkCharges(memory, this.system.paging.charge),
      ...checkBatches(this.system),
      ...checkMmLists(memory.root, mms),
      ...this.monotone.sample(memory, { quiescent }),
    ];
  }
}

/** INV-31: each address space is on exactly the mm list of its memcg, once. */
function checkMmLists(root: Memcg, mms: readonly Mm[]): string[] {
  const violations: string[] = [];
  const listed = new Map<Mm, Memcg>();
  for (const memcg of root.preOrder()) {
    for (const mm of memcg.mmList.walk()) {
      if (listed.has(mm)) violations.push(`INV-31: mm ${mm.id}: listed twice, expected once`);
      if (mm.listedIn !== memcg) {
        violations.push(`INV-31: mm ${mm.id}: on the list of ${memcg.path}, expected its own`);
      }
      listed.set(mm, memcg);
    }
  }
  for (const mm of mms) {
    const where = listed.get(mm)?.path ?? "no list";
    if (listed.get(mm) !== mm.memcg) {
      violations.push(`INV-31: mm ${mm.id}: on ${where}, expected ${mm.memcg.path}`);
    }
  }
  return violations;
}
