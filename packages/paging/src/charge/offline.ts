import { EBUSY, type Memcg, type Memory, type Task } from "@lrugen/mm-core";
import type { Charge } from "./charge.ts";

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
  memory.lru.reclaim?.memcgOffline(task.cpu, memcg);
  for (let node = 0; node < memory.nrNodes; node++) {
    memory.deferredSplit.reparent(memcg.index, parent.index, node);
  }
  // What is left of its charges belongs to folios and objects that are the parent's now.
  parent.kernelPages += memcg.kernelPages;
  memcg.kernelPages = 0;
  charge.reparent(memcg, parent);
  memory.removeMemcg(memcg);
  return 0;
}
