import { FeatureError } from "./feature-error.ts";
import type { FeatureRegistry } from "./feature-registry.ts";
import type { FeatureSet } from "./feature-set.ts";
import { parseFeatures } from "./parse-features.ts";

/** A kernel to start from (`--kernel`). One named after a version has fixtures from that kernel. */
export interface Preset {
  readonly name: string;
  readonly title: string;
  /** What differs from the defaults, as `parseFeatures` reads it. */
  readonly features: string;
}

export const DEFAULT_PRESET = "linux-7.3";

export const PRESETS: readonly Preset[] = [
  {
    name: DEFAULT_PRESET,
    title: "Linux 7.3 as Debian builds it: every feature at its default",
    features: "",
  },
];

/** The preset called `name`. @throws FeatureError listing the presets */
export function findPreset(name: string): Preset {
  const preset = PRESETS.find((candidate) => candidate.name === name);
  if (preset === undefined) {
    const names = PRESETS.map((candidate) => candidate.name);
    throw new FeatureError(
      `unknown kernel ${JSON.stringify(name)}, expected one of ${names.join(", ")}`,
    );
  }
  return preset;
}

/** The features of the preset called `name`. @throws FeatureError when there is none */
export function presetFeatures(name: string, registry: FeatureRegistry): FeatureSet {
  return parseFeatures(findPreset(name).features, registry);
}
