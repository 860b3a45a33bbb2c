import CliTable from "cli-table3";
import { formatCount } from "./numbers.ts";
import { paint } from "./paint.ts";

/** A number is printed with `formatCount`; null leaves the cell empty. */
export type TableCell = string | number | null;

/** One column. */
export interface Column {
  /** What it is. */
  readonly title: string;
  /** Its unit, printed below the title in brackets: `ms`, `folios`. */
  readonly unit?: string;
  /** Neighbours of one group share a title above theirs. */
  readonly group?: string;
  /** Default: right for a column whose cells are all numbers or empty, else left. */
  readonly align?: "left" | "right";
}

/** Rows under columns. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly TableCell[])[];
}

/** Blanks between columns. */
const GAP = 2;
/** Nothing but blanks between columns; the rule below the head is a row of its own. */
const NO_LINES = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: " ".repeat(GAP),
};

/**
 * Lays a table out as text: columns as wide as their widest cell, two blanks apart, no blanks at
 * line ends.
 * @throws RangeError for a row that has not one cell a column
 */
export function renderTable({ columns, rows }: Table, color: boolean): string {
  for (const [i, row] of rows.entries()) {
    if (row.length === columns.length) continue;
    throw new RangeError(`row ${i}: ${row.length} cells found, expected ${columns.length}`);
  }
  const painted = paint(color);
  const text = rows.map((row) => row.map(cellText));
  const head = headRows(columns);
  const aligns = columns.map((column, i) => column.align ?? usualAlign(rows, i));
  const groups = columnGroups(columns);
  const widths = columnWidths([...head, ...text], groups);
  const table = new CliTable({
    chars: NO_LINES,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
    colAligns: aligns,
    colWidths: widths,
  });
  if (groups.some(({ title }) => title !== "")) {
    table.push(
      groups.map(({ title, columns: colSpan }) => ({
        content: painted.label(title),
        colSpan,
        hAlign: "center" as const,
      })),
    );
  }
  table.push(
    ...head.map((row) => row.map(painted.label)),
    widths.map((width) => painted.quiet("-".repeat(width))),
    ...text,
  );
  return `${table.toString().replaceAll(/ +$/gm, "")}\n`;
}

function cellText(cell: TableCell): string {
  if (cell === null) return "";
  return typeof cell === "number" ? formatCount(cell) : cell;
}

function usualAlign(rows: Table["rows"], column: number): "left" | "right" {
  const numbers = rows.every((row) => typeof row[column] !== "string");
  return numbers ? "right" : "left";
}

/** Titles, and below them the units if there are any. */
function headRows(columns: readonly Column[]): string[][] {
  const titles = columns.map(({ title }) => title);
  if (columns.every(({ unit }) => unit === undefined)) return [titles];
  return [titles, columns.map(({ unit }) => (unit === undefined ? "" : `(${unit})`))];
}

/** Neighbouring columns under one title; a column without a group is one of its own. */
interface ColumnGroup {
  readonly title: string;
  /** How many there are. */
  readonly columns: number;
}

function columnGroups(columns: readonly Column[]): ColumnGroup[] {
  const groups: ColumnGroup[] = [];
  for (const { group = "" } of columns) {
    const last = groups.at(-1);
    if (last !== undefined && group !== "" && last.title === group) {
      groups[groups.length - 1] = { title: group, columns: last.columns + 1 };
    } else {
      groups.push({ title: group, columns: 1 });
    }
  }
  return groups;
}

/** Each as wide as its widest cell; the last of a group is wider if the group's title needs it. */
function columnWidths(rows: readonly string[][], groups: readonly ColumnGroup[]): number[] {
  const widths: number[] = [];
  for (const { title, columns } of groups) {
    const first = widths.length;
    for (let i = first; i < first + columns; i++) {
      widths.push(Math.max(...rows.map((row) => (row[i] as string).length)));
    }
    const taken = widths.slice(first).reduce((sum, width) => sum + width + GAP, -GAP);
    if (title.length > taken) widths[widths.length - 1]! += title.length - taken;
  }
  return widths;
}
