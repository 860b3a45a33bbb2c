import { LRU_GEN_MASK, type Lruvec, singleNode } from "@lrugen/mm-core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { featuresOn, Machine } from "../machine.ts";
import { observable } from "./observable.ts";
import { ALLOWED, PATCHES, SETS, type Switch } from "./patches.ts";
import { type AgeStep, machineSpecs, steps, World } from "./random-machine.ts";
import { RUNS } from "./runs.ts";
import { smallCase } from "./small-case.ts";

describe("on the same trace of agings, the series changes order and protected alone (MINV-40, S1-11)", () => {
  test("whatever its patches, on random machines", () => {
    fc.assert(
      fc.property(machineSpecs, steps, fc.constantFrom(...ALLOWED), (spec, history, names) => {
        const [stock, series] = [new World(spec), new World(spec, names)];
        for (const step of history) {
          for (const world of [stock, series]) {
            if (step.op === "age") world.m.write(world.commandOf(step));
            else world.take(step);
          }
          expect(observable(series.m)).toEqual(observable(stock.m));
        }
      }),
      RUNS,
    );
  });

  test("with headToTail what was colder stays colder (S1-06, S1-08)", () => {
    fc.assert(
      fc.property(machineSpecs, steps, fc.boolean(), (spec, history, spliceRuns) => {
        const world = new World(spec, spliceRuns ? PATCHES : ["promotedAhead", "headToTail"]);
        for (const step of history) {
          const { kept, expected } = step.op === "age" ? ageAndCompare(world, step) : NOTHING;
          if (step.op !== "age") world.take(step);
          expect(kept).toEqual(expected);
        }
      }),
      RUNS,
    );
  });
});

const NOTHING = { kept: [], expected: [] };

/** Whether the flags of a folio name the generation of this sequence number. */
function isOf(m: Machine, folio: number, seq: number): boolean {
  return (m.flags(folio) & LRU_GEN_MASK) >> 27 === (seq % 4) + 1;
}

/** Folios of the two oldest generations of a type, coldest first, without promoted ones. */
function coldest(m: Machine, lruvec: Lruvec, type: number, zone: number): number[] {
  const seq = lruvec.lrugen.minSeq[type]!;
  return [seq, seq + 1].flatMap((each) =>
    m
      .list(each, type, zone, lruvec)
      .toReversed()
      .filter((folio) => isOf(m, folio, each)),
  );
}

/**
 * Ages, when every evictable type has its four generations.
 * @returns the order of what was in the oldest two and was not promoted, after and before
 */
function ageAndCompare(
  world: World,
  step: AgeStep,
): { readonly kept: unknown[]; readonly expected: unknown[] } {
  const { m } = world;
  const lruvec = world.lruvecOf(step);
  const { lrugen } = lruvec;
  const types = step.swappiness === 0 ? [1] : step.swappiness === 201 ? [0] : [0, 1];
  const full = types.filter((type) => lrugen.maxSeq === lrugen.minSeq[type]! + 3);
  const places = full.flatMap((type) => [1, 2].map((zone) => ({ type, zone })));
  const before = places.map(({ type, zone }) => coldest(m, lruvec, type, zone));
  m.write(world.commandOf(step));
  const expected = before.map((folios) =>
    folios.filter((folio) => !isOf(m, folio, lrugen.maxSeq - 1)),
  );
  const kept = places.map(({ type, zone }, i) =>
    m
      .list(lrugen.minSeq[type]!, type, zone, lruvec)
      .toReversed()
      .filter((folio) => expected[i]!.includes(folio)),
  );
  return { kept, expected };
}

describe("every allowed set of patches on a small case", () => {
  const stock = smallCase([]);
  const cases = ALLOWED.map((names) => ({ names, found: smallCase(names) }));

  test("there are 96 of them (S1-10)", () => {
    expect(ALLOWED).toHaveLength(96);
    expect(ALLOWED.map((names) => featuresOn(names).spliceRuns).filter(Boolean)).toHaveLength(32);
  });

  test("spliceRuns without headToTail is none of them, and is refused (S1-07)", () => {
    const refused = SETS.filter((names) => !ALLOWED.includes(names));
    expect(refused).toHaveLength(32);
    for (const names of refused) expect(() => featuresOn(names)).toThrow(RangeError);
  });

  test("keeps every invariant (MINV-01..MINV-13)", () => {
    expect(cases.flatMap(({ found }) => found.violations)).toEqual([]);
  });

  test.each(cases)("$names shows what stock shows, at every aging (MINV-40)", ({ found }) => {
    expect(found.states).toEqual(stock.states);
  });

  test("each prefix of the series is among them", () => {
    const prefixes = PATCHES.map((_name, i) => PATCHES.slice(0, i + 1).join());
    expect(prefixes.filter((each) => !ALLOWED.some((names) => names.join() === each))).toEqual([]);
  });

  test("tier 3 differs with promotedNotProtected, and only with it (S1-04)", () => {
    const differing = cases.filter(({ found }) => found.tier3.join() !== stock.tier3.join());
    expect(differing.map(({ names }) => names)).toEqual(
      ALLOWED.filter((names) => names.includes("promotedNotProtected")),
    );
  });

  test("order depends on promotedAhead and headToTail alone (S1-07, S1-10)", () => {
    const orders = Map.groupBy(cases, ({ names }) =>
      names.filter((name) => name === "promotedAhead" || name === "headToTail").join(),
    );
    const distinct = [...orders.values()].map(
      (group) => new Set(group.map(({ found }) => JSON.stringify(found.lists))),
    );
    expect(distinct.map((lists) => lists.size)).toEqual([1, 1, 1, 1]);
    expect(new Set(distinct.flatMap((lists) => [...lists])).size).toBe(4);
  });
});

/** More than two lock holds move. */
const MANY = 2 * 4096 + 100;

/** The oldest list, head to tail, every tenth folio promoted: both kinds, and the machine after. */
function ageMany(features: readonly Switch[]): { m: Machine; kept: number[]; promoted: number[] } {
  const m = new Machine({ features, nodes: singleNode(16_384) });
  const kept: number[] = [];
  const promoted: number[] = [];
  for (let i = 0; i < MANY; i++) {
    const folio = m.onList(0);
    if (i % 10 === 3) m.setGen(folio, 3);
    (i % 10 === 3 ? promoted : kept).unshift(folio);
  }
  m.age();
  return { m, kept, promoted };
}

describe("more folios than one lock hold moves", () => {
  test("stock reverses them as a whole (AGE-13)", () => {
    const { kept, promoted, m } = ageMany([]);
    expect([m.lruvec.lock.acquisitions, m.list(0)]).toEqual([3, []]);
    expect(m.list(1)).toEqual(kept.toReversed());
    expect(m.list(3)).toEqual(promoted.toReversed());
  });

  test.each([
    [["headToTail"], false],
    [["headToTail", "spliceRuns"], false],
    [PATCHES, true],
  ] as const)("%j keeps their order across the lock drops (S1-08)", (features, ahead) => {
    const { kept, promoted, m } = ageMany(features);
    expect([m.lruvec.lock.acquisitions, m.list(0)]).toEqual([3, []]);
    expect(m.list(1)).toEqual(kept);
    expect(m.list(3)).toEqual(ahead ? promoted.toReversed() : promoted);
  });
});
