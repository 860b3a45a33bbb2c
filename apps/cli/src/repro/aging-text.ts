import { type Column, formatCount, renderFacts, renderTable, type TableCell } from "@lrugen/report";
import {
  type AgingSpan,
  agingSpans,
  type IncMinSeqAging,
  type IncMinSeqRepro,
  type IncMinSeqRun,
  type ListOrder,
} from "@lrugen/workloads";

/** Agings at the start that have a row of their own. */
const SINGLE_ROWS = 5;

const COUNTS = ["walked", "promoted", "moved", "splices", "lockHolds"] as const;
/** What must be equal for agings to share a row. */
const COMPARED = [...COUNTS, "young", "order", "promotedOrder"] as const;

/** The counts of every aging, before and after side by side; equal neighbours share a row. */
export function agingTable({ before, after }: IncMinSeqRepro, color: boolean): string {
  const runs = after === null ? [before] : [before, after];
  const spans = agingSpans(
    runs.map(({ agings }) => agings),
    SINGLE_ROWS,
    COMPARED,
  );
  const columns = [
    { title: "gen", align: "right" } as const,
    ...runs.flatMap(({ options }, i) => countColumns(i === 0 ? "before" : "after", options.thp)),
  ];
  const rows = spans.map((span) => [
    genText(before, span),
    ...runs.flatMap(({ agings }) => agings.slice(span.first, span.first + 1).flatMap(countCells)),
  ]);
  return renderTable({ columns, rows }, color) + spansText(before, spans);
}

function countColumns(group: string, thp: string): Column[] {
  return [
    { group, title: "walked", unit: thp === "never" ? "PTEs" : "entries" },
    { group, title: "promoted", unit: "folios" },
    { group, title: "moved", unit: "folios" },
    { group, title: "splices" },
    { group, title: "lru_lock", unit: "holds" },
  ];
}

function countCells(aging: IncMinSeqAging): TableCell[] {
  return COUNTS.map((count) => aging[count]);
}

function genText({ agings }: IncMinSeqRun, { first, last }: AgingSpan): string {
  const from = agings[first]?.seq;
  return first === last ? `${from}` : `${from}..${agings[last]?.seq}`;
}

/** Says of every row that stands for several agings that it does. */
function spansText(before: IncMinSeqRun, spans: readonly AgingSpan[]): string {
  return spans
    .filter(({ first, last }) => last > first)
    .map(
      (span) =>
        `${genText(before, span)}: ${formatCount(span.last - span.first + 1)} agings, checked to be equal in every column and in order.\n`,
    )
    .join("");
}

/** What became of the order of the folios moved, counted over the agings. */
export function orderFacts({ before, after }: IncMinSeqRepro, color: boolean): string {
  const facts: [string, string][] = [["before", orderText(before)]];
  if (after !== null) facts.push(["after", orderText(after)]);
  return renderFacts(facts, color);
}

function orderText({ agings }: IncMinSeqRun): string {
  const others = ordersText(agings.map(({ order }) => order));
  const promoted = ordersText(agings.map(({ promotedOrder }) => promotedOrder));
  return `of non-promoted folios: ${others}\nof promoted folios: ${promoted}`;
}

function ordersText(orders: readonly (ListOrder | null)[]): string {
  const seen = orders.filter((order) => order !== null);
  if (seen.length === 0) return "no aging moved two of them";
  const counts = (["kept", "reversed", "mixed"] as const)
    .map((order) => [order, seen.filter((other) => other === order).length] as const)
    .filter(([, count]) => count > 0);
  return counts
    .map(([order, count]) => `${order} in ${count} of ${seen.length} agings that moved them`)
    .join(", ");
}
