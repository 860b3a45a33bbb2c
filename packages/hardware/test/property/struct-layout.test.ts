import fc from "fast-check";
import { expect, test } from "vitest";
import { structLayout, type FieldSpec } from "../../src/index.ts";

const field = fc.tuple(fc.integer({ min: 1, max: 200 }), fc.constantFrom(1, 2, 4, 8, 16, 64));

test("fields are aligned, in order, never overlap, and waste less than their alignment", () => {
  fc.assert(
    fc.property(
      fc.array(field, { maxLength: 20, size: "max" }),
      fc.constantFrom(1, 8, 64),
      (sizes, align) => {
        const specs = sizes.map(([size, fieldAlign], index): FieldSpec => [
          `f${index}`,
          size,
          fieldAlign,
        ]);
        const layout = structLayout("s", align, specs);
        let end = 0;
        for (const [index, { offset, size }] of layout.fields.entries()) {
          const fieldAlign = sizes[index]![1];
          expect(offset % fieldAlign).toBe(0);
          expect(offset).toBeGreaterThanOrEqual(end);
          expect(offset - end).toBeLessThan(fieldAlign);
          end = offset + size;
        }
        expect(layout.align).toBe(Math.max(align, ...sizes.map(([, fieldAlign]) => fieldAlign)));
        expect(layout.size % layout.align).toBe(0);
        expect(layout.size).toBeGreaterThanOrEqual(end);
        expect(layout.size - end).toBeLessThan(layout.align);
      },
    ),
  );
});

test("embedding a struct shifts its fields by the offset of the embedding field", () => {
  fc.assert(
    fc.property(
      fc.array(field, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 100 }),
      (sizes, before) => {
        const inner = structLayout(
          "inner",
          1,
          sizes.map(([size, align], index): FieldSpec => [`f${index}`, size, align]),
        );
        const outer = structLayout("outer", 1, [
          ["before", before],
          ["in", inner],
        ]);
        const [, embedded, ...parts] = outer.fields;
        expect(embedded!.offset % inner.align).toBe(0);
        expect(parts.map(({ name, offset }) => [name, offset - embedded!.offset])).toEqual(
          inner.fields.map(({ name, offset }) => [`in.${name}`, offset]),
        );
      },
    ),
  );
});
