import { createFunctionalHardware } from "@lrugen/hardware";
import {
  type FileMapping,
  LruPolicies,
  Memory,
  type Mm,
  ScanControl,
  singleNode,
  Task,
} from "@lrugen/mm-core";
import { Charge } from "../src/charge/charge.ts";
import { Filemap } from "../src/file/filemap.ts";
import { Paging } from "../src/index.ts";
import { FakeBatches } from "./fake-batches.ts";
import { FakePolicy } from "./fake-policy.ts";
import { FakeReclaim } from "./fake-reclaim.ts";
import { BASE, type Machine } from "./machine.ts";

/** A machine with swap, whose folios tests isolate and reclaim by hand. */
export interface ReclaimMachine extends Machine {
  readonly reclaim: FakeReclaim;
  /** Head of the private list. */
  readonly list: number;
  readonly sc: ScanControl;
  /** Writes `count` pages from BASE + `first`, each something else than zeroes; then drains. */
  store(task: Task, first: number, count: number): void;
  /** Isolates folios, the first one at the cold end of the private list. */
  isolate(...folios: number[]): void;
  /** The private list, cold end first. */
  listed(): number[];
  /** Isolates and reclaims folios. @returns pages freed */
  shrink(...folios: number[]): number;
  /** A file, its first pages cached as folios of one order. */
  cachedFile(order: number, pages: number): FileMapping;
}

/** @param swapPages pages of the swap device, its header included */
export function createReclaimMachine(swapPages = 4096, pages = 4096): ReclaimMachine {
  const hw = createFunctionalHardware({ cpus: 2 });
  const memory = new Memory(hw, { nodes: singleNode(pages), swapPages });
  const policy = new FakePolicy(memory);
  const batches = new FakeBatches(memory);
  const reclaim = new FakeReclaim(memory);
  const policies = new LruPolicies(policy, policy);
  memory.install(policies, batches);
  const memcg = memory.createMemcg(memory.root, 28, "t");
  const mms: Mm[] = [];
  const createMm = (): Mm => {
    const mm = memory.createMm(memcg);
    mms.push(mm);
    return mm;
  };
  const task = (cpu = 0, mm = createMm()): Task => new Task(hw.cpus[cpu]!, mm);
  const paging = new Paging(memory);
  policies.mglruReclaim = reclaim;
  const controller = new Task(hw.cpus[0]!, null);
  const list = memory.lists.allocHeads(1);
  const sc = new ScanControl(controller, { nrToReclaim: 32 });
  const base = { memory, paging, batches, policy, memcg, mms, task, reclaim, list, sc };
  return { ...base, ...actions(base, controller) };
}

type Actions = Pick<ReclaimMachine, "store" | "isolate" | "listed" | "shrink" | "cachedFile">;

function actions(machine: Omit<ReclaimMachine, keyof Actions>, controller: Task): Actions {
  const { memory, paging, batches, list, sc } = machine;
  const { lists } = memory;
  const isolate = (...wanted: number[]): void => {
    for (const folio of wanted) {
      const isOn = memory.putback.isolate(controller.cpu, folio);
      if (!isOn) throw new Error(`folio ${folio} is on no LRU list`);
      lists.add(list, folio);
    }
  };
  return {
    isolate,
    store: (task, first, count) => {
      for (let i = first; i < first + count; i++) {
        const result = paging.store(task, BASE + i, 1 + (i % 254));
        if (result !== 0) throw new Error(`store to page ${i} failed with fault code ${result}`);
      }
      batches.drain(task.cpu);
    },
    listed: () => [...lists.walk(list)].toReversed(),
    shrink: (...wanted) => {
      isolate(...wanted);
      return memory.reclaimer!.shrinkFolioList(sc, list, false);
    },
    cachedFile: (order, pages) => {
      const file = memory.createFile({ name: "F", pages });
      const openFile = paging.openFile(file);
      const task = machine.task();
      openFile.random = true;
      if (order === 0) paging.readFile(task, openFile, 0, pages * 4096);
      else for (let i = 0; i < pages; i += 1 << order) addFolio(machine, task, file, i, order);
      batches.drainAll();
      return file;
    },
  };
}

function addFolio(
  machine: Pick<Machine, "memory">,
  task: Task,
  file: FileMapping,
  index: number,
  order: number,
): void {
  const filemap = new Filemap(machine.memory, new Charge(machine.memory));
  filemap.add(task, file, index, order, false);
}
