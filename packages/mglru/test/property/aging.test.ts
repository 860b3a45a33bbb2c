import { type Lruvec, type Mm, MAX_NR_ZONES } from "@lrugen/mm-core";
import { checkAllocator, checkLists, checkLruvecs, MonotoneChecker } from "@lrugen/mm-core/check";
import { formatLruGen } from "@lrugen/formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bloomFilterBits, type IncMinSeqFeatures, lruGenRecords } from "../../src/index.ts";
import { featuresOn } from "../machine.ts";
import { NaiveWalk, type WalkMemory } from "./naive-aging.ts";
import { NaiveWindow } from "./naive-window.ts";
import { type AgeStep, machineSpecs, type MachineSpec, type Step, steps, World } from "./random-machine.ts";
import { RUNS } from "./runs.ts";

type Switch = keyof IncMinSeqFeatures;

/** A world whose every aging is compared with the naive one. */
class CheckedWorld {
  readonly world: World;
  private readonly features: IncMinSeqFeatures;
  private readonly walkMemories = new Map<Lruvec, WalkMemory>();
  private readonly monotone = new MonotoneChecker();

  constructor(spec: MachineSpec, names: readonly Switch[]) {
    this.world = new World(spec, names);
    this.features = featuresOn(names);
    this.world.onLeave = (mm: Mm) => {
      for (const { covered } of this.walkMemories.values()) covered.delete(mm);
    };
    this.checkInvariants();
  }

  take(step: Step): void {
    if (step.op === "age") this.age(step);
    else this.world.take(step);
    this.checkInvariants();
  }

  private age(step: AgeStep): void {
    const { world } = this;
    const { m } = world;
    const lruvec = world.lruvecOf(step);
    const memory = this.walkMemories.get(lruvec) ?? { covered: new Set(), filters: [null, null] };
    this.walkMemories.set(lruvec, memory);
    const before = { stats: [...lruvec.mmState.stats], counts: m.policy.aging.counts };
    const sizes = sizesOf(lruvec);

    const walk = new NaiveWalk(world, lruvec, step.swappiness, step.force, memory);
    walk.run();
    const window = new NaiveWindow(m.memory, lruvec, walk.flags, this.features);
    window.run(step.swappiness);
    const command = world.commandOf(step);
    expect(m.write(command)).toBe(command.length);

    const { lrugen, mmState } = lruvec;
    expect(firstDifference(m.memory.pageTables.entries, walk.entries), "page tables").toBe(-1);
    expect(firstDifference(m.memory.folios.flags, walk.flags), "flag words").toBe(-1);
    expect([lrugen.maxSeq, ...lrugen.minSeq]).toEqual([window.maxSeq, ...window.minSeq]);
    const lists = window.lists.map((_, i) => [...m.memory.lists.walk(lrugen.listHead + i)]);
    expect(lists).toEqual(window.lists);
    expect([...lrugen.avgTotal, ...lrugen.avgRefaulted]).toEqual([...window.avgTotal, ...window.avgRefaulted]);
    expect([...mmState.stats]).toEqual(before.stats.map((count, i) => count + walk.stats[i]!));
    expect(mmState.filters.map((filter) => filter && bloomFilterBits(filter))).toEqual(
      memory.filters.map((filter) => filter && filter.size),
    );
    expect(world.mms.map((mm) => mm.lruGenBitmap)).toEqual([...walk.bitmaps.values()]);
    for (const [mm, young] of walk.secondary) expect(world.secondaryYoung(mm)).toEqual(young);
    expect(m.policy.aging.counts.moved - before.counts.moved).toBe(window.moved);
    // MINV-29: nothing came and nothing went.
    expect(sizesOf(lruvec)).toEqual(sizes);
    // MINV-31.
    expect(mmState.stats[1]!).toBeLessThanOrEqual(mmState.stats[0]!);
    expect(mmState.stats[3]!).toBeLessThanOrEqual(mmState.stats[2]!);
  }

  private checkInvariants(): void {
    const { memory } = this.world.m;
    expect([
      ...checkLists(memory),
      ...checkLruvecs(memory, { quiescent: true }),
      ...checkAllocator(memory),
      ...this.monotone.sample(memory, { quiescent: true }),
    ]).toEqual([]);
    // MINV-38: what debugfs prints has four generations, none of a negative size.
    const records = lruGenRecords(memory.root, memory.clock.jiffies);
    expect(formatLruGen(records, { full: true }).some((line) => line.includes("-"))).toBe(false);
    for (const { nodes } of records) {
      for (const { generations } of nodes) expect(generations).toHaveLength(4);
    }
  }
}

/** Pages by type and zone, over all generations. */
function sizesOf({ lrugen }: Lruvec): number[] {
  const sizes = Array.from({ length: 2 * MAX_NR_ZONES }, () => 0);
  for (const [i, pages] of lrugen.nrPages.entries()) sizes[i % (2 * MAX_NR_ZONES)]! += pages;
  return sizes;
}

/** Index of the first element that differs, −1 = none. */
function firstDifference(a: Int32Array, b: Int32Array): number {
  return a.findIndex((value, i) => value !== b[i]);
}

function property(names: readonly Switch[]): void {
  fc.assert(
    fc.property(machineSpecs, steps, (spec, history) => {
      const checked = new CheckedWorld(spec, names);
      for (const step of history) checked.take(step);
    }),
    RUNS,
  );
}

describe("random machines age as the rules say, folio by folio (MINV-01..21, 29..33, 36, 38)", () => {
  test("stock", () => property([]));

  test("with the whole series", () =>
    property([
      "splitAccounting",
      "batchSizes",
      "promotedAhead",
      "promotedNotProtected",
      "prefetchInline",
      "headToTail",
      "spliceRuns",
    ]));

  test("with patch 6 but not 3, 4 and 7 (S1-10)", () => property(["batchSizes", "headToTail"]));

  test("with patches 3 and 4 alone (S1-10)", () =>
    property(["promotedAhead", "promotedNotProtected", "batchProtected"]));
});
