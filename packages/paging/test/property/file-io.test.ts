import { LRU_REFS_MASK, LRU_REFS_PGOFF, NIL, type OpenFile, PG_REFERENCED } from "@lrugen/mm-core";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { checkMappings } from "../../src/check/index.ts";
import { FILE_ADVICES } from "../../src/index.ts";
import { folioText } from "../describe-file.ts";
import { createFileMachine, type FileMachine } from "../file-machine.ts";
import { NaiveFile } from "./naive-file.ts";

const DESCRIPTORS = 3;
const PAGE = 4096;

type Step =
  | {
      readonly kind: "read";
      fd: number;
      page: number;
      offset: number;
      bytes: number;
      count: number;
    }
  | { readonly kind: "go on"; fd: number; bytes: number; count: number }
  | { readonly kind: "write"; page: number; offset: number; bytes: number }
  | { readonly kind: "advise"; fd: number; advice: string; page: number; count: number }
  | { readonly kind: "fsync" }
  | { readonly kind: "truncate"; page: number };

const anyFd = fc.nat(DESCRIPTORS - 1);
const page = fc.oneof(fc.nat(300), fc.nat(40));
const offset = fc.oneof(fc.constant(0), fc.nat(4095));
const anyBytes = fc.oneof(fc.constant(4096), fc.nat(9000), fc.nat(70 * 4096));
const anyCount = fc.oneof(fc.constant(1), fc.nat(70));
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("go on"),
      fd: anyFd,
      bytes: anyBytes,
      count: anyCount,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("read"),
      fd: anyFd,
      page,
      offset,
      bytes: anyBytes,
      count: anyCount,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("write"), page, offset, bytes: anyBytes }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("advise"),
      fd: anyFd,
      advice: fc.constantFrom(...FILE_ADVICES),
      page,
      count: fc.nat(60),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("fsync") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("truncate"), page }) },
) as fc.Arbitrary<Step>;

/** The page cache and its naive model, given the same steps. */
class Pair {
  readonly machine: FileMachine;
  readonly naive: NaiveFile;
  private readonly fds: OpenFile[];

  constructor(pages: number) {
    this.machine = createFileMachine(pages);
    this.naive = new NaiveFile(pages, DESCRIPTORS);
    const { io, file } = this.machine;
    this.fds = Array.from({ length: DESCRIPTORS }, () => io.open(file));
  }

  /** @returns what the calls returned, and what they should have */
  take(step: Step): { readonly found: number[]; readonly expected: number[] } {
    const { naive, fds } = this;
    const { io, task0, file } = this.machine;
    if (step.kind === "read") return this.read(step, step.page * PAGE + step.offset);
    if (step.kind === "go on") return this.read(step, Math.max(0, fds[step.fd]!.prevPos));
    if (step.kind === "write") {
      const first = step.page * PAGE + step.offset;
      naive.write(first, step.bytes);
      return { found: [io.write.write(task0, fds[0]!, first, step.bytes)], expected: [step.bytes] };
    }
    if (step.kind === "advise") {
      naive.advise(step.fd, step.advice, step.page, step.count);
      const range = [step.page * PAGE, step.count * PAGE] as const;
      return {
        found: [io.fadvise.advise(task0, fds[step.fd]!, ...range, step.advice)],
        expected: [0],
      };
    }
    if (step.kind === "fsync") {
      naive.clean();
      return { found: [io.fsync(task0, fds[0]!)], expected: [0] };
    }
    naive.truncate(step.page);
    return { found: [io.truncate.truncate(task0.cpu, file, step.page)], expected: [0] };
  }

  /** As NaiveFile.text. */
  text(): string {
    const { memory, file } = this.machine;
    const texts: string[] = [];
    for (let at = 0; at < file.leaves.length * 64;) {
      const folio = memory.pageCache.lookup(file, at);
      at += folio === NIL ? 1 : memory.folios.nrPagesOf(folio);
      if (folio === NIL) continue;
      const word = memory.folios.flags[folio] as number;
      const refs = (word & LRU_REFS_MASK) >> LRU_REFS_PGOFF;
      texts.push(`${folioText(memory, folio)}:${word & PG_REFERENCED ? 1 + refs : 0}`);
    }
    return texts.join(" ");
  }

  /** Everything the checkers find wrong. */
  violations(): string[] {
    const { memory, mms, batches } = this.machine;
    return checkMappings(memory, mms, (folio) => batches.slotsOf(folio));
  }

  private read(
    { fd, bytes, count }: { readonly fd: number; bytes: number; count: number },
    first: number,
  ): { found: number[]; expected: number[] } {
    const found: number[] = [];
    const expected: number[] = [];
    for (let at = first; at < first + count * bytes; at += bytes) {
      expected.push(this.naive.read(fd, at, bytes));
      found.push(this.machine.io.read.read(this.machine.task0, this.fds[fd]!, at, bytes));
    }
    return { found, expected };
  }
}

test("the page cache is what the readahead rules say, after any reads, writes and advice (FIO-01, FIO-10..20, ADD-14, PGC-05)", () => {
  const size = fc.integer({ min: 1, max: 400 });
  fc.assert(
    fc.property(size, fc.array(anyStep, { maxLength: 40 }), (pages, steps) => {
      const pair = new Pair(pages);
      for (const step of steps) {
        const { found, expected } = pair.take(step);
        expect(found).toEqual(expected);
        expect(pair.text()).toBe(pair.naive.text());
        expect(pair.violations()).toEqual([]);
      }
      const { io, task0, file, batches, memcg } = pair.machine;
      io.truncate.vanish(task0.cpu, file);
      batches.drainAll();
      expect(memcg.charged).toBe(0);
    }),
    { numRuns: inject("soak") ? 2_000 : 60 },
  );
});
