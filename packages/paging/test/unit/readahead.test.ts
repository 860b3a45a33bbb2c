import {
  NIL,
  PG_RECLAIM,
  PG_WRITEBACK,
  VM_EXEC,
  VM_HUGEPAGE,
  VM_RAND_READ,
  VM_READ,
  VM_SEQ_READ,
  Vma,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { cacheText } from "../describe-file.ts";
import { createFileMachine, type FileMachine } from "../file-machine.ts";
import { BASE } from "../machine.ts";

/** Pages first..end − 1 as folioText of order 0, `mark` with its mark. */
function pages(first: number, end: number, mark = -1): string {
  const texts: string[] = [];
  for (let page = first; page < end; page++) texts.push(page === mark ? `${page}P` : `${page}`);
  return texts.join(" ");
}

/** A VMA that maps pages [first, end) of the machine's file. */
function mapping({ task0, fd, file }: FileMachine, flags = 0, first = 0, end = file.pages): Vma {
  return new Vma(task0.mm!, BASE + first, BASE + end, VM_READ | flags, fd, first);
}

/** A page fault: asynchronous readahead on a hit, synchronous on a miss. @returns what was added */
function fault(machine: FileMachine, page: number, vma: Vma): string {
  const { io, task0, fd, file } = machine;
  const folio = io.filemap.lookup(file, page);
  if (folio === NIL) io.readahead.mmapSync(task0, fd, page, vma);
  else io.readahead.mmapAsync(task0, fd, folio, page, vma);
  return machine.added();
}

describe("the worked traces of the corrections, section B (FIO-12, FIO-15..FIO-20, FIO-22)", () => {
  test("reads of one page from page 0 on (fixture 08)", () => {
    const { read } = createFileMachine(256);
    expect(read(0)).toBe("0 1P 2 3");
    expect(read(1)).toBe("4P/2 8/2");
    expect(read(2, 2)).toBe("");
    expect(read(4)).toBe("12P/2");
    expect(read(5, 7)).toBe("");
    expect(read(12)).toBe("16P/3");
    expect(read(13, 4)).toBe("24P/3");
    expect(read(17, 8)).toBe("32P/4");
    expect(read(25, 8)).toBe("48P/4");
    expect(read(33, 16)).toBe("64P/5");
    expect(read(49, 16)).toBe("96P/5");
    expect(read(65, 32)).toBe("128P/5");
    expect(read(97, 32)).toBe("160P/5");
    expect(read(129, 32)).toBe("192P/5");
    expect(read(161, 32)).toBe("224/5");
    expect(read(193, 63)).toBe("");
  });

  test("a first read of 16 KiB", () => {
    expect(createFileMachine(256).readOnce(0, 4)).toBe("0 1 2 3 4P 5 6 7");
  });

  test("page 100 alone, then 101, 102 …", () => {
    const { read } = createFileMachine(256);
    expect(read(100)).toBe("100");
    expect(read(101)).toBe("101 102P 103 104");
    expect(read(102)).toBe("105P 106/1 108/2");
    expect(read(103, 2)).toBe("");
    expect(read(105)).toBe("112P/3 120/2 124/1");
  });

  test("page 1 again after a pass of which page 0 is left", () => {
    const { io, task0, file, read, added } = createFileMachine(256);
    io.filemap.add(task0, file, 0, 0, false);
    added();
    read(0);
    expect(read(1)).toBe("1 2P 3 4");
    expect(read(2)).toBe("5P 6/1 8/2");
    expect(read(3, 2)).toBe("");
    expect(read(5)).toBe("12P/2");
    expect(read(6, 7)).toBe("16P/3");
  });

  test("a mapping touched at page 100, then at 101..160", () => {
    const machine = createFileMachine(256);
    const vma = mapping(machine);
    expect(fault(machine, 100, vma)).toBe(pages(84, 116, 108));
    expect(fault(machine, 107, vma)).toBe("");
    expect(fault(machine, 108, vma)).toBe("116P/2 120/2 124/2 128/2 132/2 136/2 140/2 144/2");
    expect(fault(machine, 116, vma)).toBe("148P/2 152/3 160/4");
    expect(fault(machine, 148, vma)).toBe("176P/4");
  });
});

describe("a miss of read() (FIO-18)", () => {
  test("is sequential in the page of the next byte, and in the one after that (seen on 7.3.4)", () => {
    const { read } = createFileMachine(256);
    expect(read(100)).toBe("100");
    expect(read(102)).toBe("102 103P 104 105");
    expect(read(150)).toBe("150");
    expect(read(153)).toBe("153");
  });

  test("elsewhere reads what was asked for, and leaves the window alone", () => {
    const { readOnce, fd } = createFileMachine(256);
    readOnce(0, 1);
    expect(readOnce(100, 5)).toBe("100 101 102 103 104");
    expect([fd.raStart, fd.raSize, fd.raAsyncSize]).toEqual([0, 4, 3]);
  });

  test("behind more cached pages than it asks for takes them for history", () => {
    const { io, file, fd, read, readOnce } = createFileMachine(256);
    fd.random = true;
    read(20, 3);
    read(40, 9);
    const other = io.open(file);
    expect(read(23, 1, other)).toBe("23 24 25 26P");
    expect(readOnce(49, 2, other)).toBe(pages(49, 60, 59));
  });

  test("behind history that begins at page 0 counts it twice", () => {
    const { io, file, fd, read } = createFileMachine(256);
    fd.random = true;
    read(0, 3);
    expect(read(3, 1, io.open(file))).toBe("3 4 5 6 7 8 9P");
  });

  test("misses as much history as the last large folio has before its last page (seen on 7.3.4)", () => {
    const { io, file, read } = createFileMachine(256);
    read(0, 8);
    expect(read(16, 1, io.open(file))).toBe(pages(16, 30, 29));
  });

  test("takes one window for history at most", () => {
    const { io, file, read } = createFileMachine(256);
    read(0, 33);
    expect(read(64, 1, io.open(file))).toBe(pages(64, 96, 95));
  });

  test("of more than a window opens one, wherever it is", () => {
    const { io, task0, fd, added } = createFileMachine(256);
    io.readahead.sync(task0, fd, 100, 33);
    expect(added()).toBe(pages(100, 132, 116));
  });

  test("with FADV_RANDOM reads what was asked for, one window a call at most", () => {
    const { io, task0, fd, added } = createFileMachine(256);
    fd.random = true;
    io.readahead.sync(task0, fd, 0, 3);
    expect(added()).toBe("0 1 2");
    io.readahead.sync(task0, fd, 100, 80);
    expect(added()).toBe(pages(100, 132));
    expect(fd.raSize).toBe(0);
  });
});

describe("windows at the end of the file and around cached pages", () => {
  test.each([
    [20, "16/2"],
    [18, "16/1"],
    [37, "16P/3"],
  ])("a window that reaches the last of %i pages has no mark (FIO-12)", (size, window) => {
    const { read } = createFileMachine(size);
    read(0, 12);
    expect(read(12)).toBe(window);
  });

  test("folios get smaller towards the last page (FIO-15)", () => {
    const { read } = createFileMachine(37);
    read(0, 24);
    expect(read(24)).toBe("32/2 36");
  });

  test("a file of 3 pages is read whole, without a mark", () => {
    expect(createFileMachine(3).read(0)).toBe("0 1 2");
  });

  test("from a cached page on a window is filled page by page, with its mark (FIO-19)", () => {
    const { io, file, task0, read, added } = createFileMachine(128);
    io.filemap.add(task0, file, 6, 0, false);
    added();
    read(0);
    expect(read(1)).toBe("4P 5 7 8 9 10 11");
    expect(read(2, 3)).toBe("12P/2");
  });

  test("a mapping's largest folio order holds (FIO-15)", () => {
    const { memory, io, task0 } = createFileMachine(1);
    const small = io.open(memory.createFile({ name: "small", pages: 64, maxOrder: 1 }));
    for (let page = 0; page < 12; page++) io.read.read(task0, small, page * 4096, 4096);
    expect(cacheText(memory, small.mapping)).toBe(
      "0 1 2 3 4/1 6/1 8/1 10/1 12P/1 14/1 16/1 18/1 20/1 22/1",
    );
  });
});

describe("a mark that is not this descriptor's (FIO-17)", () => {
  test("starts a window at the first page that is not cached", () => {
    const { io, file, read } = createFileMachine(256);
    read(101, 1);
    read(102, 1);
    expect(read(103, 1, io.open(file))).toBe("106P/1 108/2");
  });

  test.each([
    [17, 24, "33P 34/1 36/2 40/2 44/2 48/2"],
    [33, 48, "65P 66/1 68/2 72/2 76/2 80/2 84/2 88/2 92/2"],
  ])(
    "on a large folio starts it one page later (%i pages read; seen on 7.3.4)",
    (count, page, window) => {
      const { io, file, read } = createFileMachine(256);
      read(0, count);
      expect(read(page, 1, io.open(file))).toBe(window);
    },
  );

  test("starts none when the hole seems further away than a window (seen on 7.3.4)", () => {
    const { io, file, memory, read } = createFileMachine(256);
    read(0, 49);
    expect(read(64, 1, io.open(file))).toBe("");
    expect(cacheText(memory, file)).not.toContain("P");
  });

  test("in the middle of a large folio starts it as many pages later (seen on 7.3.4)", () => {
    const machine = createFileMachine(256);
    machine.read(0, 17);
    const other = { ...machine, fd: machine.io.open(machine.file) };
    expect(fault(other, 29, mapping(other))).toBe("38P/1 40/2 44/2 48/2 52/2 56/2 60/2 64/2");
  });

  test("stays where it is while its folio is under writeback", () => {
    const { io, file, fd, task0, memory, read, added } = createFileMachine(64);
    read(0);
    const folio = io.filemap.lookup(file, 1);
    memory.folios.flags[folio]! |= PG_WRITEBACK;
    io.readahead.async(task0, fd, folio, 1, 1);
    expect(added()).toBe("");
    expect(memory.folios.flags[folio]! & PG_RECLAIM).toBe(PG_RECLAIM);
  });
});

describe("a page fault that misses (FIO-13)", () => {
  test("reads around its page, from page 0 on at the start of the file (FIO-22)", () => {
    const machine = createFileMachine(256);
    expect(fault(machine, 5, mapping(machine))).toBe(pages(0, 32, 24));
  });

  test("of a VM_RAND_READ mapping reads nothing", () => {
    const machine = createFileMachine(256);
    expect(fault(machine, 100, mapping(machine, VM_RAND_READ))).toBe("");
  });

  test("of a VM_SEQ_READ mapping is a sequential miss of a whole window", () => {
    const machine = createFileMachine(256);
    const vma = mapping(machine, VM_SEQ_READ);
    expect(fault(machine, 50, vma)).toBe(pages(50, 82));
    expect(fault(machine, 82, vma)).toBe(pages(82, 114));
    expect(fault(machine, 0, vma)).toBe(pages(0, 32, 16));
  });

  test.each([VM_EXEC, VM_EXEC | VM_RAND_READ])(
    "of an executable mapping reads on from its page, within the mapping, without a mark",
    (flags) => {
      const machine = createFileMachine(256);
      expect(fault(machine, 50, mapping(machine, flags))).toBe(pages(50, 82));
      expect(fault(machine, 100, mapping(machine, flags, 90, 110))).toBe(pages(100, 110));
    },
  );

  test("of a VM_HUGEPAGE mapping reads 2 MiB folios, two unless random", () => {
    const machine = createFileMachine(4096, 16_384);
    expect(fault(machine, 700, mapping(machine, VM_HUGEPAGE))).toBe("512/9 1024P/9");
    expect(fault(machine, 2100, mapping(machine, VM_HUGEPAGE | VM_RAND_READ))).toBe("2048P/9");
  });

  test("after 100 misses reads nothing, until hits have paid for them (FLT-24)", () => {
    const machine = createFileMachine(8192, 16_384);
    const vma = mapping(machine);
    for (let i = 0; i < 100; i++) expect(fault(machine, 40 + i * 64, vma)).not.toBe("");
    expect(fault(machine, 40 + 100 * 64, vma)).toBe("");
    expect(fault(machine, 40, vma)).toBe("");
    expect(fault(machine, 40, vma)).toBe("");
    expect(fault(machine, 40 + 100 * 64, vma)).not.toBe("");
  });
});

describe("willneed (LAB fixture 37)", () => {
  test("fills the gaps with single pages and leaves the window alone", () => {
    const { io, task0, fd, read, added } = createFileMachine(64);
    read(1);
    io.readahead.force(task0, fd, 0, 4);
    expect(added()).toBe("0 2 3");
    expect(fd.raSize).toBe(0);
  });

  test("ends at the end of the file", () => {
    const { io, task0, fd, added } = createFileMachine(6);
    io.readahead.force(task0, fd, 4, 8);
    expect(added()).toBe("4 5");
  });
});

test("a window ends early when memory does, and the page asked for still comes (FIO-19)", () => {
  const machine = createFileMachine(8192, 1024);
  let page = 0;
  while (machine.io.read.read(machine.task0, machine.fd, page * 4096, 4096) === 4096) page += 1;
  expect(machine.memory.allocator.freePages[0]).toBe(0);
  expect(page).toBe(machine.file.cachedPages);
});
