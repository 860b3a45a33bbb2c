import {
  NIL,
  PG_DIRTY,
  PG_RECLAIM,
  PG_SWAPBACKED,
  PG_UPTODATE,
  STATE_FILE,
  STATE_FILE_DIRTY,
  STATE_FILE_THP,
  STATE_SHMEM,
  STATE_SHMEM_THP,
  Task,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { createFileMachine } from "../file-machine.ts";

test("an added folio has a reference a page and one of its batch slot, and is charged and counted (FIO-03, PGC-01)", () => {
  const { io, task0, file, memory, memcg, batches } = createFileMachine(64);
  const { folios, states } = memory;
  const folio = io.filemap.add(task0, file, 8, 0, false);
  expect(folios.refcount[folio]).toBe(2);
  expect(folios.flags[folio]).toBe(PG_UPTODATE);
  expect(folios.index[folio]).toBe(8);
  expect(memory.fileOf(folio)).toBe(file);
  expect(io.filemap.lookup(file, 8)).toBe(folio);
  expect(io.filemap.lookup(file, 9)).toBe(NIL);
  expect([memcg.charged, states.of(STATE_FILE, memcg.index)]).toEqual([1, 1]);
  batches.drain(task0.cpu);
  expect(folios.refcount[folio]).toBe(1);
});

test("a large folio does not wait in a batch, and is found by each of its pages (BATCH-06)", () => {
  const { io, task0, file, memory, batches } = createFileMachine(64);
  const folio = io.filemap.add(task0, file, 16, 2, true);
  expect(batches.queued(task0.cpu)).toEqual([]);
  expect(memory.folios.refcount[folio]).toBe(4);
  expect(memory.folios.flags[folio]! & PG_RECLAIM).toBe(PG_RECLAIM);
  expect([15, 16, 19, 20].map((page) => io.filemap.lookup(file, page))).toEqual([
    NIL,
    folio,
    folio,
    NIL,
  ]);
});

test("a task without an address space is charged to the root", () => {
  const { io, file, memory, memcg, task0 } = createFileMachine(64);
  const folio = io.filemap.add(new Task(task0.cpu, null), file, 0, 0, false);
  expect(memory.folios.memcg[folio]).toBe(memory.root.index);
  expect(memcg.charged).toBe(0);
});

test("shared memory is swap-backed and counts as shmem; 2 MiB folios count as THP (PGC-03)", () => {
  const { io, task0, memory, memcg } = createFileMachine(1);
  const file = memory.createFile({ name: "big", pages: 1024 });
  const shmem = memory.createFile({ name: "shm", pages: 1024, shmem: true });
  io.filemap.add(task0, file, 0, 9, false);
  io.filemap.add(task0, file, 512, 8, false);
  const huge = io.filemap.add(task0, shmem, 512, 9, false);
  expect(memory.folios.flags[huge]! & PG_SWAPBACKED).toBe(PG_SWAPBACKED);
  const count = (item: number): number => memory.states.of(item, memcg.index);
  expect([STATE_FILE, STATE_SHMEM, STATE_FILE_THP, STATE_SHMEM_THP].map(count)).toEqual([
    1280, 512, 512, 512,
  ]);
  io.filemap.remove(task0.cpu, shmem, huge);
  io.filemap.remove(task0.cpu, file, io.filemap.lookup(file, 0));
  expect([STATE_FILE, STATE_SHMEM, STATE_FILE_THP, STATE_SHMEM_THP].map(count)).toEqual([
    256, 0, 0, 0,
  ]);
});

test("a removed folio is freed once its batch slot is gone too (REL-07)", () => {
  const { io, task0, file, memory, memcg, batches } = createFileMachine(64);
  const free = memory.allocator.freePages[0];
  const folio = io.filemap.add(task0, file, 0, 0, false);
  io.filemap.setDirty(file, folio);
  io.filemap.remove(task0.cpu, file, folio);
  expect(io.filemap.lookup(file, 0)).toBe(NIL);
  expect(memory.folios.refcount[folio]).toBe(1);
  expect(memory.states.of(STATE_FILE_DIRTY, memcg.index)).toBe(0);
  batches.drain(task0.cpu);
  expect(memory.allocator.freePages[0]).toBe(free);
  expect([memcg.charged, file.cachedPages, file.dirtyPages]).toEqual([0, 0, 0]);
});

test("no memory is NIL, and changes nothing", () => {
  const { io, task0, memory, memcg } = createFileMachine(1, 1024);
  const file = memory.createFile({ name: "big", pages: 2048 });
  expect(io.filemap.add(task0, file, 0, 9, false)).not.toBe(NIL);
  expect(io.filemap.add(task0, file, 512, 9, false)).toBe(NIL);
  expect([memcg.charged, file.cachedPages]).toEqual([512, 512]);
});

test("a folio is dirty once, in pages, and since when the file was last clean", () => {
  const { io, task0, file, memory, memcg } = createFileMachine(64);
  const dirty = (): number => memory.states.of(STATE_FILE_DIRTY, memcg.index);
  const folio = io.filemap.add(task0, file, 16, 2, false);
  const other = io.filemap.add(task0, file, 0, 0, false);
  memory.clock.sleep(400);
  io.filemap.setDirty(file, folio);
  io.filemap.setDirty(file, folio);
  memory.clock.sleep(400);
  io.filemap.setDirty(file, other);
  expect([dirty(), file.dirtyPages, file.dirtiedAt]).toEqual([5, 5, 100]);
  expect(io.filemap.clearDirty(file, folio)).toBe(true);
  expect(io.filemap.clearDirty(file, folio)).toBe(false);
  expect([dirty(), file.dirtyPages]).toEqual([1, 1]);
});

test("a readahead mark survives write(), which dirties buffers, but not a dirtied mapping (seen on 7.3.4)", () => {
  const { io, task0, file, memory } = createFileMachine(64);
  const folio = io.filemap.add(task0, file, 0, 0, true);
  io.filemap.setDirty(file, folio);
  expect(memory.folios.flags[folio]! & (PG_RECLAIM | PG_DIRTY)).toBe(PG_RECLAIM | PG_DIRTY);
  io.filemap.markDirty(file, folio);
  expect(memory.folios.flags[folio]! & (PG_RECLAIM | PG_DIRTY)).toBe(PG_DIRTY);
});

test("dirty shared memory is not counted: nothing writes it back", () => {
  const { io, task0, memory, memcg } = createFileMachine(1);
  const shmem = memory.createFile({ name: "shm", pages: 4, shmem: true });
  const folio = io.filemap.add(task0, shmem, 0, 0, false);
  io.filemap.setDirty(shmem, folio);
  expect(memory.folios.flags[folio]! & PG_DIRTY).toBe(PG_DIRTY);
  expect([shmem.dirtyPages, memory.states.of(STATE_FILE_DIRTY, memcg.index)]).toEqual([0, 0]);
});
