import type { Cpu } from "@lrugen/hardware";
import {
  FOLIO_BATCH_SIZE,
  type FolioBatches,
  type Memory,
  PG_LRU,
  PG_MLOCKED,
  PG_UNEVICTABLE,
  type Task,
  VM_LOCKED,
  type Vma,
} from "@lrugen/mm-core";

type Kind =
  | "add"
  | "deactivate"
  | "deactivateFile"
  | "lazyFree"
  | "rotate"
  | "mlock"
  | "mlockNew"
  | "munlock";

interface Slot {
  readonly kind: Kind;
  readonly folio: number;
}

/**
 * Folio batches for tests: one queue a CPU for all kinds, drained at 31 slots or by a large folio.
 * It keeps the references of the real ones, and writes every call down.
 */
export class FakeBatches implements FolioBatches {
  /** `kind folio`, and `drain`, in the order they were called. */
  readonly calls: string[] = [];
  private readonly memory: Memory;
  private readonly queues: Slot[][];

  constructor(memory: Memory) {
    this.memory = memory;
    this.queues = memory.hw.cpus.map(() => []);
  }

  /** Slots of all CPUs that hold a reference of the folio. */
  slotsOf(folio: number): number {
    return this.slots().get(folio) ?? 0;
  }

  /** Slots of all CPUs by folio. */
  slots(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const { folio } of this.queues.flat()) counts.set(folio, (counts.get(folio) ?? 0) + 1);
    return counts;
  }

  /** Folios queued on a CPU, oldest first. */
  queued(cpu: Cpu): number[] {
    return this.queueOf(cpu).map((slot) => slot.folio);
  }

  /** Returns what was called since the last time and forgets it. */
  take(): string[] {
    return this.calls.splice(0);
  }

  add(task: Task, folio: number): void {
    this.memory.lru.active.beforeAdd(folio, task.inLruFault);
    this.push(task.cpu, "add", folio);
  }

  addVma(task: Task, folio: number, vma: Vma): void {
    if ((vma.flags & VM_LOCKED) === 0) {
      this.add(task, folio);
      return;
    }
    this.memory.folios.flags[folio]! |= PG_MLOCKED;
    this.push(task.cpu, "mlockNew", folio);
  }

  deactivate(cpu: Cpu, folio: number): void {
    this.push(cpu, "deactivate", folio);
  }

  lazyFree(cpu: Cpu, folio: number): void {
    this.push(cpu, "lazyFree", folio);
  }

  mlock(cpu: Cpu, folio: number): void {
    this.memory.folios.flags[folio]! |= PG_MLOCKED;
    this.push(cpu, "mlock", folio);
  }

  munlock(cpu: Cpu, folio: number): void {
    this.push(cpu, "munlock", folio);
  }

  inAddBatch(cpu: Cpu, folio: number): boolean {
    return this.queueOf(cpu).some((slot) => slot.kind === "add" && slot.folio === folio);
  }

  drainMlock(cpu: Cpu): void {
    this.calls.push("drainMlock");
    this.empty(cpu);
  }

  drain(cpu: Cpu): void {
    this.calls.push("drain");
    this.empty(cpu);
  }

  drainAll(): void {
    for (const cpu of this.memory.hw.cpus) this.drain(cpu);
  }

  activate(): void {
    throw new Error("paging of anonymous memory never activates");
  }

  deactivateFile(cpu: Cpu, folio: number): void {
    this.push(cpu, "deactivateFile", folio);
  }

  rotate(cpu: Cpu, folio: number): void {
    this.push(cpu, "rotate", folio);
  }

  drainForFolio(): void {
    throw new Error("paging of anonymous memory pins nothing");
  }

  private queueOf(cpu: Cpu): Slot[] {
    return this.queues[cpu.id] as Slot[];
  }

  private push(cpu: Cpu, kind: Kind, folio: number): void {
    const { folios } = this.memory;
    if (folios.refcount[folio]! < 1) throw new Error(`${kind} of folio ${folio}, which is free`);
    this.calls.push(`${kind} ${folio}`);
    folios.refcount[folio]! += 1;
    const queue = this.queueOf(cpu);
    queue.push({ kind, folio });
    if (queue.length === FOLIO_BATCH_SIZE || folios.isLarge(folio)) this.empty(cpu);
  }

  private empty(cpu: Cpu): void {
    const slots = this.queueOf(cpu).splice(0);
    for (const { kind, folio } of slots) this.move(kind, folio);
    for (const { folio } of slots) this.memory.release.put(cpu, folio);
  }

  private move(kind: Kind, folio: number): void {
    const { folios, lru } = this.memory;
    const { flags } = folios;
    const lruvec = this.memory.lruvecOf(folio);
    const onLru = ((flags[folio] as number) & PG_LRU) !== 0;
    if (kind === "munlock") flags[folio]! &= ~PG_MLOCKED;
    const unevictable = ((flags[folio] as number) & PG_MLOCKED) !== 0;
    if (kind === "add" || kind === "mlockNew") {
      if (folios.refcount[folio] === 1) return;
      if (unevictable) flags[folio]! |= PG_UNEVICTABLE;
      lru.addFolio(lruvec, folio, false);
      flags[folio]! |= PG_LRU;
      return;
    }
    if (!onLru) return;
    lru.delFolio(lruvec, folio);
    if (unevictable) flags[folio]! |= PG_UNEVICTABLE;
    else flags[folio]! &= ~PG_UNEVICTABLE;
    lru.addFolio(lruvec, folio, false);
  }
}
