import type { FeatureDescriptor } from "@lrugen/mm-core";
import { renderFacts, renderSection } from "@lrugen/report";
import { DEFAULT_PRESET, PRESETS, SYSTEM_FEATURES } from "@lrugen/sim";
import { EXIT_OK } from "../exit-code.ts";
import { type CliIo, wantsColor } from "../terminal/cli-io.ts";

/** What `lrugen features` was given. */
export interface FeaturesOptions {
  readonly json?: boolean;
}

/** Prints every preset and every switch. @returns exit code */
export function features(options: FeaturesOptions, io: CliIo): number {
  io.write(options.json === true ? featuresJson() : featuresText(wantsColor(io)));
  return EXIT_OK;
}

function featuresJson(): string {
  const document = {
    schema: "lrugen.features/1",
    kernels: PRESETS.map((preset) => ({ ...preset, default: preset.name === DEFAULT_PRESET })),
    features: [...SYSTEM_FEATURES.features()].map((feature) => ({
      ...feature,
      outsideSeries: feature.outsideSeries === true,
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function featuresText(color: boolean): string {
  const kernels = PRESETS.map(
    ({ name, title }) => [name, name === DEFAULT_PRESET ? `${title} (default)` : title] as const,
  );
  const switches = [...SYSTEM_FEATURES.features()];
  return [
    renderSection("Kernels (--kernel)", renderFacts(kernels, color), color),
    renderSection(
      "Switches (--features NAME, -NAME, NAME=VALUE, series/NAME, series/NAME:1-4)",
      switches.map((feature) => renderFacts(featureFacts(feature), color)).join("\n"),
      color,
    ),
  ].join("\n");
}

function featureFacts(feature: FeatureDescriptor): (readonly [string, string])[] {
  const { name, default: byDefault, values, title, rules, requires } = feature;
  const state = typeof byDefault === "string" ? byDefault : byDefault ? "on" : "off";
  const facts: [string, string][] = [
    ["switch", name],
    ["does", title],
    ["default", values === undefined ? state : `${state}, one of ${values.join(", ")}`],
    ["from", originOf(feature)],
    ["rules", rules.join(", ")],
  ];
  if (requires.length > 0) facts.push(["requires", requires.join(", ")]);
  return facts;
}

function originOf({ series, patch, outsideSeries }: FeatureDescriptor): string {
  if (series === null) return "no series";
  if (patch === null || outsideSeries === true) return `goes with series/${series}`;
  return `series/${series}, patch ${patch}`;
}
