import type { FeatureDescriptor } from "@lrugen/mm-core";
import type { IncMinSeqAging } from "./aging-record.ts";
import { exampleListText, type IncMinSeqExample } from "./example.ts";
import type { IncMinSeqRun } from "./run.ts";

/** A value as it is compared; null: there is none. */
type Shown = number | string | null;

/** One thing that a patch changes, where it first shows. */
export interface PatchChange {
  /** What it is, with its unit. */
  readonly what: string;
  /** The aging of the benchmark where it first differs; null: it differs in the example. */
  readonly seq: number | null;
  /** Agings of the benchmark where it differs; 0 for the example. */
  readonly agings: number;
  /** Without the patch; null: there was nothing to say. */
  readonly before: Shown;
  /** With it. */
  readonly after: Shown;
}

/** A patch on top of those before it. */
export interface PatchEffect {
  readonly patch: number;
  /** Name of its switch. */
  readonly feature: string;
  readonly title: string;
  /** Empty: nothing that the model counts. Then the patch is about cost, or prepares the next. */
  readonly changes: readonly PatchChange[];
}

/** What a set of patches gives: the benchmark and the example. */
export interface PatchOutcome {
  readonly run: IncMinSeqRun;
  readonly example: IncMinSeqExample;
}

/** What is compared, in the order it is printed. */
const COMPARED: readonly (readonly [key: keyof IncMinSeqAging, what: string])[] = [
  ["walked", "PTEs walked"],
  ["young", "young PTEs"],
  ["promoted", "folios promoted to max_seq"],
  ["moved", "folios moved"],
  ["splices", "list splices"],
  ["lockHolds", "lru_lock holds"],
  ["order", "order of non-promoted folios"],
  ["promotedOrder", "order of promoted folios"],
  ["avgTotal", "avg_total of anon tier 3, pages"],
];

/** Compares the outcome with a patch to the one without it. */
export function patchEffect(
  patch: FeatureDescriptor & { readonly patch: number },
  without: PatchOutcome,
  withPatch: PatchOutcome,
): PatchEffect {
  return {
    patch: patch.patch,
    feature: patch.name,
    title: patch.title,
    changes: [
      ...runChanges(without.run, withPatch.run),
      ...exampleChanges(without.example, withPatch.example),
    ],
  };
}

function runChanges(without: IncMinSeqRun, withPatch: IncMinSeqRun): PatchChange[] {
  const count = Math.min(without.agings.length, withPatch.agings.length);
  const indices = Array.from({ length: count }, (_, i) => i);
  return COMPARED.flatMap(([key, what]) => {
    const differing = indices.filter(
      (i) => without.agings[i]?.[key] !== withPatch.agings[i]?.[key],
    );
    const first = differing[0];
    if (first === undefined) return [];
    const before = without.agings[first] as IncMinSeqAging;
    const after = withPatch.agings[first] as IncMinSeqAging;
    return [
      {
        what,
        seq: before.seq,
        agings: differing.length,
        before: before[key],
        after: after[key],
      },
    ];
  });
}

function exampleChanges(without: IncMinSeqExample, withPatch: IncMinSeqExample): PatchChange[] {
  const changes: PatchChange[] = [];
  const compare = (what: string, before: Shown, after: Shown): void => {
    if (before !== after) changes.push({ what, seq: null, agings: 0, before, after });
  };
  const seqs = new Set(
    [without, withPatch].flatMap(({ after }) => after.lists.map(({ seq }) => seq)),
  );
  for (const seq of seqs) {
    compare(`generation ${seq}, head to tail`, listText(without, seq), listText(withPatch, seq));
  }
  for (const [tier, total] of withPatch.after.avgTotal.entries()) {
    compare(`avg_total of anon tier ${tier}, pages`, without.after.avgTotal[tier] ?? null, total);
  }
  return changes;
}

function listText({ after }: IncMinSeqExample, seq: number): string {
  const list = after.lists.find((candidate) => candidate.seq === seq);
  return list === undefined ? "empty" : exampleListText(list);
}
