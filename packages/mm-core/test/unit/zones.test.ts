import { describe, expect, test } from "vitest";
import { layOutZones, MAX_NR_ZONES, MAX_PAGE_ORDER, ZONE_NAMES } from "../../src/index.ts";

describe("layOutZones", () => {
  test("puts the zones of all nodes one after the other, from frame 0", () => {
    const zones = layOutZones([
      {
        zones: [
          { zone: 0, pages: 1024 },
          { zone: 2, pages: 4096 },
        ],
      },
      { zones: [] },
      { zones: [{ zone: 1, pages: 2048 }] },
    ]);
    expect(zones).toEqual([
      { node: 0, zone: 0, start: 0, end: 1024 },
      { node: 0, zone: 2, start: 1024, end: 5120 },
      { node: 2, zone: 1, start: 5120, end: 7168 },
    ]);
  });

  test.each([1.5, -1, 5, Number.NaN])("refuses zone id %s", (zone) => {
    expect(() => layOutZones([{ zones: [] }, { zones: [{ zone, pages: 1024 }] }])).toThrow(
      new RangeError(`node 1: zone ${zone} found, expected ascending ids in 0..4`),
    );
  });

  test.each([
    [2, 1],
    [2, 2],
  ])("refuses zone %i before zone %i", (first, second) => {
    const zones = [first, second].map((zone) => ({ zone, pages: 1024 }));
    expect(() => layOutZones([{ zones }])).toThrow(
      new RangeError(`node 0: zone ${second} found, expected ascending ids in 0..4`),
    );
  });

  test.each([0, -1024, 1000, 1025, 1024.5, Number.POSITIVE_INFINITY])(
    "refuses a zone of %s pages",
    (pages) => {
      expect(() => layOutZones([{ zones: [{ zone: 1, pages }] }])).toThrow(
        new RangeError(
          `node 0, zone DMA32: ${pages} pages found, expected a positive multiple of 1024`,
        ),
      );
    },
  );

  test.each([[[]], [[{ zones: [] }]]])("refuses a machine without memory", (nodes) => {
    expect(() => layOutZones(nodes)).toThrow(
      new RangeError("no populated zone found, expected at least one"),
    );
  });
});

test("zones of x86-64 are named by their kernel ids (mglru.md 1.4)", () => {
  expect(ZONE_NAMES).toHaveLength(MAX_NR_ZONES);
  expect(ZONE_NAMES[1]).toBe("DMA32");
  expect(1 << MAX_PAGE_ORDER).toBe(1024);
});
