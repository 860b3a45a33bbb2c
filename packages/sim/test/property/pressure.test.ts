import { VM_READ, VM_SHARED, VM_WRITE } from "@lrugen/mm-core";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import {
  type Guest,
  InvariantChecker,
  parseScenario,
  runScenario,
  stringifyOracle,
  systemFeatures,
} from "../../src/index.ts";

const numRuns = inject("soak") ? 1000 : 25;
const commands = inject("soak") ? 150 : 40;

const PREAMBLE = `#! mem=32M
anon A 300
anon M 200 thp=64kB
anon H 1024 thp=2048kB
shm X 100
file F 700
open 0 F
map P F
`;

const pages = fc
  .tuple(fc.constantFrom("A 300", "M 200", "H 1024", "X 100", "P 700"), fc.nat(999), fc.nat(999))
  .map(([region, at, size]) => {
    const [name, count] = region.split(" ") as [string, string];
    const first = Math.floor((Number(count) * at) / 1000);
    return { name, range: `${first} ${1 + (size % (Number(count) - first))}` };
  });
/** Of one region only: what is locked stays below every memory.high. */
const lockable = pages.filter(({ name }) => name === "A");
const high = fc.integer({ min: 700, max: 2000 }).map((n) => `cg memory.high ${n * 4}K`);
const limit = fc.integer({ min: 40, max: 1500 }).map((n) => `${n * 4}K`);

const command = fc.oneof(
  { weight: 8, arbitrary: pages.map(({ name, range }) => `touch ${name} ${range} r`) },
  {
    weight: 8,
    arbitrary: pages
      .filter(({ name }) => name !== "P")
      .map(({ name, range }) => `touch ${name} ${range} w`),
  },
  { weight: 5, arbitrary: pages.map(({ range }) => `read 0 ${range}`) },
  { weight: 2, arbitrary: pages.map(({ name, range }) => `madvise ${name} pageout ${range}`) },
  { weight: 1, arbitrary: pages.map(({ name, range }) => `madvise ${name} dontneed ${range}`) },
  { weight: 1, arbitrary: lockable.map(({ name, range }) => `mlock ${name} ${range}`) },
  { weight: 1, arbitrary: lockable.map(({ name, range }) => `munlock ${name} ${range}`) },
  { weight: 3, arbitrary: limit.map((size) => `cg memory.max ${size}`) },
  { weight: 1, arbitrary: fc.constant("cg memory.max max") },
  { weight: 2, arbitrary: high },
  { weight: 1, arbitrary: fc.constantFrom("cg memory.high max", "cg memory.min 400K") },
  { weight: 1, arbitrary: fc.constantFrom("cg memory.swap.max 0", "cg memory.swap.max max") },
  { weight: 3, arbitrary: limit.map((size) => `reclaim ${size}`) },
  { weight: 3, arbitrary: fc.constantFrom("evict 60 50", "evict 200 100", "evict 1 100") },
  { weight: 3, arbitrary: fc.constantFrom("age 60", "age 0", "age 201", "drain", "sleep 300") },
);

/**
 * Without swap memory.high does not go below anonymous memory: nothing could be reclaimed, and every
 * fault would be taken again for ever.
 */
function withRoomBelowHigh(lines: readonly string[]): string {
  let swaps = true;
  const kept = lines.flatMap((line) => {
    if (line.startsWith("cg memory.swap.max")) swaps = line.endsWith(" max");
    if (line === "cg memory.swap.max 0") return ["cg memory.high max", line];
    return swaps || !line.startsWith("cg memory.high") ? [line] : [];
  });
  return kept.join("\n");
}

/** A worker that the OOM killer took is followed by another with the same mappings, or little would happen after. */
function revive(guest: Guest): void {
  if (guest.worker("w0") !== undefined) return;
  const { paging } = guest.system;
  const { mm, fds } = guest.newWorker("w0");
  for (const { start, pages: count, file } of guest.regions) {
    if (file !== null && !file.shmem) {
      paging.mmapFile(mm, start, count, VM_READ | VM_SHARED, paging.openFile(file), 0);
    } else {
      const shared = file === null ? 0 : VM_SHARED;
      paging.mmapAnon(mm, start, count, VM_READ | VM_WRITE | shared);
    }
  }
  fds.set(0, paging.openFile(guest.files.get("F")!));
}

/** Runs a scenario and asks for every invariant, page counters among them, after every line. */
function runChecked(text: string): string {
  let checker: InvariantChecker | undefined;
  const result = runScenario(parseScenario(text, "random.txt"), systemFeatures(), {
    afterStep(guest, { cmd }) {
      checker ??= new InvariantChecker(guest.system);
      const violations = checker.check(guest.workers.map(({ mm }) => mm));
      if (violations.length > 0) {
        throw new Error(`after "${cmd}": ${violations.slice(0, 5).join("; ")}`);
      }
      const { memory } = guest.memcg;
      expect(memory.usage).toBeGreaterThanOrEqual(0);
      revive(guest);
    },
  });
  return stringifyOracle(result);
}

const scenario = fc
  .array(command, { minLength: 5, maxLength: commands, size: "max" })
  .map((lines) => `${PREAMBLE}${withRoomBelowHigh(lines)}\ndump end\n`);

test("memory under limits keeps every invariant after every step", { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(scenario, (text) => {
      expect(() => runChecked(text)).not.toThrow();
    }),
    { numRuns },
  );
});

const seeds = Array.from({ length: inject("soak") ? 50 : 2 }, (_, i) => i);
const operations = inject("soak") ? 10_000 : 150;
const history = fc
  .array(command, { minLength: operations, maxLength: operations, size: "max" })
  .map((lines) => `${PREAMBLE}${withRoomBelowHigh(lines)}\n`);

for (const seed of seeds) {
  test(`a long history under limits keeps every invariant, seed ${seed}`, () => {
    fc.assert(
      fc.property(history, (text) => {
        expect(runChecked(text)).not.toBe("");
      }),
      { numRuns: 1, seed, endOnFailure: true },
    );
  });
}

test("the same pressure gives the same bytes", { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(scenario, (text) => {
      expect(runChecked(text)).toBe(runChecked(text));
    }),
    { numRuns: Math.ceil(numRuns / 4) },
  );
});
