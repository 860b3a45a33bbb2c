import type { FolioTable } from "../folio/folio-table.ts";
import { PG_ANON_EXCLUSIVE, PG_SWAPBACKED } from "../folio/page-flags.ts";
import {
  STATE_ANON,
  STATE_ANON_THP,
  STATE_FILE_MAPPED,
  type StateCounters,
} from "../stat/state-counters.ts";
import type { AnonVmas } from "./anon-vma.ts";
import type { Vma } from "./vma.ts";

/**
 * Reverse mapping: map counts, and the way from a folio to the VMAs that map it. Pages that become
 * mapped or unmapped are counted as `anon` or `file_mapped` of their memcg.
 * Source: FOL-12, FOL-13, RMAP-01; mm/rmap.c.
 */
export class Rmap {
  private readonly folios: FolioTable;
  private readonly anonVmas: AnonVmas;
  private readonly states: StateCounters;

  constructor(folios: FolioTable, anonVmas: AnonVmas, states: StateCounters) {
    this.folios = folios;
    this.anonVmas = anonVmas;
    this.states = states;
  }

  /**
   * folio_add_new_anon_rmap(): a fresh folio becomes anonymous memory of `vma`, exclusively, mapped
   * by PTEs or by one PMD. `vpn` is the virtual page of its first page. (FLT-13)
   */
  addNewAnon(folio: number, vma: Vma, vpn: number, pmdMapped: boolean): void {
    const { flags, mapcount, mapping, refcount, prev } = this.folios;
    const pages = this.folios.nrPagesOf(folio);
    const anon = this.anonVmas.prepare(vma);
    mapping[folio] = anon.id * 2 + 1;
    this.folios.index[folio] = vpn;
    flags[folio]! |= PG_SWAPBACKED;
    if (pages === 1) {
      flags[folio]! |= PG_ANON_EXCLUSIVE;
      mapcount[folio] = 1;
    } else if (pmdMapped) {
      flags[folio]! |= PG_ANON_EXCLUSIVE;
      mapping[folio + 1] = 1;
      refcount[folio + 1] = 1;
      this.states.add(STATE_ANON_THP, this.folios.memcg[folio] as number, pages);
    } else {
      for (let page = folio; page < folio + pages; page++) {
        flags[page]! |= PG_ANON_EXCLUSIVE;
        mapcount[page] = 1;
      }
      mapping[folio + 1] = pages;
      prev[folio + 1] = pages;
    }
    this.states.add(STATE_ANON, this.folios.memcg[folio] as number, pages);
  }

  /** folio_dup_anon_rmap_ptes(), folio_add_file_rmap_ptes(): `count` more PTEs map the pages from `pfn`. */
  addPtes(folio: number, pfn: number, count: number): void {
    const { mapcount, mapping, prev } = this.folios;
    if (!this.folios.isLarge(folio)) {
      if (mapcount[folio]!++ === 0) this.countMapped(folio, 1);
      return;
    }
    mapping[folio + 1]! += count;
    let fresh = 0;
    for (let page = pfn; page < pfn + count; page++) {
      if (mapcount[page]!++ === 0) fresh += 1;
    }
    prev[folio + 1]! += fresh;
    if (this.folios.entireMapcountOf(folio) === 0) this.countMapped(folio, fresh);
  }

  /** folio_dup_anon_rmap_pmd(), folio_add_file_rmap_pmd(): one more PMD maps the folio. */
  addPmd(folio: number): void {
    const { mapping, refcount } = this.folios;
    mapping[folio + 1]! += 1;
    if (refcount[folio + 1]!++ === 0) this.countEntire(folio, 1);
  }

  /** folio_remove_rmap_ptes(): `count` PTEs that mapped the pages from `pfn` are gone. */
  removePtes(folio: number, pfn: number, count: number): void {
    const { mapcount, mapping, prev } = this.folios;
    if (!this.folios.isLarge(folio)) {
      if (--mapcount[folio]! === 0) this.countMapped(folio, -1);
      return;
    }
    mapping[folio + 1]! -= count;
    let gone = 0;
    for (let page = pfn; page < pfn + count; page++) {
      if (--mapcount[page]! === 0) gone += 1;
    }
    prev[folio + 1]! -= gone;
    if (this.folios.entireMapcountOf(folio) === 0) this.countMapped(folio, -gone);
  }

  /** folio_remove_rmap_pmd(): a PMD that mapped the folio is gone. */
  removePmd(folio: number): void {
    const { mapping, refcount } = this.folios;
    mapping[folio + 1]! -= 1;
    if (--refcount[folio + 1]! === 0) this.countEntire(folio, -1);
  }

  /**
   * The PMD mapping of a folio becomes 512 PTE mappings (PT-16). Exclusivity moves from the head to
   * every page.
   */
  splitPmd(folio: number): void {
    const { flags } = this.folios;
    const pages = this.folios.nrPagesOf(folio);
    const exclusive = (flags[folio] as number) & PG_ANON_EXCLUSIVE;
    this.removePmd(folio);
    this.addPtes(folio, folio, pages);
    if (exclusive) for (let page = folio; page < folio + pages; page++) flags[page]! |= exclusive;
  }

  /** folio_get_anon_vma() and the interval walk: VMAs that may map an anonymous folio (RMAP-01). */
  anonVmasOf(folio: number): Vma[] {
    const id = ((this.folios.mapping[folio] as number) - 1) / 2;
    const first = this.folios.index[folio] as number;
    const end = first + this.folios.nrPagesOf(folio);
    const found = this.anonVmas.get(id)?.vmas.filter((vma) => vma.start < end && vma.end > first);
    return (found ?? []).toSorted((a, b) => a.mm.id - b.mm.id || a.start - b.start);
  }

  /** The first PMD mapping came (`sign` 1) or the last went (−1): pages no PTE maps change with it. */
  private countEntire(folio: number, sign: number): void {
    const pages = this.folios.nrPagesOf(folio);
    this.countMapped(folio, sign * (pages - this.folios.nrPagesMappedOf(folio)));
    if (this.isAnon(folio)) {
      this.states.add(STATE_ANON_THP, this.folios.memcg[folio] as number, sign * pages);
    }
  }

  private countMapped(folio: number, pages: number): void {
    const item = this.isAnon(folio) ? STATE_ANON : STATE_FILE_MAPPED;
    this.states.add(item, this.folios.memcg[folio] as number, pages);
  }

  private isAnon(folio: number): boolean {
    return ((this.folios.mapping[folio] as number) & 1) !== 0;
  }
}
