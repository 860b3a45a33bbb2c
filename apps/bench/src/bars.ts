import type { CaseResult, MetricResult } from "./results.ts";
import { median } from "./statistics.ts";

/** One metric of one case. */
interface Figure {
  readonly name: string;
  /** Index among the metrics of the case; the first by default. */
  readonly metric?: number;
}

/** How a measured value is judged. */
export type Relation = "at most" | "below" | "at least";

/** Something the model promises about its speed or size. */
export interface Bar {
  /** What is promised, in words. */
  readonly title: string;
  readonly figure: Figure;
  /** With it, the value is how many times `figure` is as large as this one. */
  readonly relativeTo?: Figure;
  readonly relation: Relation;
  readonly bound: number;
  /** Title of a bar that must be met as well. */
  readonly needs?: string;
}

/** A bar, judged. */
export interface BarResult {
  readonly title: string;
  readonly measured: number;
  readonly relation: Relation;
  readonly bound: number;
  /** Unit of both; `x` for a ratio. */
  readonly unit: string;
  readonly met: boolean;
}

const BASELINE = "steady-state aging, Linux 7.3";

/**
 * Bytes a read, a fault or a folio. One object a batch of 64 would be more; what is left is the text of a
 * debugfs command, some 2 KiB for 16,384 folios.
 */
const NOTHING_ALLOCATED = 0.5;

function allocatesNothing(what: string, figure: Figure): Bar {
  const title = `heap allocated, ${what}`;
  return { title, figure, relation: "below", bound: NOTHING_ALLOCATED };
}

/** A case whose second size takes at most `bound` times as long a folio as its first. */
function isLinear(title: string, name: string, bound: number): Bar {
  const [figure, relativeTo] = [
    { name, metric: 1 },
    { name, metric: 0 },
  ];
  return { title, figure, relativeTo, relation: "at most", bound };
}

/** Every bar of this program. */
export const BARS: readonly Bar[] = [
  {
    title: BASELINE,
    figure: { name: "aging/steady/stock" },
    relation: "at most",
    bound: 25,
  },
  {
    title: "steady-state aging, Linux 7.3 : series",
    figure: { name: "aging/steady/stock" },
    relativeTo: { name: "aging/steady/series" },
    relation: "at least",
    bound: 1.6,
    needs: BASELINE,
  },
  {
    title: "inc_min_seq(), Linux 7.3 : series",
    figure: { name: "incMinSeq/stock" },
    relativeTo: { name: "incMinSeq/series" },
    relation: "at least",
    bound: 2,
  },
  {
    title: "walk of young PTEs",
    figure: { name: "walk/young" },
    relation: "at most",
    bound: 15,
  },
  {
    title: "walk of old PTEs",
    figure: { name: "walk/old" },
    relation: "at most",
    bound: 15,
  },
  isLinear("aging, Linux 7.3, 16 GiB : 512 MiB", "aging/growth/stock", 2),
  isLinear("aging, series, 16 GiB : 512 MiB", "aging/growth/series", 2),
  allocatesNothing("a read of a cached page", { name: "file/read-hit", metric: 1 }),
  allocatesNothing("a read with readahead", { name: "file/readahead", metric: 1 }),
  allocatesNothing("a fault-around fault", { name: "file/fault-around", metric: 1 }),
  isLinear("eviction of page cache, 131,072 folios : 16,384", "evict/file", 1.5),
  isLinear("eviction to zram, 131,072 folios : 16,384", "evict/anon", 1.5),
  allocatesNothing("an evicted page-cache folio", { name: "evict/file", metric: 2 }),
  allocatesNothing("an anonymous folio evicted", { name: "evict/anon", metric: 2 }),
  {
    title: "resident memory of a 16 GiB machine",
    figure: { name: "memory/16GiB" },
    relation: "below",
    bound: 400,
  },
  {
    title: "arrays, a folio",
    figure: { name: "memory/16GiB", metric: 1 },
    relation: "at most",
    bound: 40,
  },
  {
    title: "arrays, a PTE",
    figure: { name: "memory/16GiB", metric: 2 },
    relation: "at most",
    bound: 8,
  },
];

/**
 * Judges the bars whose cases were run, by medians; a ratio by the median over the rounds, each with
 * the medians of its own repetitions, since a round is measured at one time.
 */
export function judgeBars(
  results: readonly CaseResult[],
  bars: readonly Bar[] = BARS,
): BarResult[] {
  const judged: BarResult[] = [];
  for (const bar of bars) {
    const metric = find(results, bar.figure);
    const other = bar.relativeTo === undefined ? metric : find(results, bar.relativeTo);
    if (metric === undefined || other === undefined) continue;
    const { title, relation, bound } = bar;
    const measured = other === metric ? metric.median : ratio(metric, other);
    const unit = other === metric ? metric.unit : "x";
    const needed = judged.find((earlier) => earlier.title === bar.needs);
    const met = holds(measured, relation, bound) && needed?.met !== false;
    judged.push({ title, measured, relation, bound, unit, met });
  }
  return judged;
}

function find(results: readonly CaseResult[], figure: Figure): MetricResult | undefined {
  return results.find(({ name }) => name === figure.name)?.metrics[figure.metric ?? 0];
}

function ratio(metric: MetricResult, other: MetricResult): number {
  return median(
    metric.rounds.map((figures, round) => median(figures) / median(other.rounds[round] ?? [])),
  );
}

function holds(measured: number, relation: Relation, bound: number): boolean {
  if (relation === "at least") return measured >= bound;
  return relation === "below" ? measured < bound : measured <= bound;
}
