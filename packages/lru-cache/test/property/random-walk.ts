import {
  Mm,
  PG_ACTIVE,
  PG_DIRTY,
  PG_LOCKED,
  PG_LRU,
  PG_REFERENCED,
  PG_SWAPCACHE,
  PG_UNEVICTABLE,
  PG_WRITEBACK,
  Vma,
  VM_LOCKED,
} from "@lrugen/mm-core";
import { checkAllocator, checkLists } from "@lrugen/mm-core/check";
import fc from "fast-check";
import { changesOf, stableState, violationsOf } from "../invariants.ts";
import { Machine, type MachineOptions } from "../machine.ts";

const OPERATIONS = [
  "activate",
  "deactivate",
  "deactivateFile",
  "lazyFree",
  "rotate",
  "mlock",
  "munlock",
] as const;

const ACTIONS = [
  "addAnon",
  "addFile",
  "addBurst",
  "addLocked",
  "everywhere",
  "map",
  "flip",
  "put",
  "isolate",
  "isolate",
  "putBack",
  "drain",
  "drainAll",
  "disable",
  "enable",
  ...OPERATIONS,
  ...OPERATIONS,
] as const;

/** One step: what, on which CPU, and numbers that choose among what there is. */
export type Step = readonly [action: (typeof ACTIONS)[number], cpu: number, a: number, b: number];

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(fc.constantFrom(...ACTIONS), fc.nat(2), fc.nat(0xffff), fc.nat(0xffff)),
  { maxLength: 100, size: "max" },
);

/** Flags that other parts of the kernel set and clear while a folio waits. */
const FLIPPED = [PG_DIRTY, PG_WRITEBACK, PG_REFERENCED, PG_SWAPCACHE, PG_LOCKED] as const;

/** Takes steps on a machine and knows which references it holds of each folio. */
export class RandomWalk {
  readonly m: Machine;
  /** A line for each violation of an invariant so far. */
  readonly violations: string[] = [];
  /** References by folio; a folio with 0 is alive only through a batch. */
  private readonly held = new Map<number, number>();
  private readonly isolated = new Set<number>();
  private disabled = 0;
  private readonly lockedVma: Vma;

  constructor(options: MachineOptions) {
    this.m = new Machine({ ...options, pages: 4096 });
    this.lockedVma = new Vma(new Mm(1, 0, this.m.memory.root), 0, 1, VM_LOCKED);
  }

  take([action, cpuNumber, a, b]: Step): void {
    const { m } = this;
    const cpu = cpuNumber % m.cpus.length;
    const referenced = [...this.held.keys()].filter((each) => this.held.get(each)! > 0);
    // Mostly one of the last four, so that steps meet on one folio.
    const recent = a & 7 ? referenced.slice(-4) : referenced;
    const folio = recent[(a >> 3) % Math.max(recent.length, 1)];
    m.mglru.young = (b & 1) === 1;
    m.mglru.oldest = (b & 2) === 2;
    if (action === "addAnon" || action === "addFile") this.addFresh(action, cpu, a, b);
    else if (action === "addBurst")
      for (let i = 0; i < 20; i++) this.addFresh("addAnon", cpu, a, 0);
    else if (action === "addLocked") this.addLocked(cpu, a);
    else if (action === "drain" || action === "drainAll") this.drain(action, cpu);
    else if (action === "disable" || action === "enable") this.toggle(action);
    else if (action === "everywhere") this.everywhere(referenced, cpu, b);
    else if (folio === undefined) return;
    else if (action === "map") this.map(folio);
    else if (action === "flip") this.flip(folio, b);
    else if (action === "put") this.put(folio, cpu);
    else if (action === "isolate") this.isolate(folio, cpu);
    else if (action === "putBack") this.putBack(cpu);
    else m.batches[action](m.cpus[cpu]!, folio);
    this.forgetFreed();
    this.check();
  }

  /** Ends every way a folio can be alive: nothing may be left. */
  finish(): void {
    const { m } = this;
    while (this.disabled > 0) this.toggle("enable");
    while (this.isolated.size > 0) this.putBack(0);
    for (const folio of this.held.keys()) while (this.held.get(folio)! > 0) this.put(folio, 0);
    m.batches.drainAll();
    this.forgetFreed();
    this.check();
    for (const folio of this.held.keys()) this.violations.push(`folio ${folio} is still alive`);
    this.violations.push(...checkLists(m.memory), ...checkAllocator(m.memory));
  }

  private addFresh(kind: "addAnon" | "addFile", cpu: number, a: number, b: number): void {
    const order = b % 5 === 0 ? (b >> 4) % 10 : 0;
    const memcg = this.m.memcgs[a % this.m.memcgs.length]!;
    if (this.m.memory.allocator.freePages[0]! < 1024) return;
    const folio = kind === "addAnon" ? this.m.anon(order, memcg) : this.m.file(order, memcg);
    if (kind === "addFile" && a & 256) this.m.set(folio, PG_ACTIVE);
    this.m.tasks[cpu]!.inLruFault = (a & 512) !== 0;
    this.m.batches.add(this.m.tasks[cpu]!, folio);
    this.held.set(folio, 1);
  }

  /** One operation on everything, which fills its batch. */
  private everywhere(folios: readonly number[], cpu: number, b: number): void {
    const operation = OPERATIONS[b % OPERATIONS.length]!;
    for (const folio of folios) this.m.batches[operation](this.m.cpus[cpu]!, folio);
  }

  private addLocked(cpu: number, a: number): void {
    if (this.m.memory.allocator.freePages[0]! < 1024) return;
    const folio = this.m.anon(0, this.m.memcgs[a % this.m.memcgs.length]);
    this.m.batches.addVma(this.m.tasks[cpu]!, folio, this.lockedVma);
    this.held.set(folio, 1);
  }

  private drain(action: "drain" | "drainAll", cpu: number): void {
    const { m } = this;
    const before = stableState(m, this.held);
    const waiting = [...this.held.keys()].filter((folio) => m.batches.slotsOf(folio) > 0);
    if (action === "drain") {
      m.batches.drain(m.cpus[cpu]!);
      if (!m.batches.isEmpty(cpu)) this.violations.push(`INV-14: CPU ${cpu} is not empty`);
    } else {
      m.batches.drainAll(m.cpus[cpu]);
      const left = waiting.filter((folio) => m.refs(folio) > 0 && m.batches.slotsOf(folio) > 0);
      for (const folio of left) this.violations.push(`INV-15: folio ${folio} still waits`);
    }
    this.violations.push(...changesOf(m, before));
  }

  private toggle(action: "disable" | "enable"): void {
    if (action === "disable") this.m.batches.disable();
    else if (this.disabled > 0) this.m.batches.enable();
    this.disabled = action === "disable" ? this.disabled + 1 : Math.max(this.disabled - 1, 0);
  }

  /** Another page-table mapping: a reference, and lru_deactivate_file no longer applies. */
  private map(folio: number): void {
    const { folios } = this.m.memory;
    if (folios.isLarge(folio)) folios.mapping[folio + 1]! += 1;
    else folios.mapcount[folio]! += 1;
    folios.refcount[folio]! += 1;
    this.held.set(folio, this.held.get(folio)! + 1);
  }

  private flip(folio: number, b: number): void {
    const flag = FLIPPED[b % FLIPPED.length]!;
    if (this.m.flags(folio) & flag) this.m.clear(folio, flag);
    else this.m.set(folio, flag);
  }

  private put(folio: number, cpu: number): void {
    const references = this.held.get(folio)!;
    if (references === 1 && this.isolated.has(folio)) return;
    this.held.set(folio, references - 1);
    this.m.put(folio, cpu);
  }

  private isolate(folio: number, cpu: number): void {
    if (!this.m.isolate(folio, PG_LRU, cpu)) return;
    this.isolated.add(folio);
    this.held.set(folio, this.held.get(folio)! + 1);
  }

  /** folio_putback_lru(): an add and a put (DEL-04). */
  private putBack(cpu: number): void {
    const [folio] = this.isolated;
    if (folio === undefined) return;
    this.isolated.delete(folio);
    if (this.m.flags(folio) & PG_UNEVICTABLE) this.m.clear(folio, PG_ACTIVE);
    this.m.batches.add(this.m.tasks[cpu]!, folio);
    this.put(folio, cpu);
  }

  private forgetFreed(): void {
    for (const [folio, references] of this.held) {
      if (references === 0 && this.m.batches.slotsOf(folio) === 0) this.held.delete(folio);
    }
  }

  private check(): void {
    this.violations.push(...violationsOf(this.m, this.held));
    if (this.disabled === 0) return;
    for (const { id } of this.m.cpus) {
      if (!this.m.batches.isEmpty(id)) this.violations.push(`INV-13: something waits on CPU ${id}`);
    }
  }
}
