import type { Line } from "./cpu.ts";
import type { Region } from "./hardware.ts";
import { CACHE_LINE_BYTES, lineOf, type StructLayout } from "./struct-layout.ts";

const CACHE_LINE = CACHE_LINE_BYTES;

interface LineRange {
  readonly label: string;
  readonly first: Line;
  readonly count: number;
}

/** Gives line numbers to objects, regions and locks, and remembers whose they are. Line 0 is nobody's. */
export class LineMap {
  readonly #ranges: LineRange[] = [];
  readonly #objects = new Map<string, Line>();
  #next: Line = 1;

  /** Sets `count` new lines aside and returns the first. */
  add(label: string, count: number): Line {
    const first = this.#next;
    this.#ranges.push({ label, first, count });
    this.#next += count;
    return first;
  }

  /** The line of a field of an object that is cache-line aligned. */
  objectLine(layout: StructLayout, field: string, obj: number): Line {
    const within = lineOf(layout, field);
    const label = `${layout.name}[${obj}]`;
    let first = this.#objects.get(label);
    if (first === undefined) {
      first = this.add(label, linesFor(layout.size));
      this.#objects.set(label, first);
    }
    return first + within;
  }

  /** Lines for an array of `count` objects. */
  region(layout: StructLayout, count: number): Region {
    const first = this.add(`region ${layout.name}`, linesFor(count * layout.size));
    return new LineRegion(layout, count, first);
  }

  /** @throws Error for a line nobody owns */
  where(line: Line): string {
    const range = this.#ranges.find(({ first, count }) => line >= first && line < first + count);
    if (range === undefined) throw new Error(`line ${line} was never given out`);
    return range.label.startsWith("lock ")
      ? range.label
      : `${range.label} line ${line - range.first}`;
  }
}

class LineRegion implements Region {
  readonly struct: string;
  readonly count: number;
  readonly #size: number;
  readonly #first: Line;

  constructor(layout: StructLayout, count: number, first: Line) {
    this.struct = layout.name;
    this.count = count;
    this.#size = layout.size;
    this.#first = first;
  }

  line(obj: number, offset: number): Line {
    if (!(obj >= 0 && obj < this.count && offset >= 0 && offset < this.#size)) {
      throw new Error(
        `${this.struct}[${obj}]+${offset} is outside its region of ${this.count} objects of ${this.#size} B`,
      );
    }
    return this.#first + Math.floor((obj * this.#size + offset) / CACHE_LINE);
  }
}

function linesFor(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / CACHE_LINE));
}
