import { PG_REFERENCED, PG_SWAPBACKED, singleNode } from "@lrugen/mm-core";
import { checkLists, checkLruvecs } from "@lrugen/mm-core/check";
import { FILE, Machine, PMD, REGION } from "../machine.ts";
import { mapPtes, touch } from "../mapping.ts";
import { observable } from "./observable.ts";
import type { Switch } from "./patches.ts";

/** What a small memory looked like after each of its agings. */
export interface SmallCase {
  readonly states: readonly unknown[];
  /** Violations of invariants, over all agings. */
  readonly violations: readonly string[];
  /** avg_total of anon tier 3. */
  readonly tier3: readonly number[];
  /** Every list head to tail, after the last. */
  readonly lists: readonly (readonly number[])[];
}

/**
 * A small memory with everything that inc_min_seq() tells apart, aged seven times: anon and file,
 * promoted in place and not, saturated, large, in several runs.
 */
export function smallCase(features: readonly Switch[]): SmallCase {
  const m = new Machine({ features, nodes: singleNode(1024), pageTables: 16 });
  const mm = m.mm();
  const vmas = [m.vma(mm, REGION, PMD), m.vma(mm, REGION + PMD, PMD, undefined, FILE)];
  for (const [type, vma] of vmas.entries()) {
    for (let i = 0, at = vma.start; i < 24; i++) {
      const order = i % 6 === 5 ? 2 : 0;
      const flags = (type === 0 ? PG_SWAPBACKED : 0) | (i % 3 === 0 ? 0 : PG_REFERENCED);
      const folio = m.add(m.folio(flags, order));
      for (let access = 0; access < i % 7; access++) m.policy.markAccessed(m.cpu, folio);
      mapPtes(m.memory, vma, at, folio, (i % 4 === 0 ? "y" : "o").repeat(1 << order));
      at += 1 << order;
    }
  }
  const states: unknown[] = [];
  const violations: string[] = [];
  const tier3: number[] = [];
  for (let age = 0; age < 7; age++) {
    for (const vma of vmas) touch(m.memory, mm, vma.start + 3 * age, age % 3);
    m.age();
    states.push(observable(m));
    violations.push(...checkLists(m.memory), ...checkLruvecs(m.memory, { quiescent: true }));
    tier3.push(m.lruvec.lrugen.avgTotal[3]!);
  }
  const { listHead } = m.lruvec.lrugen;
  const lists = Array.from({ length: 40 }, (_, i) => [...m.memory.lists.walk(listHead + i)]);
  return { states, violations, tier3, lists };
}
