import { describe, expect, it } from "vitest";

import { hotBindings } from "../../src/rules/hot-bindings.ts";
import { found } from "./example-repository.ts";

const report = (code: string): string[] =>
  found(hotBindings, { "packages/a/src/a.ts": `// @hot\n${code}` }).map((line) =>
    line.replace("packages/a/src/a.ts:", "").replace(": copy it to a module-private const", ""),
  );

describe("hotBindings reports", () => {
  it.each([
    ["a function", "export const MASK = 7;\nfunction f(x: number) { return x & MASK; }"],
    ["an arrow function", "export const MASK = 7;\nconst f = (x: number) => x & MASK;"],
    ["a method", "export const MASK = 7;\nclass C { m(x: number) { return x & MASK; } }"],
    ["a field's initial value", "export const MASK = 7;\nclass C { m = MASK; }"],
    ["a getter", "export const MASK = 7;\nclass C { get m() { return MASK; } }"],
    ["a default argument", "export const MASK = 7;\nfunction f(x = MASK) { return x; }"],
    ["a nested function", "export const MASK = 7;\nfunction f() { return () => MASK; }"],
    ["a cast", "export const MASK = 7;\nfunction f() { return MASK as number; }"],
    ["a computed key", "export const MASK = 7;\nfunction f(a: number[]) { return a[MASK]; }"],
    ["a shorthand property", "export const MASK = 7;\nfunction f() { return { MASK }; }"],
  ])("an exported constant read in %s", (_, code) => {
    expect(report(code)).toEqual(["3: a function reads the exported constant MASK"]);
  });

  it("a constant that an export list exports", () => {
    expect(report("const MASK = 7;\nconst f = () => MASK;\nexport { MASK };")).toEqual([
      "3: a function reads the exported constant MASK",
    ]);
  });

  it("an imported constant read in a function", () => {
    const code = 'import { NR_GENS, inc } from "./b.ts";\nconst f = () => inc(NR_GENS);';
    expect(report(code)).toEqual(["3: a function reads the imported constant NR_GENS"]);
  });

  it("an imported constant under its local name", () => {
    const code = 'import { gens as NR } from "./b.ts";\nconst f = () => NR;';
    expect(report(code)).toEqual(["3: a function reads the imported constant NR"]);
  });

  it("every read of it", () => {
    const code = "export const A = 1;\nconst f = () => A\n+ A;";
    expect(report(code)).toHaveLength(2);
  });
});

describe("hotBindings accepts", () => {
  it.each([
    [
      "a module-private constant, exported by another",
      "const NR = 4;\nexport const MAX: number = NR;\nfunction f() { return NR; }",
    ],
    [
      "a private copy of an imported constant",
      'import { MAX } from "./b.ts";\nconst NR = MAX;\nfunction f() { return NR; }',
    ],
    ["reads at the top level, done once", "export const A = 1;\nexport const B = A + 1;"],
    ["types", "export const A = 1;\nfunction f(x: typeof A): typeof A { return x; }"],
    ["type imports", 'import type { MAX } from "./b.ts";\nfunction f(x: MAX): MAX { return x; }'],
    ["a member of the same name", "export const A = 1;\nfunction f(x: any) { return x.A; }"],
    ["a property key of the same name", "export const A = 1;\nfunction f() { return { A: 2 }; }"],
    ["a parameter of the same name", "export const A = 1;\nfunction f(A: number) { return A; }"],
    ["a local of the same name", "export const A = 1;\nfunction f() { const A = 2; return A; }"],
    ["an exported function", "export const inc = (x: number) => x + 1;\nconst f = () => inc(1);"],
    ["constants that are only passed on", 'export { MAX } from "./b.ts";'],
  ])("%s", (_, code) => {
    expect(report(code)).toEqual([]);
  });

  it("anything in a file without the mark on its first line", () => {
    const code = "/** Cold. */\n// @hot\nexport const A = 1;\nconst f = () => A;";
    expect(found(hotBindings, { "packages/a/src/a.ts": code })).toEqual([]);
  });
});
