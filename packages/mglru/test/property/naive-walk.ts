import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  ENTRY_WRITE,
  LRU_GEN_MASK,
  LRU_REFS_FLAGS,
  LRU_REFS_MASK,
  type Lruvec,
  type Mm,
  PG_DIRTY,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_SWAPCACHE,
  PG_WORKINGSET,
  VM_EXEC,
  VM_LOCKED,
  VM_RAND_READ,
  type Vma,
} from "@lrugen/mm-core";
import type { World } from "./random-machine.ts";

/** What a walk leaves behind for the next one, as plain sets. */
export interface WalkMemory {
  /** Address spaces that an iteration went over since they joined. */
  covered: Set<Mm>;
  /** Bits of the two Bloom filters; null = not there yet. */
  readonly filters: (Set<number> | null)[];
}

/**
 * The page-table walk of an aging, rule by rule over copies, without slices, batches, or any care for speed:
 * page-table entries, flag words, used bits and secondary MMUs as they must be afterwards.
 * Source: chapters 3.1 to 3.4.
 */
export class NaiveWalk {
  readonly entries: Int32Array;
  readonly flags: Int32Array;
  readonly bitmaps: Map<Mm, number>;
  readonly secondary: Map<Mm, Set<number>>;
  /** T, Y, F, A of this walk. */
  readonly stats: [number, number, number, number] = [0, 0, 0, 0];
  /** Folios promoted, each counted once. */
  readonly promoted = new Set<number>();
  private readonly world: World;
  private readonly lruvec: Lruvec;
  private readonly swappiness: number;
  private readonly memory: WalkMemory;
  private forced: boolean;

  constructor(
    world: World,
    lruvec: Lruvec,
    swappiness: number,
    forced: boolean,
    memory: WalkMemory,
  ) {
    this.world = world;
    this.lruvec = lruvec;
    this.swappiness = swappiness;
    this.forced = forced;
    this.memory = memory;
    this.entries = world.m.memory.pageTables.entries.slice();
    this.flags = world.m.memory.folios.flags.slice();
    this.bitmaps = new Map(world.mms.map((mm) => [mm, mm.lruGenBitmap]));
    this.secondary = new Map(
      world.mms.flatMap((mm) => {
        const young = world.secondaryYoung(mm);
        return young === undefined ? [] : [[mm, new Set(young)] as const];
      }),
    );
  }

  /** ITER-01..ITER-05, ITER-08. */
  run(): void {
    if (!this.world.m.policy.caps.mmWalk) {
      this.memory.covered = new Set();
      return;
    }
    const bit = 1 << this.lruvec.node;
    let first = true;
    const list = [...this.lruvec.memcg.mmList.walk()];
    for (const mm of list) {
      this.forced ||= !this.memory.covered.has(mm);
      const bitmap = this.bitmaps.get(mm)!;
      if (!this.forced && (bitmap & bit) === 0) continue;
      this.bitmaps.set(mm, bitmap & ~bit);
      if (first) this.memory.filters[(this.lruvec.lrugen.maxSeq + 1) % 2] = new Set();
      first = false;
      this.walkMm(mm);
    }
    this.memory.covered = new Set(list);
  }

  /** Every PMD entry that a walkable VMA touches, once, in ascending order. */
  private walkMm(mm: Mm): void {
    const vmas = mm.vmas.filter((vma) => !this.skips(vma));
    const units = new Set(
      vmas.flatMap(({ start, end }) => {
        const first = Math.floor(start / 512);
        return Array.from({ length: Math.floor((end - 1) / 512) - first + 1 }, (_, i) => first + i);
      }),
    );
    const tables = this.world.m.memory.pageTables;
    for (const unit of units) {
      if (tables.pmdTable(mm.pgd, Math.floor(unit / 512)) === 0) continue;
      const inside = vmas.filter((vma) => vma.start < (unit + 1) * 512 && vma.end > unit * 512);
      this.visit(mm, tables.pmdSlot(mm.pgd, unit * 512), unit, inside);
    }
  }

  /** WALK-02 for the kinds of mapping there are. */
  private skips({ flags, file }: Vma): boolean {
    if (flags & (VM_LOCKED | VM_RAND_READ)) return true;
    if (file === null || file.shmem) return this.swappiness === 0;
    return this.swappiness === 201 || !file.readFolio;
  }

  /** PMD-01. */
  private visit(mm: Mm, slot: number, unit: number, vmas: readonly Vma[]): void {
    const pmd = this.entries[slot]!;
    if ((pmd & ENTRY_PRESENT) === 0 || pmd & ENTRY_LEAF) {
      this.stats[0] += 1;
      if (pmd & ENTRY_LEAF) this.visitLeaf(mm, slot, unit, vmas[0]!);
      return;
    }
    if (!this.forced && this.world.m.policy.caps.nonleafYoung && !mm.hasNotifiers) {
      if ((pmd & ENTRY_ACCESSED) === 0) return;
      this.entries[slot] = pmd & ~ENTRY_ACCESSED;
    }
    const { maxSeq } = this.lruvec.lrugen;
    const filter = this.memory.filters[maxSeq % 2];
    if (!this.forced && filter && !keysOf(slot).every((key) => filter.has(key))) return;
    this.stats[2] += 1;
    const [totalBefore, youngBefore] = this.stats;
    for (const vma of vmas) this.walkPtes(mm, pmd >>> ENTRY_SHIFT, unit, vma);
    if ((this.stats[1] - youngBefore) * 8 < this.stats[0] - totalBefore) return;
    this.stats[3] += 1;
    const next = this.memory.filters[(maxSeq + 1) % 2];
    for (const key of keysOf(slot)) next?.add(key);
  }

  /** PMD-03, PMD-05. */
  private visitLeaf(mm: Mm, slot: number, unit: number, vma: Vma): void {
    const pmd = this.entries[slot]!;
    const folio = pmd >>> ENTRY_SHIFT;
    if (!(pmd & ENTRY_ACCESSED || mm.hasNotifiers) || !this.belongs(folio)) return;
    this.entries[slot] = pmd & ~ENTRY_ACCESSED;
    const elsewhere = this.clearSecondary(mm, unit * 512, (unit + 1) * 512);
    if (!elsewhere && (pmd & ENTRY_ACCESSED) === 0) return;
    this.stats[1] += 1;
    this.observe(folio, vma, (pmd & ENTRY_DIRTY) !== 0);
  }

  /** PTE-02..PTE-07 for one VMA of one table. */
  private walkPtes(mm: Mm, table: number, unit: number, vma: Vma): void {
    const end = Math.min(vma.end, (unit + 1) * 512);
    let last: { readonly folio: number; dirty: boolean } | null = null;
    for (let vpn = Math.max(vma.start, unit * 512), nr = 1; vpn < end; vpn += nr) {
      const slot = table * 512 + (vpn % 512);
      nr = 1;
      const folio = this.candidate(mm, this.entries[slot]!);
      if (folio >= 0) nr = this.batch(slot, end - vpn, folio);
      this.stats[0] += nr;
      if (folio < 0) continue;
      const batch = this.entries.slice(slot, slot + nr);
      for (let i = 0; i < nr; i++) this.entries[slot + i]! &= ~ENTRY_ACCESSED;
      const elsewhere = this.clearSecondary(mm, vpn, vpn + nr);
      if (!elsewhere && !batch.some((pte) => pte & ENTRY_ACCESSED)) continue;
      if (last !== null && last.folio !== folio) this.observe(last.folio, vma, last.dirty);
      if (last === null || last.folio !== folio) last = { folio, dirty: false };
      last.dirty ||= batch.some((pte) => pte & ENTRY_DIRTY);
      this.stats[1] += nr;
    }
    if (last !== null) this.observe(last.folio, vma, last.dirty);
  }

  /** PTE-05, PTE-06. @returns the folio to look at, −1 = none */
  private candidate(mm: Mm, pte: number): number {
    if ((pte & (ENTRY_PRESENT | ENTRY_SPECIAL)) !== ENTRY_PRESENT) return -1;
    if ((pte & ENTRY_ACCESSED) === 0 && !mm.hasNotifiers) return -1;
    const folio = this.world.m.memory.folios.folioOf(pte >>> ENTRY_SHIFT);
    return this.belongs(folio) ? folio : -1;
  }

  private belongs(folio: number): boolean {
    const { memory } = this.world.m;
    return (this.flags[folio]! & LRU_GEN_MASK) !== 0 && memory.lruvecOf(folio) === this.lruvec;
  }

  /** PTE-07. */
  private batch(slot: number, max: number, folio: number): number {
    const { folios } = this.world.m.memory;
    const first = this.entries[slot]! >>> ENTRY_SHIFT;
    const same = ~(ENTRY_ACCESSED | ENTRY_DIRTY | ENTRY_WRITE) & ((1 << ENTRY_SHIFT) - 1);
    let nr = 1;
    while (nr < max && first + nr < folio + folios.nrPagesOf(folio)) {
      const pte = this.entries[slot + nr]!;
      if (pte >>> ENTRY_SHIFT !== first + nr || (pte & same) !== (this.entries[slot]! & same))
        break;
      nr += 1;
    }
    return nr;
  }

  private clearSecondary(mm: Mm, start: number, end: number): boolean {
    const young = this.secondary.get(mm);
    const found = [...(young ?? [])].filter((vpn) => vpn >= start && vpn < end);
    for (const vpn of found) young!.delete(vpn);
    return found.length > 0;
  }

  /** PROMO-01, PROMO-02. */
  private observe(folio: number, vma: Vma, dirty: boolean): void {
    const { mapping } = this.world.m.memory.folios;
    let word = this.flags[folio]!;
    const isFile = (word & PG_SWAPBACKED) === 0;
    const isAnon = (mapping[folio]! & 1) === 1;
    if (dirty && (isFile || !isAnon || word & PG_SWAPCACHE)) word |= PG_DIRTY;
    const seen = (word & (PG_REFERENCED | PG_WORKINGSET)) !== 0;
    if (!seen && !(vma.flags & VM_EXEC && isFile)) {
      this.flags[folio] = (word & ~LRU_REFS_MASK) | PG_REFERENCED;
      return;
    }
    const gen = this.lruvec.lrugen.maxSeq % 4;
    const kept = word & ~(LRU_GEN_MASK | LRU_REFS_FLAGS);
    this.flags[folio] = kept | PG_WORKINGSET | ((gen + 1) << 27);
    this.promoted.add(folio);
  }
}

/** BLOOM-01 in 64-bit arithmetic. */
function keysOf(pmdSlot: number): number[] {
  const address = 0xffff_8880_0000_0000n + 8n * BigInt(pmdSlot);
  const key = BigInt.asUintN(64, address * 0x61c8_8646_80b5_83ebn) >> 34n;
  return [Number(key & 0x7fffn), Number(key >> 15n)];
}
