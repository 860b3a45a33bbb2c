import {
  type DumpList,
  type FeatureSet,
  type OracleResult,
  parseScenario,
  runScenario,
} from "@lrugen/sim";

/**
 * Ten pages, small enough to print: `a`..`h` are born in generation 2, `x` and `y` one generation
 * later. The walk finds `c` and `f` young and promotes them in place, to generation 3; the others
 * are in ranges with MADV_RANDOM, which the walk leaves alone (VMA-13). The last aging then empties
 * generation 2 into generation 3, promoted folios and all.
 *
 * A scenario as the harness on a real kernel runs it; `lrugen scenario` takes it too.
 */
export const EXAMPLE_SCENARIO = `# OLD is h g f e d c b a, NEXT is y x: the last page touched is at the head of its list
anon OLD 8
anon NEXT 2
madvise OLD random 0 8
madvise OLD normal 2 1
madvise OLD normal 5 1
madvise NEXT random 0 2
touch OLD 0 8 w
drain
raw + $ID 0 $MAX
touch NEXT 0 2 w
drain
raw + $ID 0 $MAX
dump before
raw + $ID 0 $MAX
dump after
`;

/** Letters of the pages by region, page 0 first. */
const LETTERS: Readonly<Record<string, string>> = { OLD: "hgfedcba", NEXT: "yx" };

/** One folio of the example. */
export interface ExampleFolio {
  readonly letter: string;
  /** Its flags name another generation than the list it is on: promoted in place, not yet moved. */
  readonly promoted: boolean;
}

/** A generation list of the example. */
export interface ExampleList {
  readonly seq: number;
  /** Head (hot end) to tail (where eviction takes). */
  readonly folios: readonly ExampleFolio[];
}

/** The anon lists that hold folios, oldest generation first, and what goes with them. */
export interface ExampleState {
  readonly maxSeq: number;
  readonly minSeq: number;
  readonly lists: readonly ExampleList[];
  /** avg_total of anon, pages by tier: what has been evicted or protected, averaged. */
  readonly avgTotal: readonly number[];
}

/** The example before and after the aging that empties its oldest generation. */
export interface IncMinSeqExample {
  readonly before: ExampleState;
  readonly after: ExampleState;
}

/** Runs EXAMPLE_SCENARIO. */
export function runIncMinSeqExample(features: FeatureSet): IncMinSeqExample {
  const result = runScenario(parseScenario(EXAMPLE_SCENARIO, "inc-min-seq example"), features);
  return { before: stateOf(result, "dump before"), after: stateOf(result, "dump after") };
}

function stateOf(result: OracleResult, cmd: string): ExampleState {
  const dump = result.steps.find((step) => step.cmd === cmd)?.dump;
  if (dump === undefined) throw new Error(`the example has no step ${cmd}`);
  return {
    maxSeq: dump.max_seq,
    minSeq: dump.min_seq[0] as number,
    lists: dump.lists.filter(({ type }) => type === "anon").map(exampleList),
    avgTotal: dump.tiers.avg_total.anon,
  };
}

function exampleList({ seq, gen: listGen, folios }: DumpList): ExampleList {
  const shown = folios.flatMap(([name, first, last, , gen]) => {
    const step = last < first ? -1 : 1;
    return Array.from({ length: Math.abs(last - first) + 1 }, (_, i) => ({
      letter: LETTERS[name]?.[first + i * step] ?? "?",
      promoted: gen !== listGen,
    }));
  });
  return { seq, folios: shown };
}

/** A list in one line, head to tail; `*` behind a folio that was promoted in place. */
export function exampleListText({ folios }: ExampleList): string {
  return folios.map(({ letter, promoted }) => letter + (promoted ? "*" : "")).join(" ");
}
