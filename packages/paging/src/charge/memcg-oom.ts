import { type Memcg, MEMCG_OOM, MEMCG_OOM_KILL, type Mm, type Task } from "@lrugen/mm-core";

/** Pages above which a charge rather fails than kills: 1 << PAGE_ALLOC_COSTLY_ORDER. */
const COSTLY_PAGES = 8;

/** Who carries out a kill: the tasks of the address space die. */
export type OomKill = (mm: Mm) => void;

/**
 * The OOM killer, of one memcg's limit and of the machine.
 * Source: CHG-50..CHG-53; mm/oom_kill.c, mm/memcontrol.c:mem_cgroup_oom.
 */
export class MemcgOom {
  /**
   * What a kill does besides marking the victim. It is called inside the path that ran out of memory:
   * tasks that run now die when they leave the kernel, which is not the callback's business.
   */
  onOomKill: OomKill = () => {};
  /** Address spaces whose tasks were killed and are still there. */
  private dying = 0;

  /** Whether a victim has yet to die: its memory will be free soon. */
  get hasVictim(): boolean {
    return this.dying > 0;
  }

  /** exit_oom_victim(): an address space is gone. */
  exited(mm: Mm): void {
    if (mm.oomVictim) this.dying -= 1;
  }

  /**
   * mem_cgroup_oom(): a charge of `pages` to `memcg` met its limit and nothing helped.
   * @returns whether the charge may be tried again
   */
  outOfMemory(task: Task, memcg: Memcg, pages: number): boolean {
    if (pages > COSTLY_PAGES) return false;
    memcg.countEvent(MEMCG_OOM);
    if (memcg.memory.margin >= pages) return true;
    return this.kill(task, memcg);
  }

  /**
   * out_of_memory(): kills the tasks of the largest address space of a subtree.
   * @returns false = there is nobody to kill
   */
  kill(task: Task, root: Memcg): boolean {
    // A dying task needs no killer (CHG-51).
    if (task.mm?.oomVictim === true) return true;
    const victim = this.select(root);
    if (victim === null) return false;
    if (victim.oomVictim) return true;
    victim.oomVictim = true;
    this.dying += 1;
    victim.memcg.countEvent(MEMCG_OOM_KILL);
    this.onOomKill(victim);
    return true;
  }

  /** oom_badness() of all: the highest wins, the first of equals; one already dying ends the search. */
  private select(root: Memcg): Mm | null {
    let best: Mm | null = null;
    let most = 0;
    for (const memcg of root.preOrder()) {
      for (const mm of memcg.mmList.walk()) {
        if (mm.oomVictim) return mm;
        const points = mm.anonPages + mm.filePages + mm.swapEntries + mm.tablePages;
        if (points <= most) continue;
        most = points;
        best = mm;
      }
    }
    return best;
  }
}
