import {
  ENTRY_ACCESSED,
  ENTRY_DIRTY,
  ENTRY_LEAF,
  ENTRY_PRESENT,
  ENTRY_SHIFT,
  ENTRY_SPECIAL,
  ENTRY_WRITE,
  type Memory,
  type Mm,
  NO_ENTRY,
  type Vma,
} from "@lrugen/mm-core";

/**
 * What page-table entries say, one letter each, as the kernel's dumps print them: `y` young, `o` old,
 * upper case when dirty as well, `.` nothing, `z` the zero page, young.
 */
const LETTERS: ReadonlyMap<string, number> = new Map([
  [".", 0],
  ["y", ENTRY_PRESENT | ENTRY_ACCESSED],
  ["o", ENTRY_PRESENT],
  ["Y", ENTRY_PRESENT | ENTRY_WRITE | ENTRY_ACCESSED | ENTRY_DIRTY],
  ["O", ENTRY_PRESENT | ENTRY_WRITE | ENTRY_DIRTY],
  ["z", ENTRY_PRESENT | ENTRY_ACCESSED | ENTRY_SPECIAL],
]);

/** Bits of an entry that a letter tells apart. */
const TOLD = ENTRY_PRESENT | ENTRY_ACCESSED | ENTRY_DIRTY | ENTRY_SPECIAL;

/**
 * Maps the pages of a folio from page `first` on at consecutive virtual pages, one letter a page.
 * @param first page of the folio that `vpn` maps
 */
export function mapPtes(
  memory: Memory,
  vma: Vma,
  vpn: number,
  folio: number,
  letters: string,
  first = 0,
): void {
  for (const [i, letter] of letters.split("").entries()) {
    const bits = LETTERS.get(letter)!;
    const table = makeTable(memory, vma.mm, vpn + i);
    const pfn = bits & ENTRY_SPECIAL ? memory.zeroPfn : folio + first + i;
    memory.pageTables.entries[table * 512 + ((vpn + i) % 512)] =
      bits === 0 ? 0 : (pfn << ENTRY_SHIFT) | bits;
    if ((bits & (ENTRY_PRESENT | ENTRY_SPECIAL)) === ENTRY_PRESENT) {
      mapPage(memory, vma, folio, pfn, vpn - first);
    }
  }
}

/** Maps an order-9 folio by a PMD entry: `y`, `o`, `Y` or `O`. */
export function mapPmd(memory: Memory, vma: Vma, vpn: number, folio: number, letter: string): void {
  const slot = memory.pageTables.makePmdSlot(vma.mm.pgd, vpn);
  memory.pageTables.entries[slot] = (folio << ENTRY_SHIFT) | ENTRY_LEAF | LETTERS.get(letter)!;
  if (vma.file === null && memory.folios.mapping[folio] === 0) {
    memory.rmap.addNewAnon(folio, vma, vpn, true);
  } else {
    memory.rmap.addPmd(folio);
  }
}

/** The PTEs from `vpn` on in letters. */
export function ptes(memory: Memory, mm: Mm, vpn: number, count: number): string {
  let text = "";
  for (let at = vpn; at < vpn + count; at++) {
    const slot = memory.pageTables.pteSlot(mm.pgd, at);
    text += letterOf(slot === NO_ENTRY ? 0 : memory.pageTables.entries[slot]!);
  }
  return text;
}

/** The letter of the PMD entry that covers a virtual page. */
export function pmd(memory: Memory, mm: Mm, vpn: number): string {
  const slot = memory.pageTables.pmdSlot(mm.pgd, vpn);
  return letterOf(slot === NO_ENTRY ? 0 : memory.pageTables.entries[slot]!);
}

/** Sets or clears the accessed bit of the PMD entry that covers a virtual page. */
export function setPmdYoung(memory: Memory, mm: Mm, vpn: number, young: boolean): void {
  const slot = memory.pageTables.pmdSlot(mm.pgd, vpn);
  if (young) memory.pageTables.entries[slot]! |= ENTRY_ACCESSED;
  else memory.pageTables.entries[slot]! &= ~ENTRY_ACCESSED;
}

/** Makes mapped PTEs young again, as accesses do, with the PMD entry above them. */
export function touch(memory: Memory, mm: Mm, vpn: number, count = 1): void {
  for (let at = vpn; at < vpn + count; at++) {
    const slot = memory.pageTables.pteSlot(mm.pgd, at);
    if (slot === NO_ENTRY || (memory.pageTables.entries[slot]! & ENTRY_PRESENT) === 0) continue;
    memory.pageTables.entries[slot]! |= ENTRY_ACCESSED;
    setPmdYoung(memory, mm, at, true);
  }
}

function letterOf(entry: number): string {
  if ((entry & ENTRY_PRESENT) === 0) return ".";
  const told = entry & TOLD;
  for (const [letter, bits] of LETTERS) if ((bits & TOLD) === told) return letter;
  return "?";
}

function makeTable(memory: Memory, mm: Mm, vpn: number): number {
  return memory.pageTables.tableBelow(memory.pageTables.makePmdSlot(mm.pgd, vpn));
}

/** The map counts and the mapping of a folio that got one more PTE. */
function mapPage(memory: Memory, vma: Vma, folio: number, pfn: number, vpn: number): void {
  const { folios } = memory;
  if (folios.mapping[folio] === 0) {
    folios.mapping[folio] = memory.anonVmas.prepare(vma).id * 2 + 1;
    folios.index[folio] = vpn;
  }
  memory.rmap.addPtes(folio, pfn, 1);
}
