import { VM_READ, VM_SHARED, VM_WRITE } from "@lrugen/mm-core";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import type { Guest } from "../../src/index.ts";
import { runChecked } from "../checked-run.ts";
import { limitScenario } from "./limit-scenarios.ts";

const numRuns = inject("soak") ? 1000 : 25;
const commands = inject("soak") ? 150 : 40;

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

const run = (text: string): string =>
  runChecked(text, {
    afterStep(guest) {
      expect(guest.memcg.memory.usage).toBeGreaterThanOrEqual(0);
      revive(guest);
    },
  });

const scenario = limitScenario([5, commands]).map((text) => `${text}dump end\n`);

test("memory under limits keeps every invariant after every step", { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(scenario, (text) => {
      expect(() => run(text)).not.toThrow();
    }),
    { numRuns },
  );
});

const seeds = Array.from({ length: inject("soak") ? 50 : 2 }, (_, i) => i);
const operations = inject("soak") ? 10_000 : 150;

for (const seed of seeds) {
  test(
    `a long history under limits keeps every invariant, seed ${seed}`,
    { timeout: 3_600_000 },
    () => {
      fc.assert(
        fc.property(limitScenario([operations, operations]), (text) => {
          expect(run(text)).not.toBe("");
        }),
        { numRuns: 1, seed, endOnFailure: true },
      );
    },
  );
}

test("the same pressure gives the same bytes", { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(scenario, (text) => {
      expect(run(text)).toBe(run(text));
    }),
    { numRuns: Math.ceil(numRuns / 4) },
  );
});
