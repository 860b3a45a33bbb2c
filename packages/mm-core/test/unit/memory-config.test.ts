import { describe, expect, test } from "vitest";
import { MAX_PFN, memoryLimits, singleNode } from "../../src/index.ts";

describe("limits", () => {
  test("have defaults: 8 memcgs, and tables to map every frame twice", () => {
    expect(memoryLimits({ nodes: singleNode(4096) })).toEqual({
      pages: 4096,
      maxMemcgs: 8,
      pageTables: 16 + 1024,
      swapPages: 0,
    });
  });

  test("can be set", () => {
    const nodes = [...singleNode(1024), ...singleNode(2048)];
    expect(memoryLimits({ nodes, maxMemcgs: 1, pageTables: 2, swapPages: 9 })).toEqual({
      pages: 3072,
      maxMemcgs: 1,
      pageTables: 2,
      swapPages: 9,
    });
  });

  test.each([0, -1, 1.5, 65_536, Number.NaN])("refuse %s memcgs", (maxMemcgs) => {
    expect(() => memoryLimits({ nodes: singleNode(1024), maxMemcgs })).toThrow(
      new RangeError(`maxMemcgs: ${maxMemcgs} found, expected 1..65535`),
    );
  });

  test.each([1, 2.5, MAX_PFN + 1])("refuse %s page tables", (pageTables) => {
    expect(() => memoryLimits({ nodes: singleNode(1024), pageTables })).toThrow(
      new RangeError(`pageTables: ${pageTables} found, expected 2..${MAX_PFN}`),
    );
  });

  test.each([-1, 2.5, MAX_PFN + 1])("refuse %s pages of swap", (swapPages) => {
    expect(() => memoryLimits({ nodes: singleNode(1024), swapPages })).toThrow(
      new RangeError(`swapPages: ${swapPages} found, expected 0..${MAX_PFN}`),
    );
  });

  test("refuse more frames than an entry can name, and accept exactly as many", () => {
    expect(memoryLimits({ nodes: singleNode(MAX_PFN) }).pages).toBe(MAX_PFN);
    expect(() => memoryLimits({ nodes: singleNode(MAX_PFN + 1024) })).toThrow(
      new RangeError(`memory: ${MAX_PFN + 1024} pages found, at most ${MAX_PFN}`),
    );
  });

  test("pass on what is wrong with the zones", () => {
    expect(() => memoryLimits({ nodes: singleNode(1000) })).toThrow(
      "node 0, zone DMA32: 1000 pages found, expected a positive multiple of 1024",
    );
  });
});
