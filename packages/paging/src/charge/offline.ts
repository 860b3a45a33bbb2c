import { EBUSY, type Memcg, type Memory, type Task } from "@lrugen/mm-core";
import type { Charge } from "./charge.ts";

/** Bytes of a memcg's structures on a machine of one CPU and one node, and for each one more, and for each of both. */
const STRUCT_BYTES = 10_352;
const STRUCT_BYTES_PER_CPU = 2080;
const STRUCT_BYTES_PER_NODE = 4456;
const STRUCT_BYTES_PER_CPU_AND_NODE = 800;

/**
 * mkdir() of a memcg: its counters are charged to its parent. Sizes as measured on the reference
 * kernel.
 * @throws RangeError as Memory.createMemcg
 */
export function onlineMemcg(
  memory: Memory,
  charge: Charge,
  task: Task,
  parent: Memcg,
  id: number,
  name: string,
): Memcg {
  const memcg = memory.createMemcg(parent, id, name);
  if (parent.parent === null) return memcg;
  const cpus = memory.hw.cpus.length - 1;
  const nodes = memory.nrNodes - 1;
  memcg.structBytes =
    STRUCT_BYTES +
    STRUCT_BYTES_PER_CPU * cpus +
    (STRUCT_BYTES_PER_NODE + STRUCT_BYTES_PER_CPU_AND_NODE * cpus) * nodes;
  charge.forceObject(task.cpu, parent, memcg.structBytes);
  return memcg;
}

/**
 * rmdir() of a memcg: its folios and kernel memory are the parent's from now on.
 * @returns 0; −EBUSY while it has children or address spaces, and for the root
 * Source: INIT-03, REPAR-01..05; mm/memcontrol.c:mem_cgroup_css_offline.
 */
export function offlineMemcg(memory: Memory, charge: Charge, task: Task, memcg: Memcg): number {
  const { parent } = memcg;
  const used = memcg.mmList.anchor.next !== memcg.mmList.anchor;
  if (parent === null || memcg.children.length > 0 || used) return -EBUSY;
  memory.batches.drainAll();
  charge.drainAll(memcg);
  memcg.offline = true;
  memory.lru.mglruReclaim?.memcgOffline(task.cpu, memcg);
  for (let node = 0; node < memory.nrNodes; node++) {
    memory.deferredSplit.reparent(memcg.index, parent.index, node);
  }
  // What is left of its charges belongs to folios and objects that are the parent's now.
  parent.kernelPages += memcg.kernelPages;
  memcg.kernelPages = 0;
  charge.reparent(memcg, parent);
  // A swap slot keeps the structures of its owner.
  if (memcg.structBytes > 0 && memcg.swap.usage === 0) {
    charge.unchargeObject(task.cpu, parent, memcg.structBytes);
  }
  memory.removeMemcg(memcg);
  return 0;
}
