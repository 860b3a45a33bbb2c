import { renderTable } from "@lrugen/report";
import { exampleListText, type ExampleState, type IncMinSeqRepro } from "@lrugen/workloads";

const INTRODUCTION = `Lists go from head (hot) to tail (evicted first). The walk has found c and f young and promoted them
in place (*): their flags say generation 3. The next aging empties generation 2 into generation 3.
`;

const EXPLANATION = `avg_total averages what was protected: half of the pages of one aging. A promoted folio is in tier 3.
`;

/** The example's lists before the aging, and after it on both kernels. */
export function exampleText({ examples, after }: IncMinSeqRepro, color: boolean): string {
  const columns = [
    { title: "" },
    { title: "generation", align: "right" } as const,
    { title: "folios" },
    { title: "avg_total", unit: "pages, tiers 0..3" },
  ];
  const rows = [
    ...stateRows("at first", examples.before.before),
    ...stateRows("aged, before", examples.before.after),
    ...(after === null ? [] : stateRows("aged, after", examples.after.after)),
  ];
  return `${INTRODUCTION}\n${renderTable({ columns, rows }, color)}\n${EXPLANATION}`;
}

function stateRows(label: string, { lists, avgTotal }: ExampleState): string[][] {
  return lists.map((list, i) => [
    i === 0 ? label : "",
    String(list.seq),
    exampleListText(list),
    i === 0 ? avgTotal.join(" ") : "",
  ]);
}
