import { type Cpu, createFunctionalHardware, type Hardware } from "@lrugen/hardware";
import {
  type FolioBatches,
  LruPolicies,
  type LruPolicy,
  type Memcg,
  Memory,
  type MemoryConfig,
  PG_LRU,
  singleNode,
} from "../src/index.ts";
import { ClassicLists, GenerationLists, type ListKeeper } from "./list-policy.ts";

/** A machine whose policies only keep lists; it has no folio batches. */
export interface ListMachine {
  readonly memory: Memory;
  readonly cpu: Cpu;
  readonly generations: GenerationLists;
  /** Allocates a folio and puts it on the LRU lists, with `flags` set before. */
  readonly onLru: (flags: number, order?: number, memcg?: Memcg) => number;
}

/** Two nodes; the first has two zones. 4 MiB each. */
export const TWO_NODES: MemoryConfig["nodes"] = [
  {
    zones: [
      { zone: 1, pages: 1024 },
      { zone: 2, pages: 1024 },
    ],
  },
  { zones: [{ zone: 2, pages: 1024 }] },
];

/** @param nodes one node of 4 MiB by default */
export function listMachine(
  nodes: MemoryConfig["nodes"] = singleNode(1024),
  hw: Hardware = createFunctionalHardware({ cpus: 1 }),
): ListMachine {
  const memory = new Memory(hw, { nodes });
  const generations = new GenerationLists(memory);
  const policies = new LruPolicies(policy(generations), policy(new ClassicLists(memory)));
  memory.install(policies, {} as FolioBatches); // no path of this package touches a batch
  return {
    memory,
    cpu: hw.cpus[0]!,
    generations,
    onLru: (flags, order = 0, memcg = memory.root) => {
      const folio = memory.allocFolio(order, memcg);
      memory.folios.flags[folio]! |= flags;
      memory.lru.addFolio(memory.lruvecOf(folio), folio, false);
      memory.folios.flags[folio]! |= PG_LRU;
      return folio;
    },
  };
}

/** The rest of a policy is never called here. */
function policy(keeper: ListKeeper): LruPolicy {
  return keeper as LruPolicy;
}
