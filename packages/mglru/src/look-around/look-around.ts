// @hot
import type { Cpu } from "@lrugen/hardware";
import {
  type FolioMapping,
  type Lruvec,
  type Memory,
  PG_DIRTY,
  VM_EXEC,
  VM_SPECIAL,
} from "@lrugen/mm-core";
import { updateBloomFilter } from "../aging/bloom-filter.ts";
import type { LruGenMmWalk } from "../aging/mm-walk.ts";
import { canDirty, DIRTY_FOUND, type Promotion } from "../aging/promotion.ts";
import { type PteWalk, suitableToScan } from "../aging/pte-walk.ts";
import { folioLruGen, genFromSeq } from "../generation/generation.ts";
import type { References } from "../generation/references.ts";

const EXEC = VM_EXEC;
const SPECIAL = VM_SPECIAL;
const DIRTY = PG_DIRTY;
const FOUND_DIRTY = DIRTY_FOUND;
/** CONST-06: PTEs looked at in all. */
const WINDOW = 64;
const genOf = folioLruGen;
const genFrom = genFromSeq;
const suitable = suitableToScan;
const rememberPmd = updateBloomFilter;

/**
 * lru_gen_look_around(): the reverse-map walk of reclaim found a young PTE; its neighbours are
 * probably young too, so they are harvested on the occasion.
 * Source: LOOK-01..06; mm/vmscan.c.
 */
export class LookAround {
  /** reclaim_state.mm_walk of the reclaim under way (LOOK-05). */
  walk: LruGenMmWalk | null = null;
  private readonly memory: Memory;
  private readonly ptes: PteWalk;
  private readonly promotion: Promotion;
  private readonly references: References;

  constructor(memory: Memory, ptes: PteWalk, promotion: Promotion, references: References) {
    this.memory = memory;
    this.ptes = ptes;
    this.promotion = promotion;
    this.references = references;
  }

  /**
   * Tests the PTEs of an isolated folio, and what surrounds them.
   * @returns whether the folio was young there
   */
  lookAround(cpu: Cpu, folio: number, mapping: FolioMapping): boolean {
    const { mm, vma, vpn, slot, nr } = mapping;
    if (!this.ptes.testAndClearYoung(mm, slot, vpn, nr)) return false;
    if (vma.flags & SPECIAL) return true;
    const table = vpn - (vpn % 512);
    let start = Math.max(table, vma.start);
    let end = Math.min(table + 512, vma.end);
    if (end - start === 1) return true;
    if (end - start > WINDOW) {
      if (vpn - start < WINDOW / 2) {
        end = start + WINDOW;
      } else if (end - vpn < WINDOW / 2) {
        start = end - WINDOW;
      } else {
        start = vpn - WINDOW / 2;
        end = vpn + WINDOW / 2;
      }
    }
    const lruvec = this.memory.lruvecOf(folio);
    const { maxSeq } = lruvec.lrugen;
    const first = slot - ((vpn - start) | 0);
    const total = (end - start) | 0;
    const young = nr + this.ptes.findYoung(lruvec, mm, first, first + total, start);
    this.promote(cpu, lruvec, (vma.flags & EXEC) !== 0);
    if (suitable(total, young)) rememberPmd(lruvec.mmState, maxSeq, mapping.pmdSlot);
    return true;
  }

  /** walk_update_folio() of the folios found: in place with a walk structure, else by activation (PROMO-01). */
  private promote(cpu: Cpu, lruvec: Lruvec, executable: boolean): void {
    const { found, nrFound } = this.ptes;
    const newGen = genFrom(lruvec.lrugen.maxSeq);
    if (this.walk !== null) {
      this.promotion.walkUpdateFolios(this.walk, found, nrFound, executable, newGen);
      return;
    }
    const { flags, mapping } = this.memory.folios;
    for (let i = 0; i < nrFound; i++) {
      const entry = found[i] as number;
      const folio = entry >> 1;
      const word = flags[folio] as number;
      if ((entry & FOUND_DIRTY) !== 0 && canDirty(word, mapping[folio] as number)) {
        flags[folio] = word | DIRTY;
      }
      if (!this.references.setRefs(folio, executable)) continue;
      const gen = genOf(flags[folio] as number);
      if (gen >= 0 && gen !== newGen) this.memory.batches.activate(cpu, folio);
    }
  }
}
