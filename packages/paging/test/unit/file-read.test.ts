import { EINVAL, ENOMEM, LRU_REFS_MASK, LRU_REFS_PGOFF, PG_REFERENCED } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { createFileMachine, type FileMachine } from "../file-machine.ts";

/** How often the folio of a page was marked accessed, up to 4. */
function accesses({ memory, file, io }: FileMachine, page: number): number {
  const word = memory.folios.flags[io.filemap.lookup(file, page)] as number;
  return word & PG_REFERENCED ? 1 + ((word & LRU_REFS_MASK) >> LRU_REFS_PGOFF) : 0;
}

describe("what read() returns", () => {
  test("is short at the end of the file and 0 behind it", () => {
    const { io, task0, fd } = createFileMachine(4);
    expect(io.read.read(task0, fd, 8192, 4096)).toBe(4096);
    expect(io.read.read(task0, fd, 12_288, 8192)).toBe(4096);
    expect(io.read.read(task0, fd, 16_383, 2)).toBe(1);
    expect(io.read.read(task0, fd, 16_384, 1)).toBe(0);
    expect(io.read.read(task0, fd, 99_999, 1)).toBe(0);
    expect(io.read.read(task0, fd, 0, 0)).toBe(0);
  });

  test("is −EINVAL for a negative position or length", () => {
    const { io, task0, fd } = createFileMachine(4);
    expect(io.read.read(task0, fd, -1, 4096)).toBe(-EINVAL);
    expect(io.read.read(task0, fd, 0, -1)).toBe(-EINVAL);
  });

  test("is what memory was there for, and −ENOMEM without any", () => {
    const { io, task0, fd, memory } = createFileMachine(2048, 1024);
    const got = io.read.read(task0, fd, 0, 2048 * 4096);
    expect(memory.allocator.freePages[0]).toBe(0);
    expect(got).toBe(io.read.read(task0, fd, 0, 2048 * 4096));
    expect(io.read.read(task0, fd, got, 4096)).toBe(-ENOMEM);
  });

  test("nothing is read in behind the end", () => {
    const { io, task0, fd, added } = createFileMachine(4);
    io.read.read(task0, fd, 16_384, 4096);
    expect(added()).toBe("");
  });

  test("shared memory cannot be read through a descriptor", () => {
    const { io, task0, memory } = createFileMachine(4);
    const fd = io.open(memory.createFile({ name: "shm", pages: 4, shmem: true }));
    expect(() => io.read.read(task0, fd, 0, 1)).toThrow("read() of shared memory is not modelled");
  });
});

describe("marking accessed (FIO-01)", () => {
  test("happens once for each folio of a read", () => {
    const machine = createFileMachine(64);
    machine.fd.random = true;
    machine.readOnce(8, 4);
    expect([8, 9, 10, 11].map((page) => accesses(machine, page))).toEqual([1, 1, 1, 1]);
  });

  test("does not happen for the folio that the last read of the descriptor ended in", () => {
    const machine = createFileMachine(64);
    const { io, task0, fd, file } = machine;
    machine.read(0, 12);
    expect(accesses(machine, 4)).toBe(1);
    machine.read(5);
    machine.read(5);
    io.read.read(task0, fd, 5 * 4096, 100);
    io.read.read(task0, fd, 4 * 4096, 8192);
    machine.read(7);
    expect(accesses(machine, 4)).toBe(2);
    machine.read(7, 1, io.open(file));
    expect(accesses(machine, 4)).toBe(3);
  });

  test("a page read again and again counts once (fixture 07, page 10)", () => {
    const machine = createFileMachine(64);
    machine.fd.random = true;
    machine.read(8, 3);
    for (let i = 0; i < 4; i++) machine.read(10);
    expect(accesses(machine, 10)).toBe(1);
  });

  test("happens again after a read elsewhere (fixture 07)", () => {
    const machine = createFileMachine(64);
    machine.fd.random = true;
    for (let pass = 0; pass < 3; pass++) machine.read(0, 2);
    expect([accesses(machine, 0), accesses(machine, 1)]).toEqual([3, 3]);
  });

  test("a read that ends where a folio begins has not ended in it", () => {
    const machine = createFileMachine(64);
    machine.fd.random = true;
    machine.read(1);
    machine.read(0);
    machine.read(1);
    expect(accesses(machine, 1)).toBe(2);
  });

  test("is not kept from the next read by FADV_NOREUSE (fixture 37)", () => {
    const machine = createFileMachine(64);
    machine.fd.random = true;
    machine.fd.noReuse = true;
    machine.read(0, 1);
    expect(accesses(machine, 0)).toBe(1);
  });

  test("comes after the new window, so what the window drains is not marked yet (FIO-20, fixture 08)", () => {
    const machine = createFileMachine(64);
    machine.read(0);
    machine.batches.take();
    const order: string[] = [];
    const mark = machine.policy.markAccessed.bind(machine.policy);
    machine.policy.markAccessed = (cpu, folio) => {
      order.push(...machine.batches.take(), `mark ${folio}`);
      mark(cpu, folio);
    };
    machine.read(1);
    expect(order.map((call) => call.split(" ")[0])).toEqual(["add", "add", "mark"]);
    expect(order.at(-1)).toBe(`mark ${machine.io.filemap.lookup(machine.file, 1)}`);
  });
});

test("a mark inside a request is looked at where it is, not at the end (FIO-20)", () => {
  const { readOnce } = createFileMachine(256);
  expect(readOnce(0, 4)).toBe("0 1 2 3 4P 5 6 7");
  expect(readOnce(1, 16)).toBe("8/2 12/2 16/2 20/2 24P/3 32/4");
});

test("a request of more than a window opens one, and goes on from mark to mark", () => {
  const { readOnce } = createFileMachine(256);
  const single = Array.from({ length: 32 }, (_, page) => String(page));
  const order2 = Array.from({ length: 8 }, (_, i) => `${32 + 4 * i}/2`);
  expect(readOnce(0, 256).split(" ")).toEqual([
    ...single,
    ...order2,
    "64/4",
    "80/4",
    "96/5",
    "128/5",
    "160/5",
    "192/5",
    "224/5",
  ]);
});

test("a read leaves no references behind", () => {
  const { readOnce, batches, task0, io, file, memory } = createFileMachine(128);
  readOnce(0, 100);
  readOnce(0, 100);
  batches.drain(task0.cpu);
  for (let page = 0; page < 128; page++) {
    const folio = io.filemap.lookup(file, page);
    if (folio < 0) continue;
    expect(memory.folios.refcount[folio]).toBe(memory.folios.nrPagesOf(folio));
  }
});
