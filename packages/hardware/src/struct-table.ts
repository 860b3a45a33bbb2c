import type { VisitProfile } from "./hardware.ts";
import { fieldOf, type StructLayout } from "./struct-layout.ts";

/** The structs a machine knows: their layouts, and which have a region. The same for all engines. */
export class StructTable {
  readonly #layouts = new Map<string, StructLayout>();
  readonly #placed = new Set<string>();
  readonly #regions = new Set<string>();

  /** @throws Error if the struct's lines are already given out under another definition */
  define(layout: StructLayout): void {
    if (this.#placed.has(layout.name) && this.#layouts.get(layout.name) !== layout) {
      throw new Error(
        `layout of struct ${layout.name} changed after its lines were given out, define it before`,
      );
    }
    this.#layouts.set(layout.name, layout);
  }

  /** @throws Error naming the structs there are, if `struct` is none of them */
  get(struct: string): StructLayout {
    const layout = this.#layouts.get(struct);
    if (layout === undefined) {
      const known =
        this.#layouts.size === 0
          ? "none is defined"
          : `expected one of: ${[...this.#layouts.keys()].join(", ")}`;
      throw new Error(`struct ${struct} has no layout, ${known}`);
    }
    return layout;
  }

  /** Like {@link StructTable.get}, and from now on the layout is fixed because lines depend on it. */
  place(struct: string): StructLayout {
    const layout = this.get(struct);
    this.#placed.add(struct);
    return layout;
  }

  /**
   * Fixes the layout and notes that the struct has its region now.
   *
   * @throws Error if there is no such struct, it has a region already, or the count is not a positive integer
   */
  placeRegion(struct: string, count: number): StructLayout {
    this.get(struct);
    if (this.#regions.has(struct)) throw new Error(`struct ${struct} already has a region`);
    if (!Number.isSafeInteger(count) || count < 1) {
      throw new Error(
        `region of struct ${struct} has ${String(count)} objects, expected a positive integer`,
      );
    }
    this.#regions.add(struct);
    return this.place(struct);
  }

  /** @throws Error if a visit profile names a struct without a region, or a field that is not there */
  checkProfile(profile: VisitProfile): void {
    const layout = this.get(profile.struct);
    for (const { field } of profile.accesses) fieldOf(layout, field);
    if (!this.#regions.has(profile.struct)) {
      throw new Error(`visit profile ${profile.name}: struct ${profile.struct} has no region`);
    }
  }
}
