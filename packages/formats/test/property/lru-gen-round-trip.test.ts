import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatLruGen,
  readLruGen,
  type LruGenField,
  type LruGenGeneration,
  type LruGenMemcg,
  type LruGenNode,
  type LruGenTier,
  type StatMark,
  type TierMark,
} from "../../src/index.ts";

const count = fc.oneof(fc.integer({ min: 0, max: 99 }), fc.maxSafeNat());

function field<Mark extends string>(...marks: Mark[]): fc.Arbitrary<LruGenField<Mark>> {
  return fc.record({ value: count, mark: fc.constantFrom(...marks) });
}

const tierFields = fc.tuple(
  field<TierMark>(" ", "x", "R", "r"),
  field<TierMark>(" ", "x", "T", "e"),
  field<TierMark>(" ", "x", "p"),
);
const tiers: fc.Arbitrary<LruGenTier[]> = fc.array(
  fc.record({ anon: tierFields, file: tierFields }),
  {
    minLength: 4,
    maxLength: 4,
  },
);

const stats = (letters: StatMark[]): fc.Arbitrary<LruGenField<StatMark>[]> =>
  fc.tuple(...letters.map((letter) => field<StatMark>(" ", "x", letter)));

/** The shape all generations of a memcg share: short, full without walks, full of 7.3, full before the secondary-mmu series. */
const SHAPES = [
  { full: false, letters: [] },
  { full: true, letters: [] },
  { full: true, letters: ["T", "Y", "F", "A"] },
  { full: true, letters: ["t", "y", "f", "a"] },
  { full: true, letters: ["L", "O", "Y", "N", "F", "A"] },
] satisfies { full: boolean; letters: StatMark[] }[];

function node(shape: (typeof SHAPES)[number], id: number): fc.Arbitrary<LruGenNode> {
  const generation = fc.record({
    ageMs: count,
    // The short file has no marks.
    anon: shape.full ? field(" ", "x") : field(" "),
    file: shape.full ? field(" ", "x") : field(" "),
    tiers: shape.full ? tiers : fc.constant([]),
    mmStats: stats(shape.letters),
  });
  return fc
    .tuple(fc.nat({ max: 2 ** 40 }), fc.array(generation, { minLength: 1, maxLength: 4 }))
    .map(([first, generations]) => ({
      node: id,
      generations: generations.map((rest, index): LruGenGeneration => ({
        seq: first + index,
        ...rest,
      })),
    }));
}

function memcg(shape: (typeof SHAPES)[number]): fc.Arbitrary<LruGenMemcg> {
  const nodes = fc
    .uniqueArray(fc.nat({ max: 1023 }), { minLength: 1, maxLength: 3 })
    .chain((ids) => fc.tuple(...ids.toSorted((a, b) => a - b).map((id) => node(shape, id))));
  const path = fc
    .array(fc.stringMatching(/^[ -~é]{0,12}$/), { maxLength: 3 })
    .map((parts) => `/${parts.join("/")}`);
  return fc.record({ id: count, path: fc.oneof(path, fc.constant("")), nodes });
}

const dump = fc.constantFrom(...SHAPES).chain((shape) =>
  fc.record({
    full: fc.constant(shape.full),
    memcgs: fc.array(memcg(shape), { minLength: 1, maxLength: 4 }),
  }),
);

test("what is written is read back, and written again the same", () => {
  fc.assert(
    fc.property(dump, ({ full, memcgs }) => {
      const lines = formatLruGen(memcgs, { full });
      const again = [...readLruGen(lines, "dump")];
      expect(again).toEqual(memcgs);
      expect(formatLruGen(again, { full })).toEqual(lines);
    }),
  );
});

test("what lost its trailing blanks is read the same, unless the path ended in one", () => {
  fc.assert(
    fc.property(dump, ({ full, memcgs }) => {
      fc.pre(memcgs.every(({ path }) => path.trimEnd() === path));
      const lines = formatLruGen(memcgs, { full }).map((line) => line.trimEnd());
      expect([...readLruGen(lines, "dump")]).toEqual(memcgs);
    }),
  );
});
