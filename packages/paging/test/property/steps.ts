import fc from "fast-check";
import type { Advice, ThpMode, ThpSizeMode } from "../../src/index.ts";

/** Virtual pages that the histories use: three PMDs. */
export const SPACE = 1536;
/** Programs alive at a time. */
export const MAX_PROCESSES = 4;

const ADVICES: readonly Advice[] = [
  "normal",
  "random",
  "hugepage",
  "nohugepage",
  "willneed",
  "cold",
  "free",
  "dontneed",
  "populate_read",
  "populate_write",
];

const process = fc.nat({ max: MAX_PROCESSES - 1 });
const first = fc.oneof(
  fc.nat({ max: 40 }),
  fc.nat({ max: SPACE - 1 }),
  fc.constantFrom(0, 512, 1024),
);
const count = fc.oneof(
  fc.integer({ min: 1, max: 20 }),
  fc.constantFrom(16, 512, 1024),
  fc.integer({ min: 1, max: SPACE }),
);
const order = fc.integer({ min: 2, max: 9 });
const sizeMode = fc.constantFrom<ThpSizeMode>("always", "inherit", "madvise", "never");

interface Range {
  readonly process: number;
  readonly first: number;
  readonly count: number;
}
export interface AccessStep extends Range {
  readonly op: "read" | "write";
  readonly stride: number;
}
export interface RangeStep extends Range {
  readonly op: "map" | "unmap" | "mlock" | "munlock";
}
export interface AdviseStep extends Range {
  readonly op: "advise";
  readonly advice: Advice;
}
interface ProcessStep {
  readonly op: "fork" | "exit";
  readonly process: number;
}
interface SizeStep {
  readonly op: "size";
  readonly order: number;
  readonly mode: ThpSizeMode;
}
interface ThpStep {
  readonly op: "thp";
  readonly mode: ThpMode;
}
interface DrainStep {
  readonly op: "drain";
  readonly cpu: number;
}
/** One thing that happens; `process` picks one of those alive. */
export type Step =
  | AccessStep
  | RangeStep
  | AdviseStep
  | ProcessStep
  | SizeStep
  | ThpStep
  | DrainStep;

const range = { process, first, count };
const access = { ...range, stride: fc.constantFrom(1, 1, 3, 64) };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant("write" as const), ...access }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("read" as const), ...access }) },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constantFrom("fork" as const, "exit" as const), process }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constantFrom("map" as const, "unmap" as const, "mlock" as const, "munlock" as const),
      ...range,
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
  { weight: 1, arbitrary: fc.record({ op: fc.constant("size" as const), order, mode: sizeMode }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("thp" as const),
      mode: fc.constantFrom<ThpMode>("always", "madvise", "never"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant("drain" as const), cpu: fc.nat({ max: 1 }) }),
  },
);

/** Histories of up to 40 steps. */
export const steps: fc.Arbitrary<Step[]> = fc.array(step, {
  minLength: 1,
  maxLength: 40,
  size: "max",
});

/** The THP size that is always on from the start, if any. */
export const largeOrder: fc.Arbitrary<number | null> = fc.constantFrom(null, 2, 4, 8, 9, 9);
