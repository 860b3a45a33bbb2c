import { EINVAL, STATE_FILE, STATE_FILE_DIRTY } from "@lrugen/mm-core";
import { expect, test } from "vitest";
import { cacheText } from "../describe-file.ts";
import { createFileMachine } from "../file-machine.ts";

test("truncation unmaps and drops what is beyond the new end, dirty or not (PGC-02)", () => {
  const machine = createFileMachine(64);
  const { io, task0, file, fd, memory, memcg, zapped, batches } = machine;
  fd.random = true;
  machine.read(0, 10);
  machine.write(8, 1);
  expect(io.truncate.truncate(task0.cpu, file, 4)).toBe(0);
  expect(zapped).toEqual(["4..64"]);
  expect(cacheText(memory, file)).toBe("0 1 2 3");
  batches.drain(task0.cpu);
  const count = (item: number): number => memory.states.of(item, memcg.index);
  expect([memcg.charged, count(STATE_FILE), count(STATE_FILE_DIRTY)]).toEqual([4, 4, 0]);
});

test("reads end at the new end", () => {
  const { io, task0, file, fd } = createFileMachine(64);
  io.truncate.truncate(task0.cpu, file, 4);
  expect(io.read.read(task0, fd, 3 * 4096, 8192)).toBe(4096);
  expect(io.read.read(task0, fd, 4 * 4096, 1)).toBe(0);
});

test("a file may be made larger, which touches nothing", () => {
  const { io, task0, file, zapped, memory, read } = createFileMachine(4);
  read(0);
  expect(io.truncate.truncate(task0.cpu, file, 100)).toBe(0);
  expect([file.pages, zapped.length, cacheText(memory, file)]).toEqual([100, 0, "0 1 2 3"]);
  expect(read(99)).toBe("99");
});

test("a large folio across the new end goes if it is clean, and stays if it is dirty", () => {
  const { io, task0, file, fd, memory, zapped } = createFileMachine(64);
  io.filemap.add(task0, file, 16, 2, false);
  io.truncate.truncate(task0.cpu, file, 18);
  expect(cacheText(memory, file)).toBe("");
  expect(zapped).toEqual(["18..64", "16..18"]);
  io.truncate.truncate(task0.cpu, file, 64);
  io.write.write(task0, fd, 16 * 4096, 4 * 4096);
  io.truncate.truncate(task0.cpu, file, 18);
  expect(cacheText(memory, file)).toBe("16D/2");
});

test("shadows beyond the new end are forgotten", () => {
  const { io, task0, file, fd, memory, read, batches } = createFileMachine(64);
  fd.random = true;
  read(0, 10);
  batches.drainAll();
  memory.pageCache.remove(file, io.filemap.lookup(file, 9), 7);
  io.truncate.truncate(task0.cpu, file, 5);
  expect(memory.pageCache.shadow(file, 9)).toBe(undefined);
});

test("a vanished file has nothing to read, and says so to page faults", () => {
  const { io, task0, file, fd, read } = createFileMachine(64);
  read(0, 10);
  io.truncate.vanish(task0.cpu, file);
  expect([file.pages, file.gone, file.cachedPages]).toEqual([0, true, 0]);
  expect(io.read.read(task0, fd, 0, 4096)).toBe(0);
});

test("a negative size is −EINVAL", () => {
  const { io, task0, file } = createFileMachine(4);
  expect(io.truncate.truncate(task0.cpu, file, -1)).toBe(-EINVAL);
  expect(file.pages).toBe(4);
});

test("folios are dropped 31 at a time under one lock (REL-01)", () => {
  const { io, task0, file, fd, memcg, read, batches } = createFileMachine(100);
  fd.random = true;
  read(0, 100);
  batches.drainAll();
  const { lock } = memcg.lruvecs[0]!;
  const before = lock.acquisitions;
  io.truncate.truncate(task0.cpu, file, 0);
  expect(lock.acquisitions - before).toBe(4);
});
