import {
  LRU_GEN_MASK,
  LRU_INACTIVE_ANON,
  LRU_UNEVICTABLE,
  PG_ACTIVE,
  PG_DIRTY,
  PG_LRU,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_UNEVICTABLE,
  PG_WRITEBACK,
} from "@lrugen/mm-core";
import { LRU_BATCH_NAMES } from "../src/index.ts";
import type { Machine } from "./machine.ts";

/** References that the test holds, by folio; every folio that is alive is in it. */
export type Held = ReadonlyMap<number, number>;

/** What draining must not touch (INV-18). */
const STABLE = PG_DIRTY | PG_WRITEBACK | PG_SWAPCACHE;

/** Checks a machine between two steps. @returns a line for each violation */
export function violationsOf(m: Machine, held: Held): string[] {
  const found: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds) found.push(what);
  };
  checkSizes(m, held, must);
  for (const [folio, references] of held) {
    checkFlags(m.flags(folio), `folio ${folio}`, must);
    const all = references + m.batches.slotsOf(folio);
    must(m.refs(folio) === all, `INV-09: folio ${folio}: ${m.refs(folio)} references, not ${all}`);
  }
  checkBatches(m, held, must);
  checkPages(m, held, must);
  return found;
}

type Must = (holds: boolean, what: string) => void;

/** INV-01, INV-02, INV-19: PG_lru, lists and sizes say the same, and the dead count nowhere. */
function checkSizes(m: Machine, held: Held, must: Must): void {
  const linked: number[] = [];
  for (const memcg of m.memcgs) {
    const lruvec = memcg.lruvecs[0]!;
    const own = [m.mglru, m.classic].flatMap((policy) => [
      ...m.memory.lists.walk(policy.headOf(lruvec)),
    ]);
    const unevictable = [...held.keys()].filter(
      (folio) =>
        m.memory.lruvecOf(folio) === lruvec &&
        (m.flags(folio) & PG_LRU) !== 0 &&
        (m.flags(folio) & PG_UNEVICTABLE) !== 0,
    );
    for (const folio of own) {
      must(m.memory.lruvecOf(folio) === lruvec, `folio ${folio} on a list of ${memcg.path}`);
      must(held.has(folio), `INV-10: freed folio ${folio} on a list`);
    }
    for (const [lru, folios] of [
      [LRU_INACTIVE_ANON, own],
      [LRU_UNEVICTABLE, unevictable],
    ] as const) {
      const [size, pages] = [lruvec.sizeOf(lru), pagesOf(m, folios)];
      must(size === pages, `INV-19: list ${lru} of ${memcg.path}: ${size} pages, not ${pages}`);
    }
    must(lruvec.lock.holder === -1, `the lock of ${memcg.path} is held`);
    linked.push(...own);
  }
  const expected = [...held.keys()].filter(
    (folio) => (m.flags(folio) & (PG_LRU | PG_UNEVICTABLE)) === PG_LRU,
  );
  const both = [linked, expected].map((folios) => folios.toSorted((a, b) => a - b).join(" "));
  must(both[0] === both[1], `INV-01, INV-02: ${both[0]} linked, PG_lru says ${both[1]}`);
}

/** INV-02..INV-04. */
function checkFlags(flags: number, subject: string, must: Must): void {
  const special = flags & (PG_ACTIVE | PG_UNEVICTABLE);
  if (flags & LRU_GEN_MASK) {
    must((flags & PG_LRU) !== 0, `INV-02: ${subject}: a generation without PG_lru`);
    must(special === 0, `INV-03: ${subject}: flags ${special} in a generation`);
  }
  must(special !== (PG_ACTIVE | PG_UNEVICTABLE), `INV-04: ${subject}: active and unevictable`);
}

/** INV-10..INV-12, INV-16: what may wait in a batch. */
function checkBatches(m: Machine, held: Held, must: Must): void {
  const added = m.cpus.flatMap(({ id }) => m.batches.slots(id, "lru_add"));
  must(new Set(added).size === added.length, `INV-16: a folio twice in ${added.join(" ")}`);
  for (const folio of added) {
    must((m.flags(folio) & PG_LRU) === 0, `INV-16: folio ${folio} with PG_lru in lru_add`);
  }
  for (const { id } of m.cpus) {
    for (const name of LRU_BATCH_NAMES) {
      const slots = m.batches.slots(id, name);
      must(slots.length <= 30, `INV-11: ${slots.length} folios in ${name}`);
      must(!slots.some((folio) => m.memory.folios.isLarge(folio)), `INV-12: ${name}`);
      must(
        slots.every((folio) => held.has(folio)),
        `INV-10: a freed folio in ${name}`,
      );
    }
  }
}

/** INV-20: no page is lost, and what is charged is what is alive. */
function checkPages(m: Machine, held: Held, must: Must): void {
  const alive = pagesOf(m, held.keys());
  const charged = m.memcgs.reduce((sum, memcg) => sum + memcg.charged, 0);
  const free = m.memory.allocator.freePages[0]!;
  must(charged === alive, `INV-20: ${charged} pages charged, ${alive} alive`);
  // One page is the zero page.
  must(free + alive + 1 === m.memory.folios.nrPages, `INV-20: ${free} free, ${alive} alive`);
}

function pagesOf(m: Machine, folios: Iterable<number>): number {
  let pages = 0;
  for (const folio of folios) pages += m.memory.folios.nrPagesOf(folio);
  return pages;
}

/** What a drain must leave alone, by folio. */
export type StableState = ReadonlyMap<number, readonly [flags: number, mapcount: number]>;

/** Reads it. */
export function stableState(m: Machine, held: Held): StableState {
  return new Map(
    [...held.keys()].map((folio) => [
      folio,
      [m.flags(folio) & (STABLE | PG_SWAPBACKED), m.memory.folios.mapcountOf(folio)],
    ]),
  );
}

/** INV-18: the same after a drain, but for PG_swapbacked, which may only be cleared. @returns violations */
export function changesOf(m: Machine, before: StableState): string[] {
  return [...before].flatMap(([folio, [flags, mapcount]]) => {
    const same =
      (m.flags(folio) & STABLE) === (flags & STABLE) &&
      (m.flags(folio) & PG_SWAPBACKED & ~flags) === 0 &&
      m.memory.folios.mapcountOf(folio) === mapcount;
    return same || m.refs(folio) === 0 ? [] : [`INV-18: folio ${folio} changed`];
  });
}
