import { expect, test } from "vitest";
import { NotModelledError } from "../../src/index.ts";

test("what is not modelled is named, by the error and in its message", () => {
  const error = new NotModelledError("mremap");
  expect(error).toBeInstanceOf(Error);
  expect([error.name, error.what, error.message]).toEqual([
    "NotModelledError",
    "mremap",
    "mremap is not modelled in this version",
  ]);
});
