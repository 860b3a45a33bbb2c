import { describe, expect, it } from "vitest";
import { formatDifference } from "../../../src/conformance/difference.ts";

describe("formatDifference", () => {
  it("says place, expected and got in one line", () => {
    const path = 'steps[5] "dump a1" /min_seq';
    expect(formatDifference({ path, expected: [0, 0], actual: [1, 0] })).toBe(
      'steps[5] "dump a1" /min_seq: expected [0,0], got [1,0]',
    );
  });

  it("says nothing where one side has none", () => {
    expect(formatDifference({ path: "p", expected: "EINVAL", actual: undefined })).toBe(
      'p: expected "EINVAL", got nothing',
    );
  });

  it("cuts long values to where they differ", () => {
    const expected = `${"Y1.1".repeat(100)}A${"Y1.1".repeat(100)}`;
    const actual = `${"Y1.1".repeat(100)}B${"Y1.1".repeat(100)}`;
    const text = formatDifference({ path: "p", expected, actual });
    expect(text).toMatch(/^p: expected …(?:[.Y1]+)A[.Y1]+…, got …(?:[.Y1]+)B[.Y1]+…$/);
    expect(text.length).toBeLessThan(400);
  });

  it("stays on one line whatever the values hold", () => {
    expect(formatDifference({ path: "p", expected: "a\nb", actual: "a\rb" })).not.toMatch(/[\n\r]/);
  });
});
