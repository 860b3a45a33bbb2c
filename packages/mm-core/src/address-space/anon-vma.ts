import type { Vma } from "./vma.ts";

/**
 * struct anon_vma: the VMAs that may map a set of anonymous folios.
 *
 * A folio names the anon_vma of the VMA that faulted it in; fork links the child's VMA to all of
 * its parent's, so that a walk from the folio finds both.
 *
 * Source: RMAP-01; mm/rmap.c.
 */
export class AnonVma {
  /** Number from 1; FolioTable.mapping holds twice it plus 1. */
  readonly id: number;
  /** Linked VMAs; mapping order is not promised (RMAP-01). */
  readonly vmas: Vma[] = [];

  constructor(id: number) {
    this.id = id;
  }
}

/**
 * Every anon_vma of the machine, by number. Numbers are never reused, so a folio that outlives its
 * last VMA (in a batch, say) names nothing rather than a stranger.
 */
export class AnonVmas {
  private readonly byId = new Map<number, AnonVma>();
  private nextId = 1;

  /** The anon_vma with this number, undefined once its last VMA is gone. */
  get(id: number): AnonVma | undefined {
    return this.byId.get(id);
  }

  /** anon_vma_prepare(): the VMA's own anon_vma, made on first use. */
  prepare(vma: Vma): AnonVma {
    if (vma.anonVma !== null) return vma.anonVma;
    const anon = this.create();
    vma.anonVma = anon;
    link(vma, anon);
    return anon;
  }

  /** anon_vma_clone(): `to` may map whatever `from` maps (VMA split). */
  clone(from: Vma, to: Vma): void {
    for (const anon of from.anonVmaChain) link(to, anon);
    to.anonVma = from.anonVma;
  }

  /** anon_vma_fork(): the child sees the parent's folios, and gets an anon_vma of its own. */
  fork(parent: Vma, child: Vma): void {
    if (parent.anonVma === null) return;
    for (const anon of parent.anonVmaChain) link(child, anon);
    const own = this.create();
    child.anonVma = own;
    link(child, own);
  }

  /** unlink_anon_vmas(): the VMA is gone; an anon_vma without VMAs goes with it. */
  unlink(vma: Vma): void {
    for (const anon of vma.anonVmaChain) {
      anon.vmas.splice(anon.vmas.indexOf(vma), 1);
      if (anon.vmas.length === 0) this.byId.delete(anon.id);
    }
    vma.anonVmaChain.length = 0;
    vma.anonVma = null;
  }

  private create(): AnonVma {
    const anon = new AnonVma(this.nextId++);
    this.byId.set(anon.id, anon);
    return anon;
  }
}

function link(vma: Vma, anon: AnonVma): void {
  if (vma.anonVmaChain.includes(anon)) return;
  vma.anonVmaChain.push(anon);
  anon.vmas.push(vma);
}
