import { describe, expect, it } from "vitest";
import { renderTable, type Table } from "../../src/index.ts";

const lines = (table: Table, color = false): string[] => renderTable(table, color).split("\n");

describe("a table", () => {
  it("has columns as wide as their widest cell, numbers to the right with commas", () => {
    const columns = [{ title: "name" }, { title: "walked" }];
    const rows = [
      ["stock", 131_072],
      ["a longer one", 4],
    ];
    expect(lines({ columns, rows })).toEqual([
      "name           walked",
      "------------  -------",
      "stock         131,072",
      "a longer one        4",
      "",
    ]);
  });

  it("has units below the titles when a column has one", () => {
    const columns = [{ title: "gen" }, { title: "time", unit: "ms" }];
    expect(lines({ columns, rows: [[3, 7]] }).slice(0, 2)).toEqual(["gen  time", "     (ms)"]);
  });

  it("has a group's title above its columns, in their middle", () => {
    const columns = [
      { title: "gen" },
      { title: "walked", group: "before" },
      { title: "moved", group: "before" },
      { title: "walked", group: "after" },
    ];
    expect(lines({ columns, rows: [[3, 1, 2, 3]] })).toEqual([
      "        before     after",
      "gen  walked  moved  walked",
      "---  ------  -----  ------",
      "  3       1      2       3",
      "",
    ]);
  });

  it("widens a group whose title is wider than its columns", () => {
    const columns = [{ title: "a", group: "a long title" }, { title: "b" }];
    expect(lines({ columns, rows: [[1, 2]] })).toEqual([
      "a long title",
      "           a  b",
      "------------  -",
      "           1  2",
      "",
    ]);
  });

  it("leaves the cell of null empty, and no blanks at line ends", () => {
    const columns = [{ title: "n" }, { title: "note" }];
    expect(
      lines({
        columns,
        rows: [
          [null, ""],
          [1, "x"],
        ],
      }).slice(2),
    ).toEqual(["", "1  x", ""]);
  });

  it("aligns as told", () => {
    const columns = [
      { title: "ms", align: "right" },
      { title: "count", align: "left" },
    ] as const;
    expect(
      lines({
        columns,
        rows: [
          ["0.5", 12],
          ["10.25", 3],
        ],
      }).slice(2),
    ).toEqual(["  0.5  12", "10.25  3", ""]);
  });

  it("without rows is its head", () => {
    expect(lines({ columns: [{ title: "gen" }], rows: [] })).toEqual(["gen", "---", ""]);
  });

  it("refuses a row with a cell too few, by number", () => {
    const table = { columns: [{ title: "a" }, { title: "b" }], rows: [[1, 2], [3]] };
    expect(() => renderTable(table, false)).toThrow(
      new RangeError("row 1: 1 cells found, expected 2"),
    );
  });

  it("in colour says the same", () => {
    const table = { columns: [{ title: "gen", group: "before", unit: "x" }], rows: [[3]] };
    const colored = renderTable(table, true);
    expect(colored).toContain("\u001B[1m");
    // oxlint-disable-next-line no-control-regex
    const plain = colored.replaceAll(/\u001B\[\d+m/g, "").replaceAll(/ +$/gm, "");
    expect(plain).toBe(renderTable(table, false));
  });
});
