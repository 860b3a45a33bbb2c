import { formatLruGen } from "@lrugen/formats";
import { type Lruvec, MAX_NR_ZONES, type Memory, type Mm } from "@lrugen/mm-core";
import { checkAllocator, checkLists, checkLruvecs, MonotoneChecker } from "@lrugen/mm-core/check";
import { bloomFilterBits, type IncMinSeqFeatures, lruGenRecords } from "../../src/index.ts";
import { featuresOn } from "../machine.ts";
import { NaiveWalk, type WalkMemory } from "./naive-walk.ts";
import { NaiveWindow } from "./naive-window.ts";
import { type AgeStep, type MachineSpec, type Step, World } from "./random-machine.ts";

/** A world whose every aging is compared with the naive one, and whose every state is checked. */
export class CheckedWorld {
  readonly world: World;
  private readonly features: IncMinSeqFeatures;
  private readonly walkMemories = new Map<Lruvec, WalkMemory>();
  private readonly monotone = new MonotoneChecker();

  constructor(spec: MachineSpec, names: readonly (keyof IncMinSeqFeatures)[]) {
    this.world = new World(spec, names);
    this.features = featuresOn(names);
    this.world.onLeave = (mm: Mm) => {
      for (const { covered } of this.walkMemories.values()) covered.delete(mm);
    };
  }

  /** @returns a line for everything that is not as the rules say after the step */
  take(step: Step): string[] {
    const found = step.op === "age" ? this.age(step) : [];
    if (step.op !== "age") this.world.take(step);
    return [...found, ...this.violations()];
  }

  /** What is wrong now; MINV-01, 02, 04..10, 12..14, 38 and INV-20. */
  violations(): string[] {
    const { memory } = this.world.m;
    return [
      ...checkLists(memory),
      ...checkLruvecs(memory, { quiescent: true }),
      ...checkAllocator(memory),
      ...this.monotone.sample(memory, { quiescent: true }),
      ...textViolations(memory),
    ];
  }

  private age(step: AgeStep): string[] {
    const { world } = this;
    const { m } = world;
    const lruvec = world.lruvecOf(step);
    const memory = this.walkMemories.get(lruvec) ?? { covered: new Set(), filters: [null, null] };
    this.walkMemories.set(lruvec, memory);
    const statsBefore = [...lruvec.mmState.stats];
    const { moved } = m.policy.aging.counts;
    const pages = pagesOf(lruvec);

    const walk = new NaiveWalk(world, lruvec, step.swappiness, step.force, memory);
    walk.run();
    const window = new NaiveWindow(m.memory, lruvec, walk.flags, this.features);
    window.run(step.swappiness);
    const command = world.commandOf(step);
    const written = m.write(command);

    const { mmState } = lruvec;
    return [
      ...differs("bytes written", written, command.length),
      ...differs("page tables", changes(m.memory.pageTables.entries, walk.entries), []),
      ...differs("flag words", changes(m.memory.folios.flags, walk.flags), []),
      ...this.windowDiffers(lruvec, window),
      ...differs(
        "statistics",
        [...mmState.stats],
        statsBefore.map((n, i) => n + walk.stats[i]!),
      ),
      ...differs(
        "Bloom filters",
        mmState.filters.map((filter) => filter && bloomFilterBits(filter)),
        memory.filters.map((filter) => filter && filter.size),
      ),
      ...differs(
        "used bits",
        world.mms.map((mm) => mm.lruGenBitmap),
        [...walk.bitmaps.values()],
      ),
      ...[...walk.secondary].flatMap(([mm, young]) =>
        differs("secondary MMU", [...world.secondaryYoung(mm)!], [...young]),
      ),
      ...differs("folios moved", m.policy.aging.counts.moved - moved, window.moved),
      ...differs("MINV-29: pages by type and zone", pagesOf(lruvec), pages),
      ...differs("MINV-31", mmState.stats[1]! <= mmState.stats[0]!, true),
      ...differs("MINV-31", mmState.stats[3]! <= mmState.stats[2]!, true),
    ];
  }

  private windowDiffers({ lrugen }: Lruvec, window: NaiveWindow): string[] {
    const { lists } = this.world.m.memory;
    return [
      ...differs(
        "sequence numbers",
        [lrugen.maxSeq, ...lrugen.minSeq],
        [window.maxSeq, ...window.minSeq],
      ),
      ...window.lists.flatMap((expected, i) =>
        differs(`list ${i}`, [...lists.walk(lrugen.listHead + i)], expected),
      ),
      ...differs("avg_total", [...lrugen.avgTotal], window.avgTotal),
      ...differs("avg_refaulted", [...lrugen.avgRefaulted], window.avgRefaulted),
    ];
  }
}

/** MINV-38: four generations in the full file, and no negative size. */
function textViolations(memory: Memory): string[] {
  const records = lruGenRecords(memory.root, memory.clock.jiffies);
  const negative = formatLruGen(records, { full: true }).filter((line) => line.includes("-"));
  const counts = records.flatMap(({ nodes }) => nodes.map(({ generations }) => generations.length));
  return [
    ...negative.map((line) => `MINV-38: ${line}`),
    ...differs(
      "MINV-38: generations",
      counts.every((count) => count === 4),
      true,
    ),
  ];
}

/** Pages by type and zone, over all generations. */
function pagesOf({ lrugen }: Lruvec): number[] {
  const pages = Array.from({ length: 2 * MAX_NR_ZONES }, () => 0);
  for (const [i, count] of lrugen.nrPages.entries()) pages[i % (2 * MAX_NR_ZONES)]! += count;
  return pages;
}

/** The first few elements that differ: index, what was found, what was expected. */
function changes(found: Int32Array, expected: Int32Array): string[] {
  const lines: string[] = [];
  for (let i = 0; i < found.length && lines.length < 5; i++) {
    const [one, other] = [found[i]!, expected[i]!];
    if (one !== other)
      lines.push(`[${i}] 0x${(one >>> 0).toString(16)} for 0x${(other >>> 0).toString(16)}`);
  }
  return lines;
}

function differs(what: string, found: unknown, expected: unknown): string[] {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  return one === other ? [] : [`${what}: found ${one}, expected ${other}`];
}
