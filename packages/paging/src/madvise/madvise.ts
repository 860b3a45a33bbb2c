import {
  EINVAL,
  ENOMEM,
  type Memory,
  type Mm,
  type Task,
  type Vma,
  VM_HUGETLB,
  VM_LOCKED,
  VM_PFNMAP,
  VM_READ,
  VM_WRITE,
  NotModelledError,
} from "@lrugen/mm-core";
import { FAULT_BY_POPULATE } from "../fault/fault-handler.ts";
import type { Readahead } from "../file/readahead.ts";
import type { Populate } from "../gup/populate.ts";
import { invalidateEnd, invalidateStart } from "../mapping/notify.ts";
import type { ReclaimFolios } from "../reclaim/reclaim-folios.ts";
import type { Swap } from "../swap/swap.ts";
import { filePageAt, openFileOf } from "../vma/file-vmas.ts";
import { TASK_SIZE_PAGES } from "../vma/map.ts";
import type { ModifyVma } from "../vma/modify-vma.ts";
import type { Zap } from "../zap/zap.ts";
import { type Advice, FLAG_ADVICE } from "./advice.ts";
import { ColdAdvice } from "./cold.ts";
import type { FolioWalk } from "./folio-walk.ts";
import { FreeAdvice } from "./free.ts";
import { PageoutAdvice } from "./pageout.ts";

/** VMAs whose folios MADV_COLD and MADV_FREE must not touch. */
const NO_LRU_ADVICE = VM_LOCKED | VM_PFNMAP | VM_HUGETLB;

/** The mechanisms madvise() is made of. */
export interface MadviseParts {
  readonly modify: ModifyVma;
  readonly zap: Zap;
  readonly populate: Populate;
  readonly folioWalk: FolioWalk;
  readonly readahead: Readahead;
  readonly swap: Swap;
  readonly reclaim: ReclaimFolios;
}

/** An advice about the folios of a range. */
type LruAdvice = "cold" | "pageout" | "free";

/**
 * madvise() of anonymous memory and of file mappings.
 * Source: mm/madvise.c.
 */
export class Madvise {
  private readonly memory: Memory;
  private readonly parts: MadviseParts;

  constructor(memory: Memory, parts: MadviseParts) {
    this.memory = memory;
    this.parts = parts;
  }

  /**
   * Advises a range, VMA by VMA. Holes are passed over and reported at the end, except by the
   * populate advices, which stop there.
   * @returns 0; −EINVAL for an unknown advice or a VMA it is not for, −ENOMEM for a hole or for lack of
   *   memory
   * @throws NotModelledError, before any change, for what needs khugepaged
   */
  advise(task: Task, start: number, pages: number, advice: Advice): number {
    if (advice === "collapse") {
      throw new NotModelledError("khugepaged (madvise collapse)");
    }
    const end = start + pages;
    if (pages < 0 || start < 0 || end > TASK_SIZE_PAGES) return -EINVAL;
    if (pages === 0) return 0;
    if (advice === "populate_read" || advice === "populate_write") {
      return this.populateRange(task, start, end, advice === "populate_write");
    }
    return this.walkVmas(task, start, end, advice);
  }

  /** madvise_walk_vmas(). */
  private walkVmas(task: Task, start: number, end: number, advice: Advice): number {
    const mm = task.mm as Mm;
    let result = 0;
    for (let from = start; from < end;) {
      const vma = mm.firstVmaEndingAfter(from);
      if (vma === null || vma.start >= end) return -ENOMEM;
      if (vma.start > from) {
        result = -ENOMEM;
        from = vma.start;
      }
      const to = Math.min(end, vma.end);
      const error = this.adviseVma(task, vma, from, to, advice);
      if (error !== 0) return error;
      from = to;
    }
    return result;
  }

  /** madvise_vma_behavior(). */
  private adviseVma(task: Task, vma: Vma, start: number, end: number, advice: Advice): number {
    const flagAdvice = FLAG_ADVICE.get(advice);
    if (flagAdvice !== undefined) {
      const flags = (vma.flags & ~flagAdvice.clear) | flagAdvice.set;
      this.parts.modify.setFlags(task.cpu, vma, start, end, flags);
      return 0;
    }
    if (advice === "willneed") {
      this.willNeed(task, vma, start, end);
      return 0;
    }
    if (advice === "dontneed") return this.dontNeed(task, vma, start, end);
    if (advice === "cold" || advice === "pageout" || advice === "free") {
      return this.adviseFolios(task, vma, start, end, advice);
    }
    return -EINVAL;
  }

  /** MADV_WILLNEED: reads a file, or what is swapped out into the swap cache, and then it drains. */
  private willNeed(task: Task, vma: Vma, start: number, end: number): void {
    const { swap } = this.parts;
    if (vma.file === null || vma.file.shmem) {
      if (vma.file === null) swap.swapIn.readRange(task, vma, start, end);
      else
        swap.shmem.readAhead(
          task,
          openFileOf(vma).mapping,
          filePageAt(vma, start),
          filePageAt(vma, end),
        );
      this.memory.batches.drain(task.cpu);
      return;
    }
    const first = filePageAt(vma, start);
    this.parts.readahead.force(task, openFileOf(vma), first, end - start);
  }

  /** MADV_DONTNEED (REL-08): no drain. Folios of files learn that they were accessed, others do not. */
  private dontNeed(task: Task, vma: Vma, start: number, end: number): number {
    const { zap } = this.parts;
    if (vma.flags & (VM_LOCKED | VM_PFNMAP)) return -EINVAL;
    invalidateStart(vma.mm, start, end);
    zap.range(task.cpu, vma, start, end, true);
    invalidateEnd(vma.mm, start, end);
    zap.finish(task.cpu);
    return 0;
  }

  private adviseFolios(
    task: Task,
    vma: Vma,
    start: number,
    end: number,
    advice: LruAdvice,
  ): number {
    if (vma.flags & NO_LRU_ADVICE || !takesAdvice(vma, advice)) return -EINVAL;
    const { memory } = this;
    const { folioWalk, zap, swap } = this.parts;
    memory.batches.drain(task.cpu);
    if (advice !== "free") {
      const follow =
        advice === "cold"
          ? new ColdAdvice(memory, task.cpu)
          : new PageoutAdvice(memory, task, this.parts.reclaim);
      folioWalk.walk(task.cpu, vma, start, end, follow);
      return 0;
    }
    invalidateStart(vma.mm, start, end);
    folioWalk.walk(
      task.cpu,
      vma,
      start,
      end,
      new FreeAdvice(memory, task.cpu, zap, swap.cache, vma),
    );
    invalidateEnd(vma.mm, start, end);
    return 0;
  }

  /** madvise_populate(): one pass over all VMAs and one drain after it, also when a hole ends it. */
  private populateRange(task: Task, start: number, end: number, write: boolean): number {
    const error = this.populateVmas(task, start, end, write);
    this.memory.batches.drain(task.cpu);
    return error;
  }

  private populateVmas(task: Task, start: number, end: number, write: boolean): number {
    const mm = task.mm as Mm;
    for (let from = start; from < end;) {
      const vma = mm.vmaAt(from);
      if (vma === null) return -ENOMEM;
      const allowed = vma.flags & (write ? VM_WRITE : VM_READ);
      if (allowed === 0) return -EINVAL;
      const to = Math.min(end, vma.end);
      const error = this.parts.populate.range(task, vma, from, to, write, FAULT_BY_POPULATE);
      if (error !== 0) return error;
      from = to;
    }
    return 0;
  }
}

/** MADV_FREE is for anonymous memory alone: what a file has, it has. */
function takesAdvice(vma: Vma, advice: LruAdvice): boolean {
  return advice !== "free" || vma.isAnonymous;
}
