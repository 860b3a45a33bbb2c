import fc from "fast-check";
import type { Advice } from "../../src/index.ts";

/** Virtual pages that the histories use: two PMDs and a half. */
export const SPACE = 1280;
/** Programs alive at a time. */
export const MAX_PROGRAMS = 4;
/** Pages of the two files at the beginning. */
export const FILE_PAGES: readonly number[] = [700, 90];

const ADVICES: readonly Advice[] = [
  "normal",
  "random",
  "sequential",
  "hugepage",
  "nohugepage",
  "willneed",
  "cold",
  "free",
  "dontneed",
  "populate_read",
  "populate_write",
];

const program = fc.nat({ max: MAX_PROGRAMS - 1 });
const first = fc.oneof(
  fc.nat({ max: 100 }),
  fc.nat({ max: SPACE - 1 }),
  fc.constantFrom(0, 16, 512, 1024),
);
const count = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(16, 64, 512, 1024));
const file = fc.nat({ max: FILE_PAGES.length - 1 });

interface Range {
  readonly program: number;
  readonly first: number;
  readonly count: number;
}
export interface MapStep extends Range {
  readonly op: "anon" | "shm" | "shared" | "private";
  readonly file: number;
  readonly pgoff: number;
}
export interface AccessStep extends Range {
  readonly op: "read" | "write";
  readonly stride: number;
}
export interface AdviseStep extends Range {
  readonly op: "advise";
  readonly advice: Advice;
}
interface RangeStep extends Range {
  readonly op: "unmap" | "mlock" | "munlock";
}
export interface FileStep {
  readonly op: "pread" | "pwrite" | "truncate" | "fsync" | "drop";
  readonly program: number;
  readonly file: number;
  readonly first: number;
  readonly count: number;
}
interface ProgramStep {
  readonly op: "fork" | "exit" | "drain";
  readonly program: number;
}
/** One thing that happens; `program` picks one of those alive. */
export type Step = MapStep | AccessStep | AdviseStep | RangeStep | FileStep | ProgramStep;

const range = { program, first, count };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constantFrom<MapStep["op"]>("anon", "shm", "shared", "shared", "private", "private"),
      ...range,
      file,
      pgoff: fc.oneof(fc.constant(0), fc.constant(512), fc.nat({ max: 80 })),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constantFrom("read" as const, "write" as const),
      ...range,
      stride: fc.constantFrom(1, 1, 3, 40),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant("advise" as const),
      ...range,
      advice: fc.constantFrom(...ADVICES),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constantFrom("unmap" as const, "mlock" as const, "munlock" as const),
      ...range,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constantFrom<FileStep["op"]>("pread", "pread", "pwrite", "truncate", "fsync", "drop"),
      program,
      file,
      first: fc.nat({ max: 720 }),
      count: fc.integer({ min: 1, max: 80 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constantFrom("fork" as const, "exit" as const, "drain" as const),
      program,
    }),
  },
);

/** Histories of up to 40 steps. */
export const mappingSteps: fc.Arbitrary<Step[]> = fc.array(step, {
  minLength: 1,
  maxLength: 40,
  size: "max",
});
