import {
  ENTRY_WRITE,
  PG_DIRTY,
  PG_RECLAIM,
  PG_REFERENCED,
  PG_UPTODATE,
  PG_WORKINGSET,
  STATE_FILE_DIRTY,
  STATE_FILE_MAPPED,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { FAULT_OOM, FAULT_SIGBUS, FAULT_SIGSEGV } from "../../src/index.ts";
import { cacheText } from "../describe-file.ts";
import { entryAt, folioAt } from "../describe-mm.ts";
import { BASE } from "../machine.ts";
import { createMappedMachine, PRIVATE, READ_ONLY, SHARED } from "../mapped-machine.ts";

test("a cold read fault reads 32 pages around, counts once as major and maps 16 (FLT-20, FIO-22)", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  machine.access(0, 1, "r");
  expect(machine.pte()).toBe("y16.48");
  expect(machine.faults()).toEqual([0, 1]);
  expect(machine.file.cachedPages).toBe(32);
  expect(machine.violations()).toEqual([]);
});

test("fault-around leaves the page with the readahead mark to a fault of its own (FIO-21)", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  machine.access(0, 17, "r");
  expect(machine.pte()).toBe("y24.1y7.32");
  machine.access(0, 64, "r");
  // Faults at 16, 24, 32 and 48, as in fixture 09; the mark's is a minor one.
  expect(machine.faults()).toEqual([4, 1]);
  expect(machine.pte()).toBe("y64");
  expect(cacheText(machine.memory, machine.file)).toMatch(/31 32\/2 36\/2/);
});

test("pages added inside a fault are marked referenced, hits are not marked (FLT-21, FIO-14)", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  machine.cache(0, 40);
  machine.access(40, 1, "r");
  machine.access(0, 1, "r");
  const { flags } = machine.memory.folios;
  const referenced = (page: number): number =>
    (flags[machine.memory.pageCache.lookup(machine.file, page)] as number) & PG_REFERENCED;
  expect(referenced(31)).toBe(PG_REFERENCED);
  expect(referenced(40)).toBe(0);
});

test("without recency nothing is marked referenced, and MADV_RANDOM reads one page (FLT-02, FIO-13)", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  machine.paging.madvise(machine.task0, BASE, 64, "random");
  machine.access(10, 1, "r");
  expect(machine.pte()).toBe(".10y1.53");
  expect(machine.faults()).toEqual([0, 1]);
  const folio = folioAt(machine.memory, machine.task0.mm!, 10);
  expect((machine.memory.folios.flags[folio] as number) & PG_REFERENCED).toBe(0);
});

test("the window is cut at the VMA and skips folios that are not up to date (FIO-21)", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  machine.cache(0, ...Array.from({ length: 32 }, (_, page) => page));
  machine.paging.munmap(machine.task0, BASE, 4);
  machine.memory.folios.flags[machine.memory.pageCache.lookup(machine.file, 9)]! &= ~PG_UPTODATE;
  machine.access(6, 1, "r");
  // Windows begin at a multiple of 16 or at the VMA, and are 16 long from there.
  expect(machine.pte()).toBe(".4y5.1y10.44");
});

test("a large folio is mapped whole, also beyond the window, on either side (FLT-22)", () => {
  const machine = createMappedMachine(256, READ_ONLY);
  machine.cache(5, 64, 96);
  machine.access(70, 1, "r");
  expect(machine.pte()).toBe(".64y32.160");
  machine.access(125, 1, "r");
  expect(machine.pte()).toBe(".64y64.128");
  expect(machine.violations()).toEqual([]);
});

test("of a large folio across the VMA's border the window alone is mapped (FLT-22)", () => {
  const machine = createMappedMachine(256, READ_ONLY);
  machine.cache(5, 64);
  machine.paging.munmap(machine.task0, BASE + 64, 4);
  machine.access(70, 1, "r");
  expect(machine.pte()).toBe(".68y16.172");
});

test("fault-around never maps the file's last folio beyond the window, a write does (7.3.4)", () => {
  const machine = createMappedMachine(256, SHARED);
  machine.cache(5, 224);
  machine.cache(0, 3);
  machine.access(3, 1, "r");
  machine.access(250, 1, "r");
  expect(machine.pte()).toBe(".3y1.236y16");
  machine.paging.madvise(machine.task0, BASE, 256, "dontneed");
  machine.access(250, 1, "w");
  expect(machine.pte()).toBe(".224Y32");
});

test("without a page table, the last folio is not mapped around but by the fault itself: whole (7.3.4)", () => {
  const machine = createMappedMachine(256, READ_ONLY);
  machine.cache(5, 224);
  machine.access(250, 1, "r");
  expect(machine.pte()).toBe(".224y32");
  expect(machine.faults()).toEqual([1, 0]);
});

test("a write maps one page of a large folio when some of it is mapped already (FLT-22)", () => {
  const machine = createMappedMachine(256, SHARED);
  machine.cache(5, 64);
  machine.access(70, 1, "r");
  machine.paging.madvise(machine.task0, BASE + 80, 4, "dontneed");
  machine.access(81, 1, "w");
  expect(machine.pte()).toBe(".64y16.1Y1.2y12.160");
  expect(machine.violations()).toEqual([]);
});

test("a shared write dirties the whole folio once and every entry it makes (FLT-23)", () => {
  const machine = createMappedMachine(256, SHARED);
  const { memory, memcg } = machine;
  machine.cache(5, 64);
  machine.access(70, 1, "w");
  const folio = folioAt(memory, machine.task0.mm!, 70);
  expect((memory.folios.flags[folio] as number) & PG_DIRTY).toBe(PG_DIRTY);
  expect(memory.states.of(STATE_FILE_DIRTY, memcg.index)).toBe(32);
  expect(memory.states.of(STATE_FILE_MAPPED, memcg.index)).toBe(32);
  expect(machine.pte()).toBe(".64Y32.160");
});

test("the first write to a page that a read mapped makes that entry writable alone (page_mkwrite)", () => {
  const machine = createMappedMachine(64, SHARED);
  machine.access(0, 1, "r");
  machine.access(5, 1, "w");
  expect(machine.pte()).toBe("y5Y1y10.48");
  expect(machine.faults()).toEqual([1, 1]);
  expect(machine.memory.states.of(STATE_FILE_DIRTY, machine.memcg.index)).toBe(1);
});

test("writing takes the readahead mark away, which means something else on a dirty folio", () => {
  const machine = createMappedMachine(64, SHARED);
  machine.access(0, 1, "r");
  const folio = machine.memory.pageCache.lookup(machine.file, 24);
  expect((machine.memory.folios.flags[folio] as number) & PG_RECLAIM).toBe(PG_RECLAIM);
  machine.access(24, 1, "w");
  const word = machine.memory.folios.flags[folio] as number;
  expect(word & (PG_RECLAIM | PG_DIRTY)).toBe(PG_DIRTY);
});

test("16 writes to a cold shared mapping are one major and 15 minor faults (fixture 09)", () => {
  const machine = createMappedMachine(16, SHARED);
  machine.access(0, 16, "w");
  expect(machine.faults()).toEqual([15, 1]);
  expect(machine.pte()).toBe("Y16");
});

test("a private write gets a copy of order 0, and the page cache keeps the page (FLT-23)", () => {
  const machine = createMappedMachine(256, PRIVATE);
  machine.cache(5, 64);
  machine.access(70, 1, "w");
  const mm = machine.task0.mm!;
  expect(machine.pte()).toBe(".70Y1.185");
  expect([mm.anonPages, mm.filePages]).toEqual([1, 0]);
  expect(machine.memory.states.of(STATE_FILE_DIRTY, machine.memcg.index)).toBe(0);
  expect(machine.memory.fileOf(folioAt(machine.memory, mm, 70))).toBe(null);
  expect(machine.violations()).toEqual([]);
});

test("a private write to a page that a read mapped replaces it alone", () => {
  const machine = createMappedMachine(256, PRIVATE);
  machine.cache(5, 128);
  machine.access(130, 1, "r");
  machine.access(131, 1, "w");
  const mm = machine.task0.mm!;
  expect(machine.pte()).toBe(".128y3Y1y28.96");
  expect([mm.anonPages, mm.filePages]).toEqual([1, 31]);
  expect(machine.violations()).toEqual([]);
});

test("fault-around fills in beside private copies", () => {
  const machine = createMappedMachine(256, PRIVATE);
  machine.cache(5, 128);
  machine.access(131, 1, "w");
  machine.access(140, 1, "r");
  expect(machine.pte()).toBe(".128y3Y1y28.96");
  expect(machine.violations()).toEqual([]);
});

test("entries of a file that may be written to are not writable after a read", () => {
  const machine = createMappedMachine(16, SHARED);
  machine.access(0, 1, "r");
  expect(entryAt(machine.memory, machine.task0.mm!, 0) & ENTRY_WRITE).toBe(0);
});

test("beyond the end of the file, and of one that vanished, is a SIGBUS, which counts as nothing", () => {
  const machine = createMappedMachine(64, PRIVATE);
  const { paging, task0, file } = machine;
  file.pages = 10;
  for (const write of [false, true])
    expect(paging.access(task0, BASE + 10, write)).toBe(FAULT_SIGBUS);
  expect(machine.faults()).toEqual([0, 0]);
  machine.access(9, 1, "r");
  paging.vanish(task0, file);
  expect(machine.pte()).toBe(".64");
  expect(paging.access(task0, BASE + 9, false)).toBe(FAULT_SIGBUS);
  expect(machine.memcg.charged).toBe(machine.batches.slots().size);
  expect(machine.violations()).toEqual([]);
});

test("of a folio that the file's end cuts, a write maps its page alone (FLT-22)", () => {
  const machine = createMappedMachine(256, SHARED);
  const { paging, task0, file } = machine;
  machine.cache(5, 64);
  machine.access(64, 1, "w");
  paging.truncate(task0, file, 70);
  paging.madvise(task0, BASE, 256, "dontneed");
  machine.access(66, 1, "w");
  expect(machine.pte()).toBe(".66Y1.189");
  expect(machine.violations()).toEqual([]);
});

test("a private write prepares the VMA for copies, also one that ends in a SIGBUS", () => {
  const machine = createMappedMachine(64, PRIVATE);
  machine.file.pages = 1;
  machine.paging.access(machine.task0, BASE + 9, true);
  expect(machine.task0.mm!.vmas[0]!.anonVma).not.toBe(null);
});

test("copying a page of the page cache drains nothing, unlike anonymous reuse (FLT-52)", () => {
  const machine = createMappedMachine(64, PRIVATE);
  machine.access(0, 1, "r");
  machine.batches.take();
  machine.access(0, 1, "w");
  expect(machine.batches.take().map((call) => call.split(" ")[0])).toEqual(["add"]);
});

test("a write where the mapping is read-only is a SIGSEGV", () => {
  const machine = createMappedMachine(64, READ_ONLY);
  expect(machine.paging.access(machine.task0, BASE, true)).toBe(FAULT_SIGSEGV);
});

test("without memory for the page, or for the copy of it, the fault fails", () => {
  for (const flags of [PRIVATE, SHARED]) {
    const machine = createMappedMachine(64, flags);
    const { memory, memcg, paging, task0 } = machine;
    while (memory.allocFolio(0, memcg) >= 0);
    expect(paging.access(task0, BASE, true)).toBe(FAULT_OOM);
    expect(machine.faults()).toEqual([0, 0]);
  }
});

test("after a hundred misses a fault reads its page alone (FLT-24)", () => {
  const machine = createMappedMachine(256, READ_ONLY);
  machine.openFile.mmapMiss = 99;
  machine.access(20, 1, "r");
  expect(machine.file.cachedPages).toBe(32);
  machine.access(100, 1, "r");
  expect(machine.file.cachedPages).toBe(33);
  expect(machine.openFile.mmapMiss).toBe(101);
  expect(machine.faults()).toEqual([0, 2]);
});

test("fault-around takes one miss back if it maps the page, unless the page is of the working set (FLT-24)", () => {
  const machine = createMappedMachine(256, READ_ONLY);
  const { openFile, memory, file } = machine;
  machine.cache(0, 4, 5, 6, 40);
  openFile.mmapMiss = 50;
  machine.access(5, 1, "r");
  expect(openFile.mmapMiss).toBe(49);
  memory.folios.flags[memory.pageCache.lookup(file, 40)]! |= PG_WORKINGSET;
  machine.access(40, 1, "r");
  expect(openFile.mmapMiss).toBe(49);
  // Page 8 is not cached: what is mapped around it does not count, and the fault is a miss.
  machine.paging.madvise(machine.task0, BASE, 16, "dontneed");
  machine.access(8, 1, "r");
  expect(openFile.mmapMiss).toBe(50);
});

test("a miss counts once, also when the fault that reads is taken again", () => {
  const machine = createMappedMachine(256, SHARED);
  machine.access(0, 1, "w");
  expect(machine.openFile.mmapMiss).toBe(1);
});

test("a write hit takes one miss back too", () => {
  const machine = createMappedMachine(256, SHARED);
  machine.cache(0, 4, 5, 6);
  machine.openFile.mmapMiss = 50;
  machine.access(4, 3, "w");
  expect(machine.openFile.mmapMiss).toBe(47);
});
