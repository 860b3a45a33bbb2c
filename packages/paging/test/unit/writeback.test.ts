import {
  PG_DIRTY,
  PG_RECLAIM,
  PG_WRITEBACK,
  STATE_FILE_DIRTY,
  STATE_FILE_WRITEBACK,
} from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { cacheText } from "../describe-file.ts";
import { createFileMachine } from "../file-machine.ts";

test("fsync() makes every dirty folio of the file clean, and returns 0 (PGC-04)", () => {
  const { io, task0, fd, file, memory, memcg, read, write } = createFileMachine(64);
  read(0);
  write(2, 1);
  write(40, 3);
  expect(cacheText(memory, file)).toBe("0 1P 2D 3 40D 41D 42D");
  expect(io.fsync(task0, fd)).toBe(0);
  expect(cacheText(memory, file)).toBe("0 1P 2 3 40 41 42");
  const count = (item: number): number => memory.states.of(item, memcg.index);
  expect([count(STATE_FILE_DIRTY), count(STATE_FILE_WRITEBACK), file.dirtyPages]).toEqual([
    0, 0, 0,
  ]);
});

test("a folio with PG_reclaim is queued for the tail while it still is under writeback (PGC-04)", () => {
  const { io, task0, fd, file, memory, batches, read, write } = createFileMachine(64);
  read(0);
  write(1);
  const folio = io.filemap.lookup(file, 1);
  batches.drain(task0.cpu);
  batches.take();
  const seen: number[] = [];
  const rotate = batches.rotate.bind(batches);
  batches.rotate = (cpu, rotated) => {
    seen.push(memory.folios.flags[rotated]! & (PG_RECLAIM | PG_WRITEBACK | PG_DIRTY));
    rotate(cpu, rotated);
  };
  io.fsync(task0, fd);
  expect(batches.take()).toEqual(["drain", `rotate ${folio}`]);
  expect(seen).toEqual([PG_WRITEBACK]);
  expect(memory.folios.flags[folio]! & (PG_RECLAIM | PG_WRITEBACK)).toBe(0);
});

test("writing drains the caller's batches once, after 31 folios; a run of pages ends where the next begins (BATCH-17, seen on 7.3.4)", () => {
  const { io, task0, fd, file, memory, batches, write } = createFileMachine(256);
  write(0, 40);
  write(100, 2);
  for (let page = 0; page < 102; page++) {
    const folio = io.filemap.lookup(file, page);
    if (folio >= 0) memory.folios.flags[folio]! |= PG_RECLAIM;
  }
  batches.drain(task0.cpu);
  batches.take();
  io.fsync(task0, fd);
  const calls = batches.take().map((call) => call.split(" ")[0]);
  expect(calls).toEqual(["drain", ...Array.from({ length: 42 }, () => "rotate")]);
});

test("with fewer folios the drain comes after the runs before the last", () => {
  const { io, task0, fd, file, memory, batches, write } = createFileMachine(256);
  write(0, 2);
  write(100, 2);
  batches.drain(task0.cpu);
  for (const page of [0, 1, 100, 101]) {
    memory.folios.flags[io.filemap.lookup(file, page)]! |= PG_RECLAIM;
  }
  batches.take();
  io.fsync(task0, fd);
  expect(batches.take().map((call) => call.split(" ")[0])).toEqual([
    "rotate",
    "rotate",
    "drain",
    "rotate",
    "rotate",
  ]);
});

test("a range writes every dirty folio that has a page in it", () => {
  const { io, task0, fd, file, memory } = createFileMachine(64);
  io.write.write(task0, fd, 0, 16 * 4096);
  io.write.write(task0, fd, 16 * 4096, 4096);
  expect(cacheText(memory, file)).toBe("0D/4 16D");
  expect(io.writeback.range(task0.cpu, file, 15, 16)).toBe(16);
  expect(cacheText(memory, file)).toBe("0/4 16D");
});

test("a clean file drains nothing, and shared memory stays dirty", () => {
  const { io, task0, fd, memory, batches, read } = createFileMachine(64);
  read(0);
  io.fsync(task0, fd);
  expect(batches.take()).toEqual([]);
  const shmem = memory.createFile({ name: "shm", pages: 4, shmem: true });
  const folio = io.filemap.add(task0, shmem, 0, 0, false);
  io.filemap.setDirty(shmem, folio);
  expect(io.fsync(task0, io.open(shmem))).toBe(0);
  expect(memory.folios.flags[folio]! & PG_DIRTY).toBe(PG_DIRTY);
});
