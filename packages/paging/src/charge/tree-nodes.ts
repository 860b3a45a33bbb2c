import type { Cpu } from "@lrugen/hardware";
import type { FileMapping, Memcg, Memory, PageCache, Task } from "@lrugen/mm-core";
import type { Charge } from "./charge.ts";
import { CHARGE_NOWAIT } from "./charge-kind.ts";
import { NodeOwners, placeOf } from "./node-owners.ts";

/** Bytes charged for one radix_tree_node (CHG-40). */
const TREE_NODE_BYTES: number = 592;
/** log2 of the slots of a node. */
const NODE_SHIFT = 6;
/** From this order on a folio takes slots of the node above the leaves (CHG-43). */
const LEAFLESS_ORDER = 6;

/**
 * The nodes of page-cache trees, as far as they are charged: which exist, and who paid for them. A
 * node is there as long as something is below it, shadows included (CHG-43).
 * Source: CHG-43; lib/xarray.c, mm/filemap.c:__filemap_add_folio.
 */
export class TreeNodes {
  private readonly charge: Charge;
  /** CPU that frees are accounted on: they come from RCU, the page cache does not say where. */
  private readonly cpu: Cpu;
  private readonly memory: Memory;
  private readonly cache: PageCache;
  /** By file; an owner is its memcg's index + 1. */
  private readonly owners: Map<number, NodeOwners> = new Map();

  constructor(memory: Memory, charge: Charge) {
    this.charge = charge;
    this.cpu = memory.hw.cpus[0]!;
    this.memory = memory;
    this.cache = memory.pageCache;
    memory.pageCache.onErased = (file, leaf) => this.erased(file, leaf);
  }

  /**
   * Charges the nodes that a folio at page `index` needs and that are not there yet: those above what is
   * in the tree already, when it has to grow, then those from its root downwards. A file whose only page
   * is page 0 needs none.
   * @param kind CHARGE_* of the caller, used where an attempt without blocking fails
   * @returns false = a limit does not allow it
   */
  prepare(task: Task, file: FileMapping, index: number, order: number, kind: number): boolean {
    let nodes = this.owners.get(file.id);
    if (index === 0 && order === 0 && (nodes === undefined || nodes.count === 0)) {
      if (file.entries === 0 || (file.entries === 1 && this.cache.holds(file, 0))) return true;
    }
    if (nodes === undefined) this.owners.set(file.id, (nodes = new NodeOwners()));
    const bottom = order < LEAFLESS_ORDER ? 0 : 1;
    if (bottom === 0 && nodes.get(0, index >>> NODE_SHIFT) !== 0) return true;
    const root = nodes.top;
    let top = root;
    while (2 ** (NODE_SHIFT * (top + 1)) <= index + (1 << order) - 1) top += 1;
    top = Math.max(top, bottom);
    const grows = file.entries > 0;
    if (grows && !this.path(task, nodes, 0, top, root + 1, kind)) return false;
    return this.path(task, nodes, index, top, bottom, kind);
  }

  /** A memcg goes away: its nodes are the parent's. */
  reparent(from: Memcg, to: Memcg): void {
    for (const nodes of this.owners.values()) nodes.replace(from.index + 1, to.index + 1);
  }

  /** The nodes above a page, of these levels, that are not there. */
  private path(
    task: Task,
    nodes: NodeOwners,
    page: number,
    top: number,
    bottom: number,
    kind: number,
  ): boolean {
    const memcg = task.mm?.memcg ?? this.memory.root;
    for (let level = top; level >= bottom; level--) {
      const place = placeOf(page, level);
      if (nodes.get(level, place) !== 0) continue;
      if (
        !this.charge.chargeObject(task, memcg, TREE_NODE_BYTES, CHARGE_NOWAIT) &&
        !this.charge.chargeObject(task, memcg, TREE_NODE_BYTES, kind)
      ) {
        return false;
      }
      nodes.set(level, place, memcg.index + 1);
    }
    return true;
  }

  private erased(file: FileMapping, leaf: number): void {
    const nodes = this.owners.get(file.id);
    if (nodes === undefined) return;
    if (file.leaves[leaf] === 0) this.leafFreed(file, nodes, leaf);
    this.shrink(file, nodes);
    // Such a file is not cached again; another's is kept for the next time.
    if (nodes.count === 0 && file.shmem) this.owners.delete(file.id);
  }

  /** The leaf is empty: it goes, and nodes above it that have nothing below any more. */
  private leafFreed(file: FileMapping, nodes: NodeOwners, leaf: number): void {
    this.drop(nodes, 0, leaf);
    let place = leaf;
    for (let level = 1; ; level++) {
      place = Math.floor(place / 64);
      if (nodes.get(level, place) === 0) return;
      if (hasLeaf(file, place * 64 ** level, 64 ** level)) return;
      this.drop(nodes, level, place);
    }
  }

  /**
   * xas_shrink(): a root that has nothing but its first slot goes, and what is there is the root, down to a
   * lone page 0 without any node (seen on 7.3.4).
   */
  private shrink(file: FileMapping, nodes: NodeOwners): void {
    let { top } = nodes;
    for (; top > 0 && nodes.get(top - 1, 0) !== 0; top--) {
      if (nodes.hasSiblingOfFirst(top - 1)) return;
      if (hasLeaf(file, 64 ** (top - 1), file.leaves.length)) return;
      this.drop(nodes, top, 0);
    }
    if (top === 0 && file.entries === 1 && this.cache.holds(file, 0)) this.drop(nodes, 0, 0);
  }

  private drop(nodes: NodeOwners, level: number, place: number): void {
    const owner = nodes.get(level, place);
    if (owner === 0) return;
    nodes.set(level, place, 0);
    const memcg = this.memory.memcgs[owner - 1] as Memcg;
    this.charge.unchargeObject(this.cpu, memcg, TREE_NODE_BYTES);
  }
}

/** Whether one of `count` leaves from `first` on exists. */
function hasLeaf(file: FileMapping, first: number, count: number): boolean {
  const end = Math.min(first + count, file.leaves.length);
  for (let leaf = first; leaf < end; leaf++) if (file.leaves[leaf] !== 0) return true;
  return false;
}
