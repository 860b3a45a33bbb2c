import { formatDecimal, renderTable } from "@lrugen/report";
import { PUBLISHED_INC_MIN_SEQ, type PublishedPair } from "@lrugen/workloads";

/** The figures of the series' letter, and whose they are. */
export function publishedText(color: boolean): string {
  const { title, author, x86, arm64 } = PUBLISHED_INC_MIN_SEQ;
  const columns = [
    { title: "" },
    { title: "before", unit: "ms", align: "right" } as const,
    { title: "after", unit: "ms", align: "right" } as const,
  ];
  const rows = [
    ...x86.agings.map((aging) => [`gen ${aging.gen}`, ...pairCells(aging, 3)]),
    ["total of 101", ...pairCells(x86.total, 3)],
    ["average", ...pairCells(x86.average, 3)],
    ...arm64.averages.map((pair) => [
      `arm64, THP=${pair.thp}, average`,
      ...pairCells(pair, pair.thp === "always" ? 4 : 3),
    ]),
  ];
  const source = [
    `Measured by ${author} on ${x86.machine}, and by ${arm64.author} on ${arm64.machine};`,
    `from the letter "${title}".`,
    "The engine has no clock, so there is nothing modelled to put beside them.",
  ].join("\n");
  return `${source}\n\n${renderTable({ columns, rows }, color)}`;
}

function pairCells({ beforeMs, afterMs }: PublishedPair, digits: number): string[] {
  return [beforeMs, afterMs].map((ms) => (ms === null ? "-" : formatDecimal(ms, digits)));
}
