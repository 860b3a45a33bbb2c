import { PG_SWAPCACHE } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { BASE, forkTask, touch } from "../machine.ts";
import { createSwapMachine, type SwapMachine } from "../swap-machine.ts";

/** Slot 1 is cached and mapped, with one entry left; slots 2 to 4 are swapped out. */
function subject(): SwapMachine {
  const machine = createSwapMachine(4);
  machine.store(machine.task0, 0, 4);
  machine.swapOut(0, 4);
  forkTask(machine, machine.task0);
  touch(machine, machine.task0, 0, 1, "r");
  machine.batches.drainAll();
  return machine;
}

test("a healthy machine has no violations", () => {
  expect(subject().violations()).toEqual([]);
});

const cachedFolio = (m: SwapMachine): number => m.paging.swap.cache.lookup(1);

const breakages: [string, (m: SwapMachine) => void, RegExp][] = [
  [
    "a count too high",
    (m) => (m.memory.swap.counts[2]! += 1),
    /INV-23: swap slot 2: count 3, expected 2/,
  ],
  ["a leaked slot", (m) => void m.memory.swap.alloc(0, -1, 1), /INV-23: swap slot 5 is in use/],
  [
    "a slot that points to a stranger",
    (m) => (m.memory.swap.frames[2] = 40),
    /INV-24: swap slot 2: frame 40 of folio 40 does not cache it/,
  ],
  [
    "a folio that lost its slot",
    (m) => (m.memory.swap.frames[1] = -1),
    /INV-24: folio \d+: swap slot 1 does not point to page 0/,
  ],
  [
    "a folio that is not marked as cached",
    (m) => (m.memory.folios.flags[cachedFolio(m)]! &= ~PG_SWAPCACHE),
    /INV-24: swap slot 1/,
  ],
  [
    "a wrong charge",
    (m) => m.memcg.swap.charge(2),
    /SWP-03: memcg \/t: 6 slots charged, expected 4/,
  ],
  [
    "a wrong count of an address space",
    (m) => (m.mm.swapEntries += 1),
    /swapEntries is 4, expected 3/,
  ],
  [
    "an entry of no slot",
    (m) => {
      const { pageTables } = m.memory;
      pageTables.entries[pageTables.pteSlot(m.mm.pgd, BASE + 3)] = 2;
    },
    /PT-02: .*swap slot/,
  ],
];

test.each(breakages)("%s is found (INV-23, INV-24)", (_name, damage, line) => {
  const machine = subject();
  damage(machine);
  expect(machine.violations()).toContainEqual(expect.stringMatching(line));
});
