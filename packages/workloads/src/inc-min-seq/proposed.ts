import type { FeatureSet } from "@lrugen/sim";

/** A detail that the letter of a series leaves open and the model had to decide. */
export interface ProposedRule {
  /** Rule of the specification. */
  readonly rule: string;
  /** The switch it comes with. */
  readonly feature: string;
  /** What was decided. */
  readonly text: string;
}

const PREFIX = "mglru.incMinSeq.";

const PROPOSED: readonly ProposedRule[] = [
  {
    rule: "S1-02",
    feature: `${PREFIX}batchSizes`,
    text: "summed sizes are applied at the end of a zone's list and of the budget, lru_lock still held",
  },
  {
    rule: "S1-03",
    feature: `${PREFIX}promotedAhead`,
    text: "promoted folios are put at the head one by one, in the order they are visited",
  },
  {
    rule: "S1-05",
    feature: `${PREFIX}prefetchInline`,
    text: "the folio visited next is the one prefetched, from head to tail; costs only",
  },
  {
    rule: "S1-07",
    feature: `${PREFIX}spliceRuns`,
    text: "a run ends at a promoted folio, at the end of the budget or at the end of the list",
  },
  {
    rule: "S1-08",
    feature: `${PREFIX}headToTail`,
    text: "promoted and non-promoted folios both count towards the 4,096 of one lock hold",
  },
];

/** The proposed rules that a set of features uses, in rule order. */
export function proposedRules(features: FeatureSet): readonly ProposedRule[] {
  return PROPOSED.filter(({ feature }) => features.isOn(feature));
}
