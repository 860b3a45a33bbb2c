import { describe, expect, test } from "vitest";
import {
  type FolioBatches,
  PG_ACTIVE,
  PG_BUDDY,
  PG_LRU,
  PG_MLOCKED,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
  Task,
} from "../../src/index.ts";
import { type ListMachine, listMachine } from "../machine.ts";

interface PutbackMachine extends ListMachine {
  readonly task: Task;
  /** Head of the private list. */
  readonly list: number;
  /** Folios that went through the batches. */
  readonly added: number[];
  /** lru_lock acquisitions of the root so far. */
  locks(): number;
}

function create(): PutbackMachine {
  const machine = listMachine();
  const { memory, cpu } = machine;
  const added: number[] = [];
  memory.batches = {
    add: (_task: Task, folio: number) => {
      memory.folios.refcount[folio]! += 1;
      added.push(folio);
    },
  } as unknown as FolioBatches;
  const { lock } = memory.root.lruvecs[0]!;
  const list = memory.lists.allocHeads(1);
  return { ...machine, task: new Task(cpu, null), list, added, locks: () => lock.acquisitions };
}

/** Isolates folios, the first one at the cold end of the private list. */
function isolate({ memory, cpu, list }: PutbackMachine, folios: readonly number[]): void {
  for (const folio of folios) {
    expect(memory.putback.isolate(cpu, folio)).toBe(true);
    memory.lists.add(list, folio);
  }
}

function onLru(machine: PutbackMachine): number[] {
  const { memory, generations } = machine;
  const { lrugen } = memory.root.lruvecs[0]!;
  const found: number[] = [];
  for (let gen = 0; gen < 4; gen++) {
    for (let i = 0; i < 10; i++) found.push(...memory.lists.walk(lrugen.listHead + gen * 10 + i));
  }
  expect(generations.backOff).toBe(1);
  return found;
}

describe("isolating (DEL-04)", () => {
  test("takes a folio off its list with a reference, once", () => {
    const machine = create();
    const { memory, cpu } = machine;
    const folio = machine.onLru(PG_SWAPBACKED);
    const before = machine.locks();
    expect(memory.putback.isolate(cpu, folio)).toBe(true);
    expect([
      memory.folios.refcount[folio],
      memory.folios.flags[folio],
      machine.locks() - before,
    ]).toEqual([2, PG_SWAPBACKED, 1]);
    expect(onLru(machine)).toEqual([]);
    expect(memory.putback.isolate(cpu, folio)).toBe(false);
    expect([memory.folios.refcount[folio], machine.locks() - before]).toEqual([2, 1]);
  });
});

describe("moving a private list to the LRU (EVT-45, CLS-23)", () => {
  test("keeps the order of its folios and takes the lock once", () => {
    const machine = create();
    const { memory, task, list } = machine;
    const folios = [0, 1, 2].map(() => machine.onLru(PG_SWAPBACKED));
    isolate(machine, folios);
    const before = machine.locks();
    memory.putback.moveToLru(task, list);
    expect([onLru(machine), machine.locks() - before]).toEqual([folios.toReversed(), 1]);
    expect(folios.map((folio) => memory.folios.refcount[folio])).toEqual([1, 1, 1]);
    expect((memory.folios.flags[folios[0]!] as number) & PG_LRU).toBe(PG_LRU);
    expect(memory.lists.isEmpty(list)).toBe(true);
  });

  test("lets time pass for what stays active on the classic lists, not for generations (WS-01)", () => {
    const machine = create();
    const { memory, task, list } = machine;
    const memcg = memory.createMemcg(memory.root, 28, "t");
    const folios = [PG_ACTIVE, 0].map((flags) => machine.onLru(flags, 2, memcg));
    const ages = (): number[] =>
      [memcg, memory.root].map(({ lruvecs }) => lruvecs[0]!.nonresidentAge);
    isolate(machine, folios);
    memory.putback.moveToLru(task, list);
    expect(ages()).toEqual([0, 0]);
    memcg.lruvecs[0]!.lrugen.enabled = false;
    isolate(machine, folios);
    for (const folio of folios) memory.folios.flags[folio]! &= ~PG_ACTIVE;
    memory.folios.flags[folios[0]!]! |= PG_ACTIVE;
    memory.putback.moveToLru(task, list);
    expect(ages()).toEqual([4, 4]);
  });

  test("sends what became unevictable through the batches, and takes the lock again", () => {
    const machine = create();
    const { memory, task, list } = machine;
    const folios = [0, 1, 2].map(() => machine.onLru(PG_SWAPBACKED));
    isolate(machine, folios);
    memory.folios.flags[folios[1]!]! |= PG_MLOCKED;
    const before = machine.locks();
    memory.putback.moveToLru(task, list);
    expect([machine.added, machine.locks() - before]).toEqual([[folios[1]], 2]);
    expect([onLru(machine), memory.folios.refcount[folios[1]!]]).toEqual([
      [folios[2], folios[0]],
      2,
    ]);
  });

  test("frees what nobody else holds, 31 at a time, the lock dropped around each full batch", () => {
    const machine = create();
    const { memory, task, list } = machine;
    const folios = Array.from({ length: 40 }, () => machine.onLru(PG_SWAPBACKED));
    isolate(machine, folios);
    for (const folio of folios.slice(0, 33)) {
      memory.folios.refcount[folio]! -= 1;
      memory.folios.flags[folio]! |= PG_ACTIVE;
    }
    const before = machine.locks();
    memory.putback.moveToLru(task, list);
    expect([memory.root.charged, machine.locks() - before]).toEqual([7, 2]);
    expect(onLru(machine)).toEqual(folios.slice(33).toReversed());
    const word = memory.folios.flags[folios[0]!] as number;
    expect(word === 0 || word === PG_BUDDY).toBe(true);
  });
});

test("what is mlocked, or of a mapping marked so, is not evictable (FOL-06)", () => {
  const { memory } = create();
  const file = memory.createFile({ name: "F", pages: 4 });
  const [anon, cached] = [memory.allocFolio(0, memory.root), memory.allocFolio(0, memory.root)];
  memory.pageCache.insert(file, cached, 0);
  expect([memory.putback.isEvictable(anon), memory.putback.isEvictable(cached)]).toEqual([
    true,
    true,
  ]);
  memory.folios.flags[anon]! |= PG_MLOCKED | PG_UNEVICTABLE;
  file.unevictable = true;
  expect([memory.putback.isEvictable(anon), memory.putback.isEvictable(cached)]).toEqual([
    false,
    false,
  ]);
});
