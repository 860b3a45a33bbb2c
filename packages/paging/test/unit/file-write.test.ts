import { EINVAL, ENOMEM, PG_REFERENCED, STATE_FILE_DIRTY } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { cacheText } from "../describe-file.ts";
import { createFileMachine, type FileMachine } from "../file-machine.ts";

/** One pwrite() of so many bytes. @returns the cache afterwards */
function pwrite(machine: FileMachine, page: number, bytes: number): string {
  const { io, task0, fd, memory, file } = machine;
  expect(io.write.write(task0, fd, page * 4096, bytes)).toBe(bytes);
  return cacheText(memory, file);
}

describe("folios that write() adds (seen on 7.3.4: ext4)", () => {
  test("are single pages for writes of one", () => {
    const machine = createFileMachine(64);
    expect(machine.write(0, 2)).toBe("0D 1D");
  });

  test.each([
    [16, 16_384, "16D/2"],
    [33, 16_384, "33D 34D/1 36D"],
    [64, 65_536, "64D/4"],
    [100, 100, "100D"],
    [104, 5000, "104D 105D"],
    [113, 65_536, "113D 114D/1 116D/2 120D/3 128D"],
  ])("at page %i, %i bytes", (page, bytes, cache) => {
    expect(pwrite(createFileMachine(256), page, bytes)).toBe(cache);
  });

  test("fit between cached ones", () => {
    const machine = createFileMachine(64);
    machine.io.filemap.add(machine.task0, machine.file, 6, 0, false);
    expect(pwrite(machine, 0, 32_768)).toBe("0D/2 4D/1 6D 7D");
  });

  test("are no larger than the file system takes", () => {
    const machine = createFileMachine(1);
    const { memory, io, task0 } = machine;
    const file = memory.createFile({ name: "small", pages: 16, maxOrder: 1 });
    io.write.write(task0, io.open(file), 0, 16_384);
    expect(cacheText(memory, file)).toBe("0D/1 2D/1");
  });

  test("get smaller when no large block is free", () => {
    const machine = createFileMachine(2048, 1024);
    expect(machine.io.write.write(machine.task0, machine.fd, 0, 1024 * 4096)).toBe(1023 * 4096);
    expect(machine.io.write.write(machine.task0, machine.fd, 1023 * 4096, 1)).toBe(-ENOMEM);
  });
});

test("a write marks nothing accessed and starts no readahead (ADD-14)", () => {
  const { read, write, io, file, memory, policy } = createFileMachine(64);
  read(0);
  policy.markAccessed = () => expect.unreachable("write() marked a folio accessed");
  expect(write(1)).toBe("");
  const folio = io.filemap.lookup(file, 1);
  expect(memory.folios.flags[folio]! & PG_REFERENCED).toBe(0);
  expect(cacheText(memory, file)).toBe("0 1PD 2 3");
});

test("a write dirties whole folios (CNT file_dirty)", () => {
  const { io, task0, file, fd, memory, memcg } = createFileMachine(64);
  io.filemap.add(task0, file, 16, 3, false);
  io.write.write(task0, fd, 20 * 4096 + 17, 3);
  expect(memory.states.of(STATE_FILE_DIRTY, memcg.index)).toBe(8);
});

test("a write behind the end makes the file larger, by whole pages", () => {
  const { io, task0, file, fd } = createFileMachine(16);
  expect(io.write.write(task0, fd, 20 * 4096, 100)).toBe(100);
  expect(file.pages).toBe(21);
  expect(io.read.read(task0, fd, 20 * 4096, 4096)).toBe(4096);
  io.write.write(task0, fd, 0, 4096);
  expect(file.pages).toBe(21);
});

test("write() takes no negative position or length, and nothing of zero bytes", () => {
  const { io, task0, fd, added } = createFileMachine(16);
  expect(io.write.write(task0, fd, -4096, 4096)).toBe(-EINVAL);
  expect(io.write.write(task0, fd, 0, -1)).toBe(-EINVAL);
  expect(io.write.write(task0, fd, 0, 0)).toBe(0);
  expect(added()).toBe("");
});

test("shared memory cannot be written through a descriptor", () => {
  const { io, task0, memory } = createFileMachine(4);
  const fd = io.open(memory.createFile({ name: "shm", pages: 4, shmem: true }));
  expect(() => io.write.write(task0, fd, 0, 1)).toThrow("write() of shared memory is not modelled");
});
