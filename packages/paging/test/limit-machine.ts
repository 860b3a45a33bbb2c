import { createFunctionalHardware } from "@lrugen/hardware";
import { type Cpu } from "@lrugen/hardware";
import {
  LruPolicies,
  type Memcg,
  Memory,
  type Mm,
  type MultiGenReclaim,
  type ReferenceVerdict,
  type ScanControl,
  singleNode,
  Task,
} from "@lrugen/mm-core";
import { Paging } from "../src/index.ts";
import { FakeBatches } from "./fake-batches.ts";
import { FakePolicy } from "./fake-policy.ts";

/** What a reclaim was asked for. */
export interface Asked {
  readonly memcg: string;
  readonly priority: number;
  readonly want: number;
}

/**
 * A policy that evicts by uncharging: at each visit it takes what `give` says from the memcg, as if
 * folios had been freed.
 */
export class UnchargingPolicy implements MultiGenReclaim {
  readonly asked: Asked[] = [];
  /** Pages to give at a visit; the test uncharges them itself if it must stay consistent. */
  give: (sc: ScanControl, memcg: Memcg) => number = () => 0;

  shrinkLruvec({ memcg }: { readonly memcg: Memcg }, sc: ScanControl): void {
    this.asked.push({ memcg: memcg.path, priority: sc.priority, want: sc.nrToReclaim });
    const pages = this.give(sc, memcg);
    if (pages > 0) memcg.memory.uncharge(pages);
    sc.nrReclaimed += pages;
  }

  shrinkNode(_node: number, sc: ScanControl): void {
    this.asked.push({ memcg: "/", priority: sc.priority, want: sc.nrToReclaim });
  }
  ageNode(): void {}
  lookAround(_cpu: Cpu): boolean {
    return false;
  }
  checkReferences(): ReferenceVerdict {
    return "reclaim";
  }
  evictionShadow(): number {
    return 0;
  }
  refault(): void {}
  addSplit(): void {}
  memcgOnline(): void {}
  memcgOffline(): void {}
}

/** A machine whose reclaim the test decides about. */
export interface LimitMachine {
  readonly memory: Memory;
  readonly paging: Paging;
  readonly policy: UnchargingPolicy;
  readonly memcg: Memcg;
  readonly task: Task;
  readonly mm: Mm;
  /** A task of another address space of a memcg, on a CPU. */
  readonly newTask: (memcg?: Memcg, cpu?: number) => Task;
}

export function createLimitMachine(pages = 4096): LimitMachine {
  const hw = createFunctionalHardware({ cpus: 2 });
  const memory = new Memory(hw, { nodes: singleNode(pages) });
  const lru = new FakePolicy(memory);
  const policies = new LruPolicies(lru, lru);
  const policy = new UnchargingPolicy();
  policies.mglruReclaim = policy;
  memory.install(policies, new FakeBatches(memory));
  const memcg = memory.createMemcg(memory.root, 28, "t");
  const newTask = (owner = memcg, cpu = 0): Task => {
    const mm = memory.createMm(owner);
    owner.mmList.append(mm.lruGen);
    return new Task(hw.cpus[cpu]!, mm);
  };
  const task = newTask();
  return { memory, paging: new Paging(memory), policy, memcg, task, mm: task.mm as Mm, newTask };
}
