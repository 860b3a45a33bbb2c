import { formatCount, renderFacts, renderSection } from "@lrugen/report";
import { INC_MIN_SEQ_FIRST_GEN, proposedRules, PUBLISHED_INC_MIN_SEQ } from "@lrugen/workloads";
import { scoreOf, type Verdict } from "../conformance/verdict.ts";
import { agingTable, orderFacts } from "./aging-text.ts";
import { exampleText } from "./example-text.ts";
import type { IncMinSeqReport } from "./inc-min-seq-report.ts";
import { patchesText } from "./patches-text.ts";
import { publishedText } from "./published-text.ts";

const KIB_PER_MIB = 1024;

/** The report for people. */
export function incMinSeqText(report: IncMinSeqReport, color: boolean): string {
  const { repro, conformance } = report;
  const sections = [
    renderSection(`inc-min-seq: ${PUBLISHED_INC_MIN_SEQ.title}`, setupText(report, color), color),
    renderSection("What each aging does (counted by the model)", agingTable(repro, color), color),
    renderSection("Order of the folios that an aging moves", orderFacts(repro, color), color),
    renderSection("The same with ten pages", exampleText(repro, color), color),
  ];
  if (repro.patches !== null) {
    const title = "What each patch changes, on top of those before it";
    sections.push(renderSection(title, patchesText(repro.patches), color));
  }
  sections.push(
    renderSection("Published times (not modelled)", publishedText(color), color),
    renderSection("Conformance", conformanceText(conformance), color),
  );
  return sections.join("\n");
}

function setupText({ kernel, features, repro }: IncMinSeqReport, color: boolean): string {
  const { before, after } = repro;
  const base = features === "" ? kernel : `${kernel} + ${features}`;
  const proposed = proposedRules((after ?? before).options.features);
  return renderFacts(
    [
      ["before", `${base}\n${switchesText(before.options.features.toString())}`],
      [
        "after",
        after === null
          ? "not run: interrupted"
          : `${base} + series/inc-min-seq\n${switchesText(after.options.features.toString())}`,
      ],
      ["benchmark", benchmarkText(repro)],
      ["engine", "functional: it counts accesses and lock holds and knows no time"],
      ["seed", "none: nothing in this benchmark is random"],
      ["PROPOSED", proposed.map(({ rule, text }) => `${rule}  ${text}`).join("\n") || "none used"],
      ["ESTIMATE", "none used: there is no machine profile in a functional run"],
    ],
    color,
  );
}

/** One switch a line. */
function switchesText(features: string): string {
  return features === "" ? "every switch at its default" : features.replaceAll(",", "\n");
}

function benchmarkText({ before }: IncMinSeqReport["repro"]): string {
  const { pages, thp, agings, drain } = before.options;
  const lastGen = INC_MIN_SEQ_FIRST_GEN + agings - 1;
  return [
    `one memcg, one process, ${sizeText(pages)} of anonymous memory (${formatCount(pages)} pages of 4 KiB)`,
    `every page written once, THP ${thp}, folio batches ${drain ? "drained" : "not drained"}`,
    `then "+ 28 0 GEN" written to lru_gen for GEN = ${INC_MIN_SEQ_FIRST_GEN}..${lastGen}: ${formatCount(agings)} agings, forced walks`,
  ].join("\n");
}

function sizeText(pages: number): string {
  const kib = pages * 4;
  return kib % KIB_PER_MIB === 0
    ? `${formatCount(kib / KIB_PER_MIB)} MiB`
    : `${formatCount(kib)} KiB`;
}

function conformanceText(verdicts: readonly Verdict[] | null): string {
  if (verdicts === null) return "not run: interrupted";
  const { passed, failed } = scoreOf(verdicts);
  const unmodelled = verdicts.filter(({ outcome }) => outcome === "not-modelled").length;
  const lines = [
    `${passed} identical of ${passed + failed} scenarios that Linux 7.3.4 ran: the whole state, folio by folio.`,
  ];
  if (failed > 0) {
    lines.push(
      `Of the other ${failed}, ${unmodelled} use parts that this version does not model and ${failed - unmodelled} differ.`,
      "lrugen conformance names each of them and its first difference.",
    );
  }
  return lines.join("\n");
}
