import { MGLRU_FEATURES } from "@lrugen/mglru";
import type { FeatureSet } from "../features/feature-set.ts";
import { FeatureRegistry } from "../features/feature-registry.ts";
import { parseFeatures } from "../features/parse-features.ts";
import { DEFAULT_PRESET, findPreset } from "../features/preset.ts";

/** Every switch of every package, in package and patch order. */
export const SYSTEM_FEATURES: FeatureRegistry = new FeatureRegistry(MGLRU_FEATURES);

/**
 * A preset's features with a comma list on top; later entries win.
 * @param text as `--features` takes it; empty for the preset alone
 * @throws FeatureError for an unknown name or a violated `requires`
 */
export function systemFeatures(text = "", kernel: string = DEFAULT_PRESET): FeatureSet {
  const preset = findPreset(kernel).features;
  return parseFeatures([preset, text].filter((part) => part !== "").join(","), SYSTEM_FEATURES);
}
