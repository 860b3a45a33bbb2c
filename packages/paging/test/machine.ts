import { createFunctionalHardware } from "@lrugen/hardware";
import {
  LruPolicies,
  type Memcg,
  Memory,
  type Mm,
  singleNode,
  Task,
  VM_READ,
  VM_WRITE,
} from "@lrugen/mm-core";
import { Paging } from "../src/index.ts";
import { FakeBatches } from "./fake-batches.ts";
import { FakePolicy } from "./fake-policy.ts";

/** Where the tests map things: 1 GiB-aligned. */
export const BASE: number = 0x100_0000_0000 / 4096;
export const READ_WRITE: number = VM_READ | VM_WRITE;

/** A machine with fake policies around real paging. */
export interface Machine {
  readonly memory: Memory;
  readonly paging: Paging;
  readonly batches: FakeBatches;
  readonly policy: FakePolicy;
  readonly memcg: Memcg;
  /** Address spaces made so far and not exited. */
  readonly mms: Mm[];
  /** A task on a CPU in an address space of its own, or in the one given. */
  task(cpu?: number, mm?: Mm): Task;
}

/** @param pages memory, a multiple of 1024 */
export function createMachine(pages = 4096, cpus = 2): Machine {
  const hw = createFunctionalHardware({ cpus });
  const memory = new Memory(hw, { nodes: singleNode(pages) });
  const policy = new FakePolicy(memory);
  const batches = new FakeBatches(memory);
  memory.install(new LruPolicies(policy, policy), batches);
  const memcg = memory.createMemcg(memory.root, 28, "t");
  const mms: Mm[] = [];
  const createMm = (): Mm => {
    const mm = memory.createMm(memcg);
    mms.push(mm);
    return mm;
  };
  const task = (cpu = 0, mm = createMm()): Task => new Task(hw.cpus[cpu]!, mm);
  return { memory, paging: new Paging(memory), batches, policy, memcg, mms, task };
}

/** Maps a read-write region at BASE and returns a task that runs there. */
export function withRegion(machine: Machine, pages: number, flags = 0): Task {
  const task = machine.task();
  machine.paging.mmapAnon(task.mm as Mm, BASE, pages, READ_WRITE | flags);
  return task;
}

/** Forks the task's address space; the child runs on `cpu`. */
export function forkTask(machine: Machine, parent: Task, cpu = 0): Task {
  const child = machine.task(cpu);
  machine.paging.fork(parent.mm as Mm, child.mm as Mm);
  return child;
}

/** Accesses `count` pages from BASE + `first`. */
export function touch(
  machine: Machine,
  task: Task,
  first: number,
  count: number,
  kind: "r" | "w",
): void {
  for (let i = first; i < first + count; i++) {
    const result = machine.paging.access(task, BASE + i, kind === "w");
    if (result !== 0) throw new Error(`touch of page ${i} failed with fault code ${result}`);
  }
}
