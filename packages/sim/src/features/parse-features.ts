import type { FeatureDescriptor } from "@lrugen/mm-core";
import { FeatureError } from "./feature-error.ts";
import type { FeatureRegistry } from "./feature-registry.ts";
import { FeatureSet, type FeatureValue } from "./feature-set.ts";

const SERIES_PREFIX = "series/";
/** `:3`, `:1-4`, `:-4` (up to 4) or `:5-` (from 5 on). */
const PATCH_RANGE = /^(?:([0-9]+)|([0-9]*)-([0-9]*))$/;

/** What the series turns a feature into: on, or the last of its values. */
function seriesValue(feature: FeatureDescriptor): FeatureValue {
  return feature.values?.at(-1) ?? true;
}

function parsePatchRange(item: string, range: string, last: number): [from: number, to: number] {
  const match = PATCH_RANGE.exec(range);
  if (match === null || range === "-") {
    throw new FeatureError(`${item}: found patches ${JSON.stringify(range)}, expected N or N-M`);
  }
  const [, single, from, to] = match;
  const first = Number(single ?? (from === "" ? 1 : from));
  const final = Number(single ?? (to === "" ? last : to));
  if (first < 1 || final > last || first > final) {
    throw new FeatureError(
      `${item}: found patches ${range}, expected a range within 1-${last}, the lower number first`,
    );
  }
  return [first, final];
}

function applySeries(
  item: string,
  on: boolean,
  registry: FeatureRegistry,
  values: Map<string, FeatureValue>,
): void {
  const [name, range] = item.slice(SERIES_PREFIX.length).split(/:(.*)/s, 2) as [string, string?];
  const patches = registry.series(name);
  const last = patches.at(-1)?.patch ?? 0;
  const [from, to] = range === undefined ? [1, last] : parsePatchRange(item, range, last);
  for (const feature of patches) {
    if (feature.patch < from || feature.patch > to) continue;
    const off = feature.values === undefined ? false : feature.default;
    values.set(feature.name, on ? seriesValue(feature) : off);
  }
}

function applyValue(
  name: string,
  value: string,
  registry: FeatureRegistry,
  values: Map<string, FeatureValue>,
): void {
  const feature = registry.feature(name);
  if (feature.values === undefined) {
    throw new FeatureError(
      `feature ${name} is on or off: found ${JSON.stringify(`${name}=${value}`)}, expected ${name} or -${name}`,
    );
  }
  if (!feature.values.includes(value)) {
    const expected = feature.values.join(", ");
    throw new FeatureError(`feature ${name}: found ${JSON.stringify(value)}, expected ${expected}`);
  }
  values.set(name, value);
}

function applySwitch(
  name: string,
  on: boolean,
  registry: FeatureRegistry,
  values: Map<string, FeatureValue>,
): void {
  const feature = registry.feature(name);
  if (feature.values === undefined) {
    values.set(name, on);
  } else if (on) {
    const expected = `${name}= with one of ${feature.values.join(", ")}`;
    throw new FeatureError(`feature ${name}: found no value, expected ${expected}`);
  } else {
    values.set(name, feature.default);
  }
}

/**
 * Reads a feature list: comma-separated, a later item wins over an earlier one.
 *
 * Items: `name` (on), `-name` (off; a feature with values goes back to its default), `name=value`,
 * `series/NAME` (every patch of a series on), `series/NAME:1-4` or `:3` (those patches of it), and
 * `-series/…` (the same, off). What an item does not name stays as it is.
 *
 * @param base where to start from; the defaults when not given
 * @throws FeatureError for an unknown name (with the nearest ones), series, value or patch, and
 *   when the result has a feature without what it requires (naming both)
 */
export function parseFeatures(
  text: string,
  registry: FeatureRegistry,
  base?: FeatureSet,
): FeatureSet {
  const settings = base?.nonDefault() ?? [];
  const values = new Map<string, FeatureValue>(settings.map(({ name, value }) => [name, value]));
  const items = text.trim() === "" ? [] : text.split(",");
  for (const raw of items) {
    const trimmed = raw.trim();
    const on = !trimmed.startsWith("-");
    const item = on ? trimmed : trimmed.slice(1);
    if (item === "") {
      throw new FeatureError(
        `features ${JSON.stringify(text)}: found an empty item, expected a name between commas`,
      );
    }
    const [name, value] = item.split(/=(.*)/s, 2) as [string, string?];
    if (item.startsWith(SERIES_PREFIX)) applySeries(item, on, registry, values);
    else if (value === undefined) applySwitch(name, on, registry, values);
    else if (on) applyValue(name, value, registry, values);
    else throw new FeatureError(`found ${JSON.stringify(trimmed)}, expected -NAME or NAME=VALUE`);
  }
  return new FeatureSet(registry, values);
}
