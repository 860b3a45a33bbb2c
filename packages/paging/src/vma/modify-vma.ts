import type { Cpu } from "@lrugen/hardware";
import { type Memory, Vma } from "@lrugen/mm-core";
import type { KernelMemory } from "../charge/kernel-memory.ts";
import type { PmdSplit } from "../thp/split-pmd.ts";
import { linkFile, unlinkFile } from "./file-vmas.ts";

/**
 * Splits and merges VMAs, so that a flag covers exactly the range it was asked for and neighbours
 * that are alike are one VMA.
 * Source: mm/vma.c:split_vma, vma_modify_flags, vma_merge_existing_range.
 */
export class ModifyVma {
  private readonly memory: Memory;
  private readonly pmdSplit: PmdSplit;
  private readonly kernel: KernelMemory;

  constructor(memory: Memory, pmdSplit: PmdSplit, kernel: KernelMemory) {
    this.kernel = kernel;
    this.memory = memory;
    this.pmdSplit = pmdSplit;
  }

  /**
   * Cuts a VMA in two at virtual page `at`, which lies inside it. A PMD leaf across the cut is split
   * (vma_adjust_trans_huge).
   * @returns the upper part; the VMA itself becomes the lower one
   */
  split(cpu: Cpu, vma: Vma, at: number): Vma {
    this.pmdSplit.splitAt(cpu, vma, at);
    const upper = new Vma(vma.mm, at, vma.end, vma.flags, vma.file, vma.pgoff + (at - vma.start));
    this.memory.anonVmas.clone(vma, upper);
    this.kernel.splitVma(cpu, upper);
    vma.end = at;
    vma.mm.insertVma(upper);
    linkFile(upper);
    return upper;
  }

  /**
   * Gives [start, end) of a VMA other flags, cutting it at the borders and merging the result with
   * its neighbours.
   * @returns the VMA that covers the range now
   */
  setFlags(cpu: Cpu, vma: Vma, start: number, end: number, flags: number): Vma {
    if (vma.flags === flags) return vma;
    const target = start > vma.start ? this.split(cpu, vma, start) : vma;
    if (end < target.end) this.split(cpu, target, end);
    target.flags = flags;
    return this.merge(target, cpu);
  }

  /**
   * Merges a VMA with the one before and then with the one after it, where they are alike.
   * @param cpu whose stock gets what is saved; null = that of the first CPU, for mmap(), which names no task
   * @returns the VMA that covers its range now
   */
  merge(vma: Vma, cpu: Cpu | null = null): Vma {
    const { mm } = vma;
    const at = mm.indexEndingAfter(vma.start);
    const previous = mm.vmas[at - 1];
    const next = mm.vmas[at + 1];
    let merged = vma;
    if (previous !== undefined && isMergeable(previous, vma)) {
      this.absorb(cpu, previous, vma);
      merged = previous;
    }
    if (next !== undefined && isMergeable(merged, next)) this.absorb(cpu, merged, next);
    return merged;
  }

  private absorb(cpu: Cpu | null, lower: Vma, upper: Vma): void {
    const chains = lower.anonVmaChain.length + upper.anonVmaChain.length;
    if (lower.anonVma === null) this.memory.anonVmas.clone(upper, lower);
    lower.mm.removeVma(upper);
    unlinkFile(upper);
    lower.end = upper.end;
    this.memory.anonVmas.unlink(upper);
    this.kernel.mergeVma(cpu, lower, upper, chains - lower.anonVmaChain.length);
  }
}

/**
 * Whether two neighbours can be one VMA. One that inherited anon_vmas by fork does not take in a
 * VMA that has none (vma_is_fork_child).
 */
function isMergeable(lower: Vma, upper: Vma): boolean {
  if (!lower.canMergeWith(upper)) return false;
  if (lower.anonVma === upper.anonVma) return true;
  return lower.anonVmaChain.length <= 1 && upper.anonVmaChain.length <= 1;
}
