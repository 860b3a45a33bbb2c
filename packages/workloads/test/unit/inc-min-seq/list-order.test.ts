import { MAX_NR_GENS, MAX_NR_ZONES } from "@lrugen/mm-core";
import { systemFeatures } from "@lrugen/sim";
import { describe, expect, it } from "vitest";
import { IncMinSeqProgram } from "../../../src/index.ts";
import { OrderWatch } from "../../../src/inc-min-seq/list-order.ts";

/** A window of four generations with the folios of `pages` pages on its oldest list. */
const aged = (pages = 8): { program: IncMinSeqProgram; watch: OrderWatch } => {
  const program = new IncMinSeqProgram({ features: systemFeatures(), pages });
  for (let gen = 3; gen < 6; gen++) program.age(gen);
  return { program, watch: new OrderWatch(program.guest.system.memory) };
};

/** Moves every folio of the oldest list to the next, in the order that `arrange` gives. */
const moveAll = ({ guest }: IncMinSeqProgram, arrange: (folios: number[]) => number[]): void => {
  const { lrugen } = guest.memcg.lruvecs[0]!;
  const { lists, folios, allocator } = guest.system.memory;
  const headOf = (seq: number): number =>
    lrugen.listHead + (seq % MAX_NR_GENS) * 2 * MAX_NR_ZONES + allocator.zoneOf(0);
  const seq = lrugen.minSeq[0]!;
  const step = folios.flags[lists.first(headOf(seq))]!;
  for (const folio of arrange([...lists.walk(headOf(seq))])) {
    lists.moveTail(headOf(seq + 1), folio);
    folios.flags[folio] = nextGen(step, folios.flags[folio]!);
  }
};

/** Flags one generation on, for folios that are in the generation of `oldest`. */
const nextGen = (oldest: number, word: number): number => {
  const gen = (oldest >>> GEN_SHIFT) & 7;
  return (word & ~(7 << GEN_SHIFT)) | ((gen === MAX_NR_GENS ? 1 : gen + 1) << GEN_SHIFT);
};

const GEN_SHIFT = 27;

describe("the order of folios that an aging moves", () => {
  it.each([
    ["kept", (folios: number[]): number[] => folios],
    ["reversed", (folios: number[]): number[] => folios.toReversed()],
    ["mixed", (folios: number[]): number[] => [...folios.slice(4), ...folios.slice(0, 4)]],
  ] as const)("%s", (order, arrange) => {
    const { program, watch } = aged();
    const { lrugen } = program.guest.memcg.lruvecs[0]!;
    watch.before(lrugen);
    moveAll(program, arrange);
    expect(watch.after(lrugen)).toEqual({ order, promotedOrder: null });
  });

  it("is nothing for a single folio", () => {
    const { program, watch } = aged(1);
    const { lrugen } = program.guest.memcg.lruvecs[0]!;
    watch.before(lrugen);
    moveAll(program, (folios) => folios);
    expect(watch.after(lrugen)).toEqual({ order: null, promotedOrder: null });
  });

  it("is nothing while there is room for another generation", () => {
    const program = new IncMinSeqProgram({ features: systemFeatures(), pages: 8 });
    const watch = new OrderWatch(program.guest.system.memory);
    const { lrugen } = program.guest.memcg.lruvecs[0]!;
    lrugen.minSeq[0] = 1;
    watch.before(lrugen);
    expect(watch.after(lrugen)).toEqual({ order: null, promotedOrder: null });
  });
});
