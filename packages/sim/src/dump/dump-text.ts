import { countersText, numbersText, quote } from "./json-text.ts";
import type {
  ByType,
  Dump,
  DumpBatch,
  DumpList,
  DumpProc,
  DumpRegion,
  FolioRun,
} from "./oracle-result.ts";

const TIER_COUNTERS = ["avg_refaulted", "avg_total", "refaulted", "evicted", "protected"] as const;

function byTypeText(values: ByType): string {
  return `{"anon":${numbersText(values.anon)},"file":${numbersText(values.file)}}`;
}

function runText([name, first, last, order, gen, refs, flags]: FolioRun): string {
  return `[${quote(name)},${first},${last},${order},${gen},${refs},${quote(flags)}]`;
}

function runsText(runs: readonly FolioRun[]): string {
  return `[${runs.map(runText).join(",")}]`;
}

function listText(list: DumpList): string {
  const head = `{"type":${quote(list.type)},"seq":${list.seq},"gen":${list.gen}`;
  const folios = runsText(list.folios);
  return `\n    ${head},"zone":${quote(list.zone)},"folios":${folios},"pages":${list.pages}}`;
}

function batchText([name, batch]: [string, DumpBatch]): string {
  return `${quote(name)}:{"nr":${batch.nr},"folios":${runsText(batch.folios)}}`;
}

function regionText([name, region]: [string, DumpRegion]): string {
  const { pte, lru, pmd } = region;
  return `${quote(name)}:{"pte":${quote(pte)},"lru":${quote(lru)},"pmd":${quote(pmd)}}`;
}

function procText([name, proc]: [string, DumpProc]): string {
  const faults = `"minflt":${proc.minflt},"majflt":${proc.majflt}`;
  const regions = Object.entries(proc.regions).map(regionText).join(",");
  return `\n    ${quote(name)}:{"mm_used":${proc.mm_used},${faults},"regions":{${regions}}}`;
}

/** The object that a `dump` line prints, with the fixtures' line breaks. */
export function dumpText(dump: Dump): string {
  const { tiers, mm_state: mm } = dump;
  const tierFields = TIER_COUNTERS.map((key) => `"${key}":${byTypeText(tiers[key])}`);
  const classic = Object.entries(dump.classic).map(
    ([key, runs]) => `${quote(key)}:${runsText(runs)}`,
  );
  const fields = [
    `"max_seq":${dump.max_seq},"min_seq":${numbersText(dump.min_seq)},"enabled":${dump.enabled},` +
      `"memcg_gen":${dump.memcg_gen},"memcg_seg":${dump.memcg_seg}`,
    `"nr_pages":${byTypeText(dump.nr_pages)}`,
    `"tiers":{"_":${quote(tiers._)},${tierFields.join(",")}}`,
    `"mm_state":{"seq":${mm.seq},"stats_TYFA":${numbersText(mm.stats_TYFA)},` +
      `"bloom_bits":${numbersText(mm.bloom_bits)}}`,
    `"lists":[${dump.lists.map(listText).join(",")}]`,
    `"classic":{${classic.join(",")}}`,
    `"batches":{${Object.entries(dump.batches).map(batchText).join(",")}}`,
    `"procs":{${Object.entries(dump.procs).map(procText).join(",")}}`,
    `"memory.events":${countersText(dump["memory.events"])}`,
    `"vmstat_delta":${countersText(dump.vmstat_delta)}`,
  ];
  return `{${fields.join(",\n   ")}}`;
}
