import { EBUSY, type Mm, type OpenFile, VM_HUGEPAGE, VM_READ, VM_SHARED } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { CHARGE_FULL } from "../../../src/charge/charge-kind.ts";
import { checkCharges } from "../../../src/check/index.ts";
import { createLimitMachine, type LimitMachine } from "../../limit-machine.ts";
import { BASE, READ_WRITE } from "../../machine.ts";

const GIB = 262_144;

/** Writes one byte to each of `pages` pages. */
function touch({ paging, task }: LimitMachine, first: number, pages: number): void {
  for (let page = 0; page < pages; page++) {
    expect(paging.access(task, first + page, true)).toBe(0);
  }
}

/** Kernel pages that a region's first touches cost. */
function cost(machine: LimitMachine, first: number, pages: number): number {
  const before = machine.memcg.kernelPages;
  touch(machine, first, pages);
  return machine.memcg.kernelPages - before;
}

/** Bytes of kernel objects that the memcg pays for: its pages, less what small objects still fit in. */
function objectBytes({ paging, task, memcg, mm }: LimitMachine): number {
  const pages = memcg.kernelPages;
  let fitted = 0;
  while (memcg.kernelPages === pages) {
    paging.charge.chargeObject(task, memcg, 8, CHARGE_FULL);
    fitted += 8;
  }
  for (let i = 0; i < fitted; i += 8) paging.charge.unchargeObject(task.cpu, memcg, 8);
  expect(memcg.kernelPages).toBe(pages);
  return (pages - mm.tablePages) * 4096 - (fitted - 8);
}

describe("page tables are charged by the page (CHG-42)", () => {
  test("3 for the first touch, 1 for another 2 MiB, 2 for another 1 GiB", () => {
    const machine = createLimitMachine();
    const { paging, mm } = machine;
    paging.mmapAnon(mm, BASE, 1024, READ_WRITE);
    paging.mmapAnon(mm, BASE + GIB, 10, READ_WRITE);
    // The first page of objects comes with the regions.
    expect(machine.memcg.kernelPages).toBe(1);
    expect(cost(machine, BASE, 1)).toBe(3);
    expect(cost(machine, BASE + 512, 1)).toBe(1);
    expect(cost(machine, BASE + GIB, 1)).toBe(2);
    expect(machine.mm.tablePages).toBe(6);
    expect(checkCharges(machine.memory, paging.charge)).toEqual([]);
  });

  test("a PMD-mapped folio deposits one, which a split uses and an unmap frees", () => {
    const machine = createLimitMachine();
    const { paging, mm, task, memcg } = machine;
    paging.thp.setSize(9, "always");
    paging.mmapAnon(mm, BASE, 1024, READ_WRITE | VM_HUGEPAGE);
    expect(cost(machine, BASE, 1)).toBe(3);
    expect(cost(machine, BASE + 512, 1)).toBe(1);
    paging.munmap(task, BASE, 10);
    expect(mm.tablePages).toBe(4);
    paging.munmap(task, BASE, 1024);
    expect(mm.tablePages).toBe(0);
    expect(memcg.kernelPages).toBe(1);
    expect(checkCharges(machine.memory, paging.charge)).toEqual([]);
  });

  test("they stay in the stock when they are freed (CHG-14)", () => {
    const machine = createLimitMachine();
    const { paging, mm, task, memcg } = machine;
    paging.mmapAnon(mm, BASE, 8, READ_WRITE);
    touch(machine, BASE, 8);
    machine.memory.batches.drainAll();
    paging.charge.drainAll(memcg);
    paging.exitMm(task, mm);
    // With the page that the objects had, which stays too: the 4 pages seen on 7.3.4.
    expect(memcg.kernelPages).toBe(1);
    expect(memcg.memory.usage).toBe(4);
    expect(paging.charge.stockOf(memcg)).toBe(3);
  });
});

/** Kernel pages that reading these pages of a file costs. */
function bytesOf(pages: readonly number[]): number {
  const machine = createLimitMachine();
  const { memory, paging, task, memcg } = machine;
  const fd = paging.openFile(memory.createFile({ name: "F", pages: 10_000 }), task);
  paging.fadvise(task, fd, 0, 0, "random");
  for (const page of pages) paging.readFile(task, fd, page * 4096, 4096);
  expect(checkCharges(memory, paging.charge)).toEqual([]);
  return memcg.kernelPages;
}

describe("page-cache tree nodes (CHG-43)", () => {
  test("page 0 alone has none; 17 nodes and a file take 3 pages, ceil((200 + 17 · 592) / 4096)", () => {
    expect(bytesOf([0])).toBe(1);
    const leaves = Array.from({ length: 16 }, (_, leaf) => leaf * 64);
    expect(bytesOf(leaves)).toBe(Math.ceil((200 + 17 * 592) / 4096));
  });

  test("a second level comes with page 4096", () => {
    const leaves = Array.from({ length: 66 }, (_, leaf) => leaf * 64);
    // 66 leaves, two nodes above them and the root of both.
    expect(bytesOf(leaves)).toBe(Math.ceil((200 + 69 * 592) / 4096));
  });

  test("a tree that shrinks to its first leaf, and that to page 0, keeps no node above it (scenario 166)", () => {
    const machine = createLimitMachine();
    const { memory, paging, task } = machine;
    const fd = paging.openFile(memory.createFile({ name: "F", pages: 10_000 }), task);
    paging.fadvise(task, fd, 0, 0, "random");
    const nodes = (): number => (objectBytes(machine) - 200) / 592; // and the open file
    const seen: number[] = [];
    for (const page of [0, 3, 70, 5000]) {
      paging.readFile(task, fd, page * 4096, 4096);
      seen.push(nodes());
    }
    memory.batches.drainAll();
    for (const page of [5000, 70, 3, 0]) {
      paging.fadvise(task, fd, page * 4096, 4096, "dontneed");
      seen.push(nodes());
    }
    expect(seen).toEqual([0, 1, 3, 6, 3, 1, 0, 0]);
  });

  test("a tree that grows gets a node on every level above what it had", () => {
    const machine = createLimitMachine();
    const { memory, paging, task } = machine;
    const fd = paging.openFile(memory.createFile({ name: "F", pages: 10_000 }), task);
    paging.fadvise(task, fd, 0, 0, "random");
    paging.readFile(task, fd, 3 * 4096, 4096);
    paging.readFile(task, fd, 5000 * 4096, 4096);
    // Two leaves, the node above each, and the root.
    expect(objectBytes(machine)).toBe(200 + 5 * 592);
  });

  test("page 0 has none when it comes back in place of its own shadow either", () => {
    const machine = createLimitMachine();
    const { memory, paging, task, memcg } = machine;
    const fd = paging.openFile(memory.createFile({ name: "F", pages: 64 }), task);
    paging.readFile(task, fd, 0, 1);
    const { mapping } = fd;
    memory.pageCache.clearShadows(mapping, 1, 64);
    for (let page = 1; page < 64; page++) {
      const folio = memory.pageCache.lookup(mapping, page);
      if (folio >= 0) memory.pageCache.remove(mapping, folio);
    }
    const before = objectBytes(machine);
    memory.pageCache.remove(mapping, memory.pageCache.lookup(mapping, 0), 7);
    expect(paging.charge.nodes.prepare(task, mapping, 0, 0, CHARGE_FULL)).toBe(true);
    expect([objectBytes(machine) - before, mapping.entries]).toEqual([0, 1]);
    expect(memcg.kernelPages).toBe(1);
  });

  test("a tree whose last page is not its first keeps its node", () => {
    const machine = createLimitMachine();
    const { memory, paging, task } = machine;
    const fd = paging.openFile(memory.createFile({ name: "F", pages: 64 }), task);
    paging.fadvise(task, fd, 0, 0, "random");
    for (const page of [0, 5]) paging.readFile(task, fd, page * 4096, 4096);
    memory.batches.drainAll();
    paging.fadvise(task, fd, 0, 4096, "dontneed");
    expect(objectBytes(machine)).toBe(200 + 592);
  });

  test("truncation gives them back", () => {
    const { memory, paging, task, memcg } = createLimitMachine();
    const file = memory.createFile({ name: "F", pages: 2048 });
    const fd = paging.openFile(file);
    for (let page = 0; page < 2048; page++) paging.readFile(task, fd, page * 4096, 4096);
    expect(memcg.kernelPages).toBe(Math.ceil((33 * 592) / 4096));
    paging.truncate(task, file, 0);
    expect(memcg.kernelPages).toBeLessThanOrEqual(1);
    expect(checkCharges(memory, paging.charge)).toEqual([]);
  });
});

describe("files and mappings (CHG-40)", () => {
  test("a file is paid for until its last descriptor and mapping are gone", () => {
    const { memory, paging, task, mm } = createLimitMachine();
    const fd = paging.openFile(memory.createFile({ name: "F", pages: 4 }), task);
    paging.mmapFile(mm, BASE, 4, VM_READ | VM_SHARED, fd, 0);
    paging.closeFile(task, fd);
    expect(fd.kernelMemcg).not.toBeNull();
    paging.munmap(task, BASE, 4);
    expect(fd.kernelMemcg).toBeNull();
  });
});

test("shared memory costs file, dentry and inode besides its VMA, once for all that map it (CHG-40)", () => {
  const machine = createLimitMachine();
  const { memcg, paging, task, mm, memory, newTask } = machine;
  const bytes = (): number => objectBytes(machine);
  paging.mmapAnon(mm, BASE, 8, READ_WRITE | VM_SHARED);
  expect(bytes()).toBe(200 + 200 + 200 + 704);
  const child = newTask(memcg);
  paging.fork(mm, child.mm as Mm);
  expect(bytes()).toBe(200 + 200 + 200 + 704); // whoever forks pays for the child's VMA
  paging.munmap(task, BASE, 8);
  expect(bytes()).toBe(200 + 200 + 704);
  paging.exitMm(child, child.mm as Mm);
  expect(bytes()).toBe(0);
  expect(checkCharges(memory, paging.charge)).toEqual([]);
});

test("a VMA that its neighbour takes in is given back, with the chain it had (scenario 171)", () => {
  const machine = createLimitMachine();
  const { paging, task, mm } = machine;
  paging.mmapAnon(mm, BASE, 8, READ_WRITE);
  touch(machine, BASE, 1);
  const whole = 200 + 104 + 72;
  expect(objectBytes(machine)).toBe(whole);
  paging.mlock(task, BASE + 2, 2);
  expect([mm.vmas.length, objectBytes(machine)]).toEqual([3, whole + 2 * (200 + 72)]);
  paging.munlock(task, BASE, 8);
  expect([mm.vmas.length, objectBytes(machine)]).toEqual([1, whole]);
});

test("an mmap() between two alike joins all three, and pays for none", () => {
  const machine = createLimitMachine();
  const { paging, mm } = machine;
  paging.mmapAnon(mm, BASE, 4, READ_WRITE);
  paging.mmapAnon(mm, BASE + 8, 4, READ_WRITE);
  expect(objectBytes(machine)).toBe(2 * 200);
  paging.mmapAnon(mm, BASE + 4, 4, READ_WRITE);
  expect([mm.vmas.length, objectBytes(machine)]).toEqual([1, 200]);
});

test("mapping a file of shared memory pays for the VMA alone: the file is its opener's", () => {
  const machine = createLimitMachine();
  const { memory, paging, mm } = machine;
  const fd = paging.openFile(memory.createFile({ name: "tmp", pages: 4, shmem: true }));
  paging.mmapFile(mm, BASE, 4, VM_READ | VM_SHARED, fd, 0);
  expect(objectBytes(machine)).toBe(200);
});

test("files and VMAs of a removed memcg are its parent's (REPAR-04)", () => {
  const { memory, paging, mm, memcg } = createLimitMachine();
  paging.mmapAnon(mm, BASE, 4, READ_WRITE | VM_SHARED);
  const [vma] = mm.vmas;
  paging.charge.kernel.reparent(memcg, memory.root);
  expect(vma!.kernelMemcg).toBe(memory.root);
  expect((vma!.file as OpenFile).kernelMemcg).toBe(memory.root);
});

describe("removing a memcg", () => {
  test("is refused for the root, with children, and with address spaces", () => {
    const { memory, paging, memcg, newTask } = createLimitMachine();
    const root = newTask(memory.root);
    expect(paging.removeMemcg(root, memory.root)).toBe(-EBUSY);
    expect(paging.removeMemcg(root, memcg)).toBe(-EBUSY);
    const parent = memory.createMemcg(memory.root, 40, "p");
    const child = memory.createMemcg(parent, 41, "c");
    expect(paging.removeMemcg(root, parent)).toBe(-EBUSY);
    expect(paging.removeMemcg(root, child)).toBe(0);
    expect(paging.removeMemcg(root, parent)).toBe(0);
    expect(memory.memcgById(40)).toBeUndefined();
  });

  test("leaves its stock nowhere, and its index is free again", () => {
    const { memory, paging, newTask } = createLimitMachine();
    const parent = memory.createMemcg(memory.root, 40, "p");
    const child = memory.createMemcg(parent, 41, "c");
    const task = newTask(parent);
    paging.charge.charge(task, child, 1, 0);
    child.memory.uncharge(1);
    expect(paging.removeMemcg(task, child)).toBe(0);
    expect(parent.memory.usage).toBe(0);
    expect(memory.createMemcg(parent, 42, "d").index).toBe(child.index);
    expect((task.mm as Mm).memcg).toBe(parent);
  });
});
