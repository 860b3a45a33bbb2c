/** One switch of a patch series or mechanism. */
export interface FeatureDescriptor {
  readonly name: string;
  readonly default: boolean | string;
  readonly values?: readonly string[];
  readonly series: string | null;
  readonly patch: number | null;
  readonly title: string;
  readonly rules: readonly string[];
  readonly requires: readonly string[];
  readonly outsideSeries?: boolean;
}
