import type { Cpu } from "@lrugen/hardware";
import { EINVAL, type Memory, type Mm, type Vma } from "@lrugen/mm-core";
import type { KernelMemory } from "../charge/kernel-memory.ts";
import { invalidateEnd, invalidateStart } from "../mapping/notify.ts";
import { freePageTables, type TableGap } from "../zap/free-tables.ts";
import type { Zap } from "../zap/zap.ts";
import { unlinkFile } from "./file-vmas.ts";
import { TASK_SIZE_PAGES } from "./map.ts";
import type { ModifyVma } from "./modify-vma.ts";
import type { SharedMemory } from "./shared-memory.ts";

/** munmap() and the end of an address space. */
export class Unmap {
  private readonly memory: Memory;
  private readonly zap: Zap;
  private readonly modify: ModifyVma;
  private readonly sharedMemory: SharedMemory;
  private readonly kernel: KernelMemory;

  constructor(
    memory: Memory,
    zap: Zap,
    modify: ModifyVma,
    sharedMemory: SharedMemory,
    kernel: KernelMemory,
  ) {
    this.kernel = kernel;
    this.memory = memory;
    this.zap = zap;
    this.modify = modify;
    this.sharedMemory = sharedMemory;
  }

  /**
   * munmap(): whatever is mapped in the range, with one gather for all of it.
   * @returns 0, also where nothing was mapped; −EINVAL for an empty range or one beyond the end of
   *   user addresses
   * Source: mm/vma.c:do_vmi_munmap.
   */
  munmap(cpu: Cpu, mm: Mm, start: number, pages: number): number {
    const end = start + pages;
    if (pages <= 0 || start < 0 || end > TASK_SIZE_PAGES) return -EINVAL;
    const vmas = this.detach(cpu, mm, start, end);
    if (vmas.length > 0) {
      const after = mm.indexEndingAfter(start);
      this.unmapRegion(cpu, mm, vmas, {
        floor: mm.vmas[after - 1]?.end ?? 0,
        ceiling: mm.vmas[after]?.start ?? Infinity,
      });
    }
    return 0;
  }

  /**
   * exit_mmap() and the page-global directory with it. The address space is empty afterwards and
   * must not be used again.
   * Source: mm/mmap.c:exit_mmap, kernel/fork.c:__mmdrop.
   */
  exitMmap(cpu: Cpu, mm: Mm): void {
    for (const notifier of mm.notifiers) notifier.release();
    const vmas = mm.vmas.slice();
    for (const vma of vmas) mm.removeVma(vma);
    if (vmas.length > 0) this.unmapRegion(cpu, mm, vmas, { floor: 0, ceiling: Infinity });
    this.memory.pageTables.freeTable(mm.pgd);
  }

  /** Takes the VMAs of [start, end) out of the address space, cut at the borders. */
  private detach(cpu: Cpu, mm: Mm, start: number, end: number): Vma[] {
    const first = mm.vmaAt(start);
    if (first !== null && first.start < start) this.modify.split(cpu, first, start);
    const last = mm.vmaAt(end);
    if (last !== null && last.start < end) this.modify.split(cpu, last, end);
    const vmas = mm.vmas.slice(mm.indexEndingAfter(start)).filter((vma) => vma.start < end);
    for (const vma of vmas) mm.removeVma(vma);
    return vmas;
  }

  /** unmap_vmas(), free_pgtables(), tlb_finish_mmu(). */
  private unmapRegion(cpu: Cpu, mm: Mm, vmas: readonly Vma[], gap: TableGap): void {
    const start = vmas[0]!.start;
    const end = vmas.at(-1)!.end;
    invalidateStart(mm, start, end);
    for (const vma of vmas) this.zap.range(cpu, vma, vma.start, vma.end, false);
    invalidateEnd(mm, start, end);
    const tableFree = {
      tables: this.memory.pageTables,
      free: (owner: Mm, table: number) => this.kernel.freeTable(cpu, owner, table),
    };
    for (const [i, vma] of vmas.entries()) {
      unlinkFile(vma);
      this.memory.anonVmas.unlink(vma);
      // What the next VMA uses too is freed with that one.
      const ceiling = vmas[i + 1]?.start ?? gap.ceiling;
      const { floor } = gap;
      freePageTables(tableFree, mm, vma.start, vma.end, { floor, ceiling });
    }
    this.zap.finish(cpu);
    for (const vma of vmas) this.kernel.freeVma(cpu, vma);
    this.sharedMemory.release(cpu, vmas);
  }
}
