import { describe, expect, it } from "vitest";
import {
  DEFAULT_PRESET,
  findPreset,
  presetFeatures,
  PRESETS,
} from "../../../src/features/preset.ts";
import { REGISTRY } from "./registry.ts";
import { featureErrorOf } from "./thrown.ts";

describe("presets", () => {
  it("linux-7.3 is the default and changes nothing", () => {
    expect(DEFAULT_PRESET).toBe("linux-7.3");
    expect(findPreset(DEFAULT_PRESET).name).toBe("linux-7.3");
    expect(presetFeatures(DEFAULT_PRESET, REGISTRY).nonDefault()).toEqual([]);
  });

  it("an unknown one is refused with the list of those there are", () => {
    expect(featureErrorOf(() => presetFeatures("linux-9.9", REGISTRY))).toBe(
      `unknown kernel "linux-9.9", expected one of ${PRESETS.map(({ name }) => name).join(", ")}`,
    );
  });
});
