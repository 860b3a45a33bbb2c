import type { FeatureDescriptor } from "@lrugen/mm-core";
import { nearestNames } from "./nearest-names.ts";
import { FeatureError } from "./feature-error.ts";

/** Every feature there is, by name and by series. */
export class FeatureRegistry {
  readonly #byName: ReadonlyMap<string, FeatureDescriptor>;

  /**
   * @param descriptors in the order they are listed and printed
   * @throws FeatureError when two have the same name, a default is none of the values, or something
   *   required does not exist
   */
  constructor(descriptors: readonly FeatureDescriptor[]) {
    const byName = new Map<string, FeatureDescriptor>();
    for (const feature of descriptors) {
      if (byName.has(feature.name)) {
        throw new FeatureError(`feature ${feature.name} is registered twice`);
      }
      byName.set(feature.name, feature);
    }
    this.#byName = byName;
    for (const feature of descriptors) this.#checkDescriptor(feature);
  }

  /** All descriptors, in order. */
  features(): Iterable<FeatureDescriptor> {
    return this.#byName.values();
  }

  /** The feature called `name`. @throws FeatureError naming it and the nearest names */
  feature(name: string): FeatureDescriptor {
    const feature = this.#byName.get(name);
    if (feature === undefined) {
      throw new FeatureError(
        `unknown feature ${JSON.stringify(name)}${nearestNames(name, this.#byName.keys())}`,
      );
    }
    return feature;
  }

  /**
   * The patches of a series, in patch order; features outside it and mere choices left out.
   *
   * @throws FeatureError naming the series and the nearest names
   */
  series(name: string): readonly (FeatureDescriptor & { readonly patch: number })[] {
    const patches = [...this.#byName.values()]
      .filter((feature) => feature.series === name && feature.outsideSeries !== true)
      .filter((feature) => feature.patch !== null) as (FeatureDescriptor & { patch: number })[];
    if (patches.length === 0) {
      throw new FeatureError(
        `unknown series ${JSON.stringify(name)}${nearestNames(name, this.#seriesNames())}`,
      );
    }
    return patches.toSorted((one, other) => one.patch - other.patch);
  }

  #seriesNames(): ReadonlySet<string> {
    const names = [...this.#byName.values()].map((feature) => feature.series);
    return new Set(names.filter((name) => name !== null));
  }

  #checkDescriptor(feature: FeatureDescriptor): void {
    const { name, values, default: byDefault } = feature;
    const fits = typeof byDefault === "string" ? values?.includes(byDefault) : values === undefined;
    if (fits !== true) {
      throw new FeatureError(
        `feature ${name}: its default must be one of its values, if it has any`,
      );
    }
    for (const requirement of feature.requires) {
      this.feature(requirement.split("=", 1)[0] as string);
    }
  }
}
