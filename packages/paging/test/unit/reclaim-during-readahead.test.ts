import { NIL, PG_LOCKED, VM_READ, Vma } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Charge } from "../../src/charge/charge.ts";
import { FilemapFault } from "../../src/fault/filemap-fault.ts";
import { Swap } from "../../src/swap/swap.ts";
import { createFileMachine, type FileMachine } from "../file-machine.ts";
import { BASE } from "../machine.ts";
import { createReclaimMachine } from "../reclaim-machine.ts";

/** Runs `probe` whenever a folio is about to be paid for, which is when reclaim may run. */
function atEveryCharge({ io }: FileMachine, probe: () => void): void {
  const { filemap } = io;
  const add = filemap.add.bind(filemap);
  filemap.add = (...args): number => {
    probe();
    return add(...args);
  };
}

describe("a charge of readahead that starts a reclaim", () => {
  test("finds the folios of its own window locked, and they are unlocked at the end (EVT-60 row 1)", () => {
    const machine = createFileMachine(64);
    const { memory, file, io } = machine;
    const locked: number[] = [];
    const count = (): number => {
      let found = 0;
      for (let page = 0; page < 64; page++) {
        const folio = io.filemap.lookup(file, page);
        if (folio !== NIL && (memory.folios.flags[folio]! & PG_LOCKED) !== 0) found += 1;
      }
      return found;
    };
    atEveryCharge(machine, () => void locked.push(count()));
    machine.read(0);
    expect(locked).toEqual([0, 1, 2, 3]);
    expect(count()).toBe(0);
  });

  test("cannot free the folio whose mark a fault met (FLT-24)", () => {
    const machine = createFileMachine(256);
    const { memory, io, file, task0, fd } = machine;
    const vma = new Vma(task0.mm!, BASE, BASE + 256, VM_READ, fd, 0);
    const { shmem } = new Swap(memory, io.filemap, new Charge(memory));
    const faults = new FilemapFault(memory, io.filemap, io.readahead, shmem);
    faults.find(task0, vma, 100, false); // reads 84..115, the mark on 108
    const folio = io.filemap.lookup(file, 108);
    const before = memory.folios.refcount[folio]!;
    const during = new Set<number>();
    atEveryCharge(machine, () => void during.add(memory.folios.refcount[folio]!));
    faults.find(task0, vma, 108, false);
    expect([...during]).toEqual([before + 1]);
    expect(memory.folios.refcount[folio]).toBe(before);
  });
});

test("reclaim keeps a locked folio, and does not count it as scanned (EVT-60 row 1)", () => {
  const machine = createReclaimMachine();
  const { memory, sc } = machine;
  const file = machine.cachedFile(0, 1);
  const folio = memory.pageCache.lookup(file, 0);
  memory.folios.flags[folio]! |= PG_LOCKED;
  expect([machine.shrink(folio), sc.nrScanned, machine.listed()]).toEqual([0, 0, [folio]]);
});

test("a large folio whose place is taken is given back, paid for or not (FIO-19)", () => {
  const machine = createFileMachine(64);
  const { memory, io, file, task0 } = machine;
  const { charged } = machine.memcg;
  io.filemap.add(task0, file, 5, 0, false);
  expect(io.filemap.add(task0, file, 4, 2, false)).toBe(NIL);
  expect(machine.memcg.charged).toBe(charged + 1);
  expect(memory.folios.order[io.filemap.lookup(file, 5)]).toBe(0);
});
