import { EINVAL } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { cacheText } from "../describe-file.ts";
import { createFileMachine, type FileMachine } from "../file-machine.ts";

function advise(machine: FileMachine, advice: string, first = 0, count = 0): number {
  const { io, task0, fd } = machine;
  return io.fadvise.advise(task0, fd, first * 4096, count * 4096, advice);
}

describe("access patterns", () => {
  test("random reads what is asked for, normal reads ahead again", () => {
    const machine = createFileMachine(256);
    expect(advise(machine, "random")).toBe(0);
    expect(machine.readOnce(0, 2)).toBe("0 1");
    expect(advise(machine, "normal")).toBe(0);
    expect(machine.read(2)).toBe("2 3P 4 5");
  });

  test("sequential doubles the largest window and ends random; normal undoes it (seen on 7.3.4)", () => {
    const machine = createFileMachine(1024);
    advise(machine, "random");
    advise(machine, "sequential");
    machine.read(0, 96);
    expect(machine.read(96)).toBe("128P/6");
    advise(machine, "normal");
    expect([machine.fd.raPages, machine.fd.random]).toEqual([32, false]);
  });

  test("noreuse is remembered until normal (VMA-04)", () => {
    const machine = createFileMachine(16);
    advise(machine, "noreuse");
    advise(machine, "random");
    expect(machine.fd.noReuse).toBe(true);
    advise(machine, "normal");
    expect(machine.fd.noReuse).toBe(false);
  });

  test("belong to the descriptor, not to the file", () => {
    const machine = createFileMachine(256);
    advise(machine, "random");
    expect(machine.read(0, 1, machine.io.open(machine.file))).toBe("0 1P 2 3");
  });
});

describe("willneed (fixture 37)", () => {
  test("reads single pages, those of one window (seen on 7.3.4)", () => {
    const machine = createFileMachine(1024);
    expect(advise(machine, "willneed", 0, 200)).toBe(0);
    const pages = machine.added().split(" ");
    expect([pages.length, pages[0], pages.at(-1)]).toEqual([32, "0", "31"]);
    advise(machine, "willneed", 1020, 0);
    expect(machine.added()).toBe("1020 1021 1022 1023");
  });

  test("takes in every page that the range touches", () => {
    const { io, task0, fd, added } = createFileMachine(16);
    io.fadvise.advise(task0, fd, 4095, 2, "willneed");
    expect(added()).toBe("0 1");
  });
});

describe("dontneed (PGC-05)", () => {
  test("drops clean folios that lie in the range, and writes dirty ones first", () => {
    const machine = createFileMachine(32);
    const { memory, file, batches, task0, memcg } = machine;
    advise(machine, "random");
    machine.read(0, 32);
    machine.write(8, 4);
    advise(machine, "dontneed", 0, 16);
    expect(cacheText(memory, file)).toBe(
      Array.from({ length: 16 }, (_, i) => String(16 + i)).join(" "),
    );
    batches.drain(task0.cpu);
    expect([memcg.charged, file.dirtyPages]).toEqual([16, 0]);
  });

  test("leaves large folios that reach out of the range, but writes them (seen on 7.3.4)", () => {
    const machine = createFileMachine(128);
    const { memory, file, task0, fd, io } = machine;
    io.write.write(task0, fd, 0, 16 * 4096);
    io.write.write(task0, fd, 16 * 4096, 8 * 4096);
    advise(machine, "dontneed", 4, 20);
    expect(cacheText(memory, file)).toBe("0/4");
  });

  test("with 0 bytes goes to the end of the file", () => {
    const machine = createFileMachine(16);
    advise(machine, "random");
    machine.read(0, 16);
    advise(machine, "dontneed", 14, 0);
    expect(machine.file.cachedPages).toBe(14);
  });

  test("drops whole pages only", () => {
    const machine = createFileMachine(16);
    const { io, task0, fd, memory, file } = machine;
    advise(machine, "random");
    machine.read(0, 16);
    io.fadvise.advise(task0, fd, 1, 4096 * 2, "dontneed");
    io.fadvise.advise(task0, fd, 4096 * 15, 4095, "dontneed");
    io.fadvise.advise(task0, fd, 4096 * 8, 4095, "dontneed");
    expect(file.cachedPages).toBe(15);
    expect(cacheText(memory, file).startsWith("0 2 3")).toBe(true);
  });

  test("drains this CPU's batches first, so what was just read goes too", () => {
    const machine = createFileMachine(16);
    machine.read(0);
    machine.batches.take();
    advise(machine, "dontneed");
    expect(machine.file.cachedPages).toBe(0);
    expect(machine.batches.take()[0]).toBe("drain");
  });

  test("drains the other CPUs when they hold a folio, and tries once more", () => {
    const machine = createFileMachine(16);
    const { io, fd, file } = machine;
    fd.random = true;
    io.read.read(machine.task(1), fd, 0, 4096);
    machine.read(1);
    advise(machine, "dontneed");
    expect(file.cachedPages).toBe(0);
  });

  test("wants a folio that somebody uses reclaimed soon, and forgets its accesses (fixture 37)", () => {
    const machine = createFileMachine(16);
    const { io, file, memory, batches } = machine;
    advise(machine, "random");
    machine.read(0, 2);
    const folio = io.filemap.lookup(file, 1);
    memory.folios.refcount[folio]! += 1;
    batches.take();
    advise(machine, "dontneed");
    const calls = batches.take().filter((call) => call.startsWith("deactivateFile"));
    expect(calls).toEqual([`deactivateFile ${folio}`, `deactivateFile ${folio}`]);
    expect(cacheText(memory, file)).toBe("1");
    memory.folios.refcount[folio]! -= 1;
  });

  test("forgets the shadows of the range, and none else", () => {
    const machine = createFileMachine(256);
    const { io, file, memory } = machine;
    advise(machine, "random");
    machine.read(0, 128);
    machine.batches.drainAll();
    for (const page of [3, 100]) {
      const folio = io.filemap.lookup(file, page);
      memory.pageCache.remove(file, folio, 7);
    }
    advise(machine, "dontneed", 0, 64);
    expect([memory.pageCache.shadow(file, 3), memory.pageCache.shadow(file, 100)]).toEqual([
      undefined,
      7,
    ]);
  });
});

test("fadvise() is −EINVAL for another advice and negative numbers", () => {
  const machine = createFileMachine(16);
  const { io, task0, fd } = machine;
  expect(advise(machine, "hugepage")).toBe(-EINVAL);
  expect(io.fadvise.advise(task0, fd, 0, -1, "willneed")).toBe(-EINVAL);
  expect(io.fadvise.advise(task0, fd, -1, 0, "willneed")).toBe(-EINVAL);
});

test("shared memory heeds no advice", () => {
  const { io, task0, memory, added } = createFileMachine(1);
  const fd = io.open(memory.createFile({ name: "shm", pages: 16, shmem: true }));
  expect(io.fadvise.advise(task0, fd, 0, 0, "willneed")).toBe(0);
  expect(io.fadvise.advise(task0, fd, 0, 0, "nonsense")).toBe(-EINVAL);
  expect(added()).toBe("");
});
