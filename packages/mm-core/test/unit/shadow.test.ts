import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packShadow, unpackShadow } from "../../src/index.ts";

describe("a shadow", () => {
  test("gives back what went in, is exact and never 0 (RFT-01)", () => {
    const parts = fc.tuple(
      fc.integer({ min: 1, max: 65_535 }),
      fc.nat(63),
      fc.nat(2 ** 30 - 1),
      fc.boolean(),
    );
    fc.assert(
      fc.property(parts, ([privateId, node, token, workingset]) => {
        const shadow = packShadow(privateId, node, token, workingset);
        expect(Number.isSafeInteger(shadow) && shadow > 0).toBe(true);
        expect(unpackShadow(shadow)).toEqual({ privateId, node, token, workingset });
      }),
      { seed: 1 },
    );
  });

  test("forgets what of a token is beyond 30 bits (RFT-02)", () => {
    expect(unpackShadow(packShadow(1, 0, 2 ** 30 + 5, false)).token).toBe(5);
  });
});
