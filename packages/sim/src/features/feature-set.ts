import { FeatureError } from "./feature-error.ts";
import type { FeatureRegistry } from "./feature-registry.ts";

/** On or off, or the value of a feature that has values. */
export type FeatureValue = boolean | string;

/** A feature that is not as it is by default. */
export interface FeatureSetting {
  readonly name: string;
  readonly value: FeatureValue;
}

/** The form `--features` takes for one setting: `name`, `-name` or `name=value`. */
function settingText({ name, value }: FeatureSetting): string {
  if (typeof value === "string") return `${name}=${value}`;
  return value ? name : `-${name}`;
}

/** A value for every feature of a registry; nothing it holds contradicts a `requires`. */
export class FeatureSet {
  readonly #registry: FeatureRegistry;
  readonly #values: ReadonlyMap<string, FeatureValue>;

  /**
   * @param values what differs from the defaults, by name
   * @throws FeatureError for an unknown name or value, or when a `requires` is not met
   */
  constructor(registry: FeatureRegistry, values: ReadonlyMap<string, FeatureValue>) {
    this.#registry = registry;
    const all = new Map<string, FeatureValue>();
    for (const feature of registry.features()) all.set(feature.name, feature.default);
    for (const [name, value] of values) {
      const feature = registry.feature(name);
      const fits =
        typeof value === "string"
          ? feature.values?.includes(value) === true
          : feature.values === undefined;
      if (!fits) throw new FeatureError(`feature ${name} cannot be ${JSON.stringify(value)}`);
      all.set(name, value);
    }
    this.#values = all;
    this.#checkRequirements();
  }

  /**
   * Whether a switch is on.
   *
   * @throws FeatureError for an unknown name, and for a feature with values: ask `value`
   */
  isOn(name: string): boolean {
    const value = this.value(name);
    if (typeof value === "string") {
      throw new FeatureError(`feature ${name} is ${JSON.stringify(value)}, neither on nor off`);
    }
    return value;
  }

  /** The value of a feature. @throws FeatureError for an unknown name */
  value(name: string): FeatureValue {
    // The registry's message has the nearest names.
    return this.#values.get(name) ?? this.#registry.feature(name).default;
  }

  /** What is not as by default, in registry order; for printing with every result. */
  nonDefault(): readonly FeatureSetting[] {
    const settings: FeatureSetting[] = [];
    for (const feature of this.#registry.features()) {
      const value = this.value(feature.name);
      if (value !== feature.default) settings.push({ name: feature.name, value });
    }
    return settings;
  }

  /** The shortest list that `parseFeatures` reads back as this set. */
  toString(): string {
    return this.nonDefault().map(settingText).join(",");
  }

  #checkRequirements(): void {
    for (const feature of this.#registry.features()) {
      // A feature with values requires things when it is not at its default.
      const value = this.value(feature.name);
      const active = typeof value === "string" ? value !== feature.default : value;
      if (!active) continue;
      for (const requirement of feature.requires) {
        const [name, wanted] = requirement.split("=", 2) as [string, string | undefined];
        const has = this.value(name);
        if (wanted === undefined ? has !== false : has === wanted) continue;
        const found = typeof has === "string" ? `is ${has}` : `is ${has ? "on" : "off"}`;
        throw new FeatureError(
          `feature ${feature.name} requires ${requirement}, but ${name} ${found}`,
        );
      }
    }
  }
}
