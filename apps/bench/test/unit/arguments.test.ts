import { describe, expect, test } from "vitest";
import { findCase, parseArguments, selectCases, UsageError } from "../../src/arguments.ts";
import { scriptedCase } from "../benches.ts";

describe("parseArguments", () => {
  test("without arguments asks for three rounds of everything, as tables", () => {
    expect(parseArguments([])).toEqual({
      names: [],
      rounds: 3,
      json: false,
      check: false,
      list: false,
      help: false,
      inProcess: null,
    });
  });

  test("takes cases and options in any order", () => {
    expect(parseArguments(["walk", "--json", "--rounds", "5", "fork", "--check"])).toMatchObject({
      names: ["walk", "fork"],
      rounds: 5,
      json: true,
      check: true,
    });
    expect(parseArguments(["--list"]).list).toBe(true);
    expect(parseArguments(["--help"]).help).toBe(true);
    expect(parseArguments(["--in-process", "walk/old"]).inProcess).toBe("walk/old");
  });

  test.each(["0", "101", "-1", "1.5", "many", "", " 2", "0x2", "1e1"])(
    "refuses %j rounds, naming what it found",
    (rounds) => {
      const message = `--rounds: found "${rounds}", expected 1 to 100`;
      expect(() => parseArguments([`--rounds=${rounds}`])).toThrow(new UsageError(message));
    },
  );

  test("takes up to a hundred rounds", () => {
    expect(parseArguments(["--rounds=100"]).rounds).toBe(100);
    expect(parseArguments(["--rounds=1"]).rounds).toBe(1);
  });

  test.each([["--fast"], ["--rounds"], ["--json=yes"], ["-x"]])(
    "refuses %s in one line",
    (...argv) => {
      expect(() => parseArguments(argv)).toThrow(UsageError);
      expect(() => parseArguments(argv)).toThrow(/^[^\n]+[^.\n]$/);
    },
  );
});

describe("selectCases", () => {
  const cases = ["a/one", "a/two", "b"].map((name) => scriptedCase(name, [[1]]));
  const select = (...names: string[]): string[] =>
    selectCases(cases, names).map(({ name }) => name);

  test("without names takes all", () => {
    expect(select()).toEqual(["a/one", "a/two", "b"]);
  });

  test("takes names and beginnings, each case once, in the order of the suite", () => {
    expect(select("b", "a/one")).toEqual(["a/one", "b"]);
    expect(select("a", "a/two")).toEqual(["a/one", "a/two"]);
  });

  test("refuses a name that fits nothing, even beside one that does", () => {
    expect(() => select("a", "one")).toThrow(
      new UsageError('found case "one", expected a name of --list or how one begins'),
    );
  });
});

describe("findCase", () => {
  test("wants the whole name", () => {
    const cases = [scriptedCase("a/one", [[1]])];
    expect(findCase(cases, "a/one").name).toBe("a/one");
    expect(() => findCase(cases, "a")).toThrow(
      new UsageError('found case "a", expected a name of --list'),
    );
  });
});
