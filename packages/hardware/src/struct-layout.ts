/** Bytes in a cache line, on every machine modelled. */
const CACHE_LINE = 64;
export const CACHE_LINE_BYTES: number = CACHE_LINE;

/** C gives no scalar a larger alignment than this on the machines modelled. */
const MAX_NATURAL_ALIGN = 8;

/** One field of a struct; offset and size in bytes. */
export interface FieldLayout {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

/** Where the fields of a struct are. Bytes. */
export interface StructLayout {
  readonly name: string;
  readonly size: number;
  readonly align: number;
  readonly fields: readonly FieldLayout[];
}

/**
 * A field to be placed: `[name, bytes]` with the alignment C gives a scalar or an array of scalars of that size,
 * `[name, bytes, align]` with another one, or `[name, layout]` for an embedded struct, whose fields then appear as
 * `name.field` too.
 */
export type FieldSpec =
  | readonly [name: string, size: number]
  | readonly [name: string, size: number, align: number]
  | readonly [name: string, layout: StructLayout];

/**
 * Lays a struct out as C does: each field at the next multiple of its alignment, the size rounded up to the alignment of the
 * whole, which is the largest of its fields' and `align`.
 *
 * ```ts
 * structLayout("lru_gen_mm_list", 1, [["fifo", 16], ["lock", 4]]); // fifo 0, lock 16, size 24
 * ```
 *
 * @param align the least alignment of the struct: 1 for an ordinary one, 64 for one that is cache-line aligned
 * @throws Error naming struct and field if a size or alignment makes no sense or a name appears twice
 */
export function structLayout(
  name: string,
  align: number,
  fields: readonly FieldSpec[],
): StructLayout {
  checkAlign(name, "the struct", align);
  const placed: FieldLayout[] = [];
  let end = 0;
  let structAlign = align;
  for (const spec of fields) {
    const [field, sizeOrLayout] = spec;
    const inner = typeof sizeOrLayout === "number" ? undefined : sizeOrLayout;
    const size = typeof sizeOrLayout === "number" ? sizeOrLayout : sizeOrLayout.size;
    if (!Number.isInteger(size) || size < 0) {
      throw new Error(`struct ${name}: field ${field} has size ${size}, expected an integer >= 0`);
    }
    const fieldAlign = spec[2] ?? inner?.align ?? naturalAlign(size);
    checkAlign(name, `field ${field}`, fieldAlign);
    const offset = roundUp(end, fieldAlign);
    placed.push({ name: field, offset, size });
    for (const part of inner?.fields ?? []) {
      placed.push({ name: `${field}.${part.name}`, offset: offset + part.offset, size: part.size });
    }
    end = offset + size;
    structAlign = Math.max(structAlign, fieldAlign);
  }
  checkUnique(name, placed);
  return { name, size: roundUp(end, structAlign), align: structAlign, fields: placed };
}

/**
 * Looks a field up.
 *
 * @throws Error naming the struct's fields, if it has none of that name
 */
export function fieldOf(layout: StructLayout, field: string): FieldLayout {
  const found = layout.fields.find((candidate) => candidate.name === field);
  if (found === undefined) {
    const known = layout.fields.map((candidate) => candidate.name).join(", ");
    throw new Error(`struct ${layout.name} has no field ${field}, expected one of: ${known}`);
  }
  return found;
}

/**
 * Which 64-byte line of the struct holds the first byte of a field: 0 for the first.
 *
 * @throws Error if there is no such field
 */
export function lineOf(layout: StructLayout, field: string): number {
  return Math.floor(fieldOf(layout, field).offset / CACHE_LINE);
}

function naturalAlign(size: number): number {
  if (size === 0) return 1;
  let align = MAX_NATURAL_ALIGN;
  while (size % align !== 0) align /= 2;
  return align;
}

function roundUp(offset: number, align: number): number {
  return Math.ceil(offset / align) * align;
}

function checkAlign(struct: string, what: string, align: number): void {
  if (!Number.isInteger(align) || align < 1 || align > 4096 || (align & (align - 1)) !== 0) {
    throw new Error(
      `struct ${struct}: ${what} has alignment ${align}, expected a power of two from 1 to 4096`,
    );
  }
}

function checkUnique(struct: string, fields: readonly FieldLayout[]): void {
  const seen = new Set<string>();
  for (const { name } of fields) {
    if (name === "" || seen.has(name))
      throw new Error(`struct ${struct}: field name "${name}" is empty or used twice`);
    seen.add(name);
  }
}
