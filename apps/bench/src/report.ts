import { type Column, formatDecimal, renderTable } from "@lrugen/report";
import type { BarResult } from "./bars.ts";
import type { BenchCase } from "./bench-case.ts";
import type { Environment } from "./environment.ts";
import type { CaseResult } from "./results.ts";

/** Everything a run found out. */
export interface Report {
  /** Where it was made, and how busy the machine was when it began. */
  readonly environment: Environment;
  readonly cases: readonly CaseResult[];
  readonly bars: readonly BarResult[];
}

const CASE_COLUMNS: readonly Column[] = [
  { title: "case" },
  { title: "figure" },
  { title: "min", align: "right" },
  { title: "median", align: "right" },
  { title: "unit" },
];

const BAR_COLUMNS: readonly Column[] = [
  { title: "bar" },
  { title: "measured", align: "right" },
  { title: "expected" },
  { title: "met" },
];

/**
 * A run as two tables: what was measured, and how it stands to the bars.
 * @param color whether the output may have ANSI colours
 */
export function formatTables({ environment, cases, bars }: Report, color: boolean): string {
  const measured = cases.flatMap(({ name, metrics }) =>
    metrics.map(({ label, unit, min, median }) => [name, label, digits(min), digits(median), unit]),
  );
  const judged = bars.map(({ title, measured: value, relation, bound, unit, met }) => [
    title,
    `${digits(value)} ${unit}`,
    `${relation} ${bound} ${unit}`,
    met ? "yes" : "no",
  ]);
  const parts = [`${formatEnvironment(environment)}\n`];
  parts.push(renderTable({ columns: CASE_COLUMNS, rows: measured }, color));
  if (judged.length > 0) parts.push(renderTable({ columns: BAR_COLUMNS, rows: judged }, color));
  return parts.join("\n");
}

/** The cases and what they measure, as a table. */
export function formatList(cases: readonly BenchCase[], color: boolean): string {
  const columns = [{ title: "case" }, { title: "what is measured" }];
  return renderTable({ columns, rows: cases.map(({ name, what }) => [name, what]) }, color);
}

/** A run as a document. */
export function formatJson(report: Report): string {
  return `${JSON.stringify({ schema: "lrugen-bench/1", ...report }, undefined, 2)}\n`;
}

function formatEnvironment({ date, node, v8, platform, cpu, cpus, load }: Environment): string {
  return `${date}, Node ${node} (V8 ${v8}), ${platform}, ${cpus} x ${cpu}, load ${load.toFixed(2)}`;
}

/** Two decimals for what is read as a ratio or as a few ns, none for large figures. */
function digits(value: number): string {
  return formatDecimal(value, value < 100 ? 2 : 0);
}
