export { formatCount, formatDecimal } from "./numbers.ts";
export { type Paint, paint } from "./paint.ts";
export { renderFacts, renderSection } from "./sections.ts";
export { type Column, renderTable, type Table, type TableCell } from "./table.ts";
