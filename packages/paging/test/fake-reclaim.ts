import {
  ENTRY_ACCESSED,
  type FolioMapping,
  type Memory,
  type MultiGenReclaim,
  type ReferenceVerdict,
  type Task,
  VM_LOCKED,
} from "@lrugen/mm-core";
import type { Cpu } from "@lrugen/hardware";

/** The shadow that FakeReclaim leaves of every folio. */
export const SHADOW = 77;

/**
 * The evicting half of a policy for tests: no look-around, every referenced folio gets the verdict that
 * `onReferenced` says. It writes down what it is asked.
 */
export class FakeReclaim implements MultiGenReclaim {
  onReferenced: ReferenceVerdict = "keep";
  /** Calls of lookAround: folio, first page, PTEs. */
  readonly looks: [number, number, number][] = [];
  /** Folios that evictionShadow was asked about. */
  readonly evicted: number[] = [];
  /** Calls of refault, with the flags the folio had. */
  readonly refaults: { readonly folio: number; readonly shadow: number; readonly flags: number }[] =
    [];
  private readonly memory: Memory;

  constructor(memory: Memory) {
    this.memory = memory;
  }

  lookAround(_cpu: Cpu, folio: number, mapping: FolioMapping): boolean {
    const { entries } = this.memory.pageTables;
    this.looks.push([folio, mapping.vpn, mapping.nr]);
    let young = false;
    for (let slot = mapping.slot; slot < mapping.slot + mapping.nr; slot++) {
      if ((entries[slot] as number) & ENTRY_ACCESSED) young = true;
      entries[slot]! &= ~ENTRY_ACCESSED;
    }
    return young;
  }

  checkReferences(_folio: number, referenced: number, vmaFlags: number): ReferenceVerdict {
    if (vmaFlags & VM_LOCKED) return "activate";
    return referenced === 0 ? "reclaim" : this.onReferenced;
  }

  evictionShadow(folio: number): number {
    this.evicted.push(folio);
    return SHADOW;
  }

  refault(_task: Task, folio: number, shadow: number): void {
    const { flags } = this.memory.folios;
    this.refaults.push({ folio, shadow, flags: flags[folio] as number });
  }

  shrinkLruvec(): void {}
  shrinkNode(): void {}
  ageNode(): void {}
  memcgOnline(): void {}
  memcgOffline(): void {}
}
