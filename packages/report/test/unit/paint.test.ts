import { expect, it } from "vitest";
import { paint } from "../../src/index.ts";

it("without colour every look is the text itself", () => {
  for (const look of Object.values(paint(false))) expect(look("text")).toBe("text");
});

it("with colour every look is more than the text", () => {
  for (const look of Object.values(paint(true))) expect(look("text")).toMatch(/.text./s);
});
