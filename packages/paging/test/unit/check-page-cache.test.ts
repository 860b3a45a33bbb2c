import { ENTRY_WRITE, type Mm, PG_DIRTY, STATE_FILE, STATE_FILE_MAPPED } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { checkMappings } from "../../src/check/index.ts";
import { BASE, forkTask } from "../machine.ts";
import { createMappedMachine, type MappedMachine, PRIVATE, SHARED } from "../mapped-machine.ts";

/** Files, shared memory and private copies, shared by fork. */
function subject(flags = SHARED): MappedMachine {
  const machine = createMappedMachine(64, flags);
  machine.access(0, 20, "r");
  machine.access(2, 2, "w");
  const child = forkTask(machine, machine.task0);
  machine.access(0, 8, "r", child);
  machine.paging.mmapAnon(machine.task0.mm as Mm, BASE + 512, 8, SHARED);
  machine.access(512, 4, "w");
  return machine;
}

function folioOf({ memory, file }: MappedMachine, page: number): number {
  return memory.pageCache.lookup(file, page);
}

function slotOf({ memory, task0 }: MappedMachine, page: number): number {
  return memory.pageTables.pteSlot((task0.mm as Mm).pgd, BASE + page);
}

test("a healthy machine with files has no violations", () => {
  for (const flags of [SHARED, PRIVATE]) {
    const machine = subject(flags);
    expect(machine.violations()).toEqual([]);
    expect(checkMappings(machine.memory, machine.mms)).toEqual([]);
  }
});

const breakages: [string, (m: MappedMachine) => void, RegExp][] = [
  [
    "a reference too few for the cache",
    (m) => (m.memory.folios.refcount[folioOf(m, 0)]! -= 1),
    /INV-09: \d references, expected 2 mappings \+ 1 cached pages \+ 0 others/,
  ],
  [
    "a wrong count of resident file pages",
    (m) => (m.task0.mm!.filePages += 1),
    /mm 1: filePages is \d+, expected \d+/,
  ],
  [
    "an entry of another page of the file",
    (m) => {
      const { entries } = m.memory.pageTables;
      entries[slotOf(m, 4)] = entries[slotOf(m, 5)] as number;
    },
    /RMAP-01: .* maps frame \d+, whose index is 5/,
  ],
  [
    "an entry of another file",
    (m) => {
      const { entries } = m.memory.pageTables;
      entries[slotOf(m, 512)] = entries[slotOf(m, 0)] as number;
    },
    /RMAP-01: .* maps a page of file 1, expected file 2/,
  ],
  [
    "a writable entry of a clean folio",
    (m) => (m.memory.pageTables.entries[slotOf(m, 6)]! |= ENTRY_WRITE),
    /FLT-23: .* writable entry of clean folio \d+/,
  ],
  ["a VMA that its file forgot", (m) => m.file.vmas.pop(), /RMAP-01: file 1 misses VMA/],
  [
    "a VMA too many",
    (m) => m.file.vmas.push(m.file.vmas[0]!),
    /RMAP-01: file 1 knows 3 VMAs, expected 2/,
  ],
  ["wrong cached pages", (m) => (m.file.cachedPages += 1), /PGC-01: file 1: 33 cached pages/],
  ["wrong entries", (m) => (m.file.entries -= 1), /PGC-01: file 1: 31 entries, expected 32/],
  [
    "a folio whose index is another",
    (m) => (m.memory.folios.index[folioOf(m, 30)] = 31),
    /PGC-01: file 1: page 30 is folio \d+, whose first page is 31/,
  ],
  [
    "a folio that its file does not have",
    (m) => {
      const folio = m.memory.allocFolio(0, m.memcg);
      m.memory.folios.mapping[folio] = 2;
      m.memory.folios.index[folio] = 50;
    },
    /PGC-01: folio \d+ is not in its file 1/,
  ],
  [
    "a wrong file counter",
    (m) => m.memory.states.add(STATE_FILE, m.memcg.index, 3),
    /memcg \/t: file is 39 pages, expected 36/,
  ],
  [
    "a wrong file_mapped counter",
    (m) => m.memory.states.add(STATE_FILE_MAPPED, m.memcg.index, -1),
    /memcg \/t: file_mapped is \d+ pages/,
  ],
  [
    "a dirty folio that is not counted",
    (m) => (m.memory.folios.flags[folioOf(m, 30)]! |= PG_DIRTY),
    /memcg \/t: file_dirty is 2 pages, expected 3/,
  ],
];

test.each(breakages)("finds %s", (_name, breakIt, expected) => {
  const machine = subject();
  breakIt(machine);
  expect(machine.violations()).toContainEqual(expect.stringMatching(expected));
});

test("finds a page-cache page that may be written through a private mapping (FLT-23)", () => {
  const machine = subject(PRIVATE);
  machine.memory.pageTables.entries[slotOf(machine, 6)]! |= ENTRY_WRITE;
  expect(machine.violations()).toContainEqual(
    expect.stringMatching(/FLT-23: .* writable entry of page-cache frame \d+, expected a copy/),
  );
});
