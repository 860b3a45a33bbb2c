/**
 * One switch of the model: usually one patch of a series, sometimes a choice inside one. Policy
 * packages list theirs; the whole system collects them into a registry.
 */
export interface FeatureDescriptor {
  /** Unique, dotted: `mglru.incMinSeq.splitAccounting`. */
  readonly name: string;
  /** On or off, or one of `values`. */
  readonly default: boolean | string;
  /** The values of a feature that is more than on or off; its series sets the last one. */
  readonly values?: readonly string[];
  /** The patch series it belongs to, null for none: `inc-min-seq`. */
  readonly series: string | null;
  /** Its 1-based patch in the series; null for a choice that no patch makes. */
  readonly patch: number | null;
  /** One line: what is different when it is on. */
  readonly title: string;
  /** Ids of the rules it changes: `AGE-13`. */
  readonly rules: readonly string[];
  /** What must be on with it: `name`, or `name=value`. */
  readonly requires: readonly string[];
  /** It goes with the series but is no part of it (a patch that a later version dropped). */
  readonly outsideSeries?: boolean;
}
