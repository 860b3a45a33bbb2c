import type { Cpu } from "@lrugen/hardware";
import type { FileMapping, Memcg, Memory, PageCache, Task } from "@lrugen/mm-core";
import type { Charge } from "./charge.ts";
import { CHARGE_NOWAIT } from "./charge-kind.ts";

/** Bytes charged for one radix_tree_node (CHG-40). */
const TREE_NODE_BYTES: number = 592;
/** log2 of the slots of a node. */
const NODE_SHIFT = 6;
/** From this order on a folio takes slots of the node above the leaves (CHG-43). */
const LEAFLESS_ORDER = 6;
/** Numbers of the nodes of one level. */
const LEVEL = 2 ** 28;

/**
 * The nodes of page-cache trees, as far as they are charged: which exist, and who paid for them. A
 * node is there as long as something is below it, shadows included (CHG-43).
 * Source: CHG-43; lib/xarray.c, mm/filemap.c:__filemap_add_folio.
 */
export class TreeNodes {
  private readonly charge: Charge;
  /** CPU that frees are accounted on: they come from RCU, the page cache does not say where. */
  private readonly cpu: Cpu;
  private readonly root: Memcg;
  private readonly cache: PageCache;
  /** Who paid for a node, by file and by level × LEVEL + number; null = nobody. */
  private readonly owners: Map<number, Map<number, Memcg>> = new Map();

  constructor(memory: Memory, charge: Charge) {
    this.charge = charge;
    this.cpu = memory.hw.cpus[0]!;
    this.root = memory.root;
    this.cache = memory.pageCache;
    memory.pageCache.onErased = (file, leaf) => this.erased(file, leaf);
  }

  /**
   * Charges the nodes that a folio at page `index` needs and that are not there yet, from the root of
   * the tree downwards.
   * @param kind CHARGE_* of the caller, used where an attempt without blocking fails
   * @returns false = a limit does not allow it
   */
  prepare(task: Task, file: FileMapping, index: number, order: number, kind: number): boolean {
    let nodes = this.owners.get(file.id);
    const isFirst = index === 0 && order === 0;
    const noNodes = nodes === undefined || nodes.size === 0;
    const isAlone = file.entries === 0 || (file.entries === 1 && this.cache.holds(file, 0));
    if (isFirst && noNodes && isAlone) return true;
    if (nodes === undefined) this.owners.set(file.id, (nodes = new Map()));
    const leaf = order < LEAFLESS_ORDER ? index >>> NODE_SHIFT : -1;
    if (leaf >= 0 && nodes.has(leaf)) return true;
    const top = this.topLevel(file, nodes, index + (1 << order) - 1);
    // An entry at page 0 that had no node so far gets its nodes when the tree grows.
    if (file.entries > 0 && !nodes.has(0) && file.leaves[0] !== 0 && nodes.size === 0) {
      if (!this.path(task, nodes, 0, top, 0, kind)) return false;
    }
    return this.path(task, nodes, index, top, leaf >= 0 ? 0 : 1, kind);
  }

  /** A memcg goes away: its nodes are the parent's. */
  reparent(from: Memcg, to: Memcg): void {
    for (const nodes of this.owners.values()) {
      for (const [node, owner] of nodes) if (owner === from) nodes.set(node, to);
    }
  }

  /** Level of the tree's root once it reaches page `last`. */
  private topLevel(file: FileMapping, nodes: ReadonlyMap<number, Memcg>, last: number): number {
    let top = 0;
    while (2 ** (NODE_SHIFT * (top + 1)) <= last) top += 1;
    let key = (top + 1) * LEVEL;
    while (nodes.has(key)) {
      top += 1;
      key += LEVEL;
    }
    return file.entries === 0 && nodes.size === 0 ? top : Math.max(top, 0);
  }

  private path(
    task: Task,
    nodes: Map<number, Memcg>,
    index: number,
    top: number,
    bottom: number,
    kind: number,
  ): boolean {
    const memcg = task.mm?.memcg ?? this.root;
    for (let level = top; level >= bottom; level--) {
      const key = level * LEVEL + Math.floor(index / 2 ** (NODE_SHIFT * (level + 1)));
      if (nodes.has(key)) continue;
      if (
        !this.charge.chargeObject(task, memcg, TREE_NODE_BYTES, CHARGE_NOWAIT) &&
        !this.charge.chargeObject(task, memcg, TREE_NODE_BYTES, kind)
      ) {
        return false;
      }
      nodes.set(key, memcg);
    }
    return true;
  }

  private erased(file: FileMapping, leaf: number): void {
    const nodes = this.owners.get(file.id);
    if (nodes === undefined) return;
    if (file.leaves[leaf] === 0) this.leafFreed(file, nodes, leaf);
    this.shrink(file, nodes);
    if (nodes.size === 0) this.owners.delete(file.id);
  }

  /** The leaf is empty: it goes, and nodes above it that have nothing below any more. */
  private leafFreed(file: FileMapping, nodes: Map<number, Memcg>, leaf: number): void {
    this.drop(nodes, leaf);
    let number = leaf;
    for (let level = 1; ; level++) {
      number = Math.floor(number / 64);
      const key = level * LEVEL + number;
      if (!nodes.has(key)) return;
      if (hasLeaf(file, number * 64 ** level, 64 ** level)) return;
      this.drop(nodes, key);
    }
  }

  /**
   * xas_shrink(): a root that has nothing but its first slot goes, and what is there is the root, down to a
   * lone page 0 without any node (seen on 7.3.4).
   */
  private shrink(file: FileMapping, nodes: Map<number, Memcg>): void {
    let top = 0;
    while (nodes.has((top + 1) * LEVEL)) top += 1;
    for (; top > 0 && nodes.has((top - 1) * LEVEL); top--) {
      if (hasSibling(nodes, top - 1) || hasLeaf(file, 64 ** (top - 1), file.leaves.length)) return;
      this.drop(nodes, top * LEVEL);
    }
    if (top === 0 && nodes.has(0) && file.entries === 1 && this.cache.holds(file, 0)) {
      this.drop(nodes, 0);
    }
  }

  private drop(nodes: Map<number, Memcg>, key: number): void {
    const owner = nodes.get(key);
    if (owner === undefined) return;
    nodes.delete(key);
    this.charge.unchargeObject(this.cpu, owner, TREE_NODE_BYTES);
  }
}

/** Whether one of `count` leaves from `first` on exists. */
function hasLeaf(file: FileMapping, first: number, count: number): boolean {
  const end = Math.min(first + count, file.leaves.length);
  for (let leaf = first; leaf < end; leaf++) if (file.leaves[leaf] !== 0) return true;
  return false;
}

/** Whether a node of a level exists besides the first, below the first of the level above. */
function hasSibling(nodes: ReadonlyMap<number, Memcg>, level: number): boolean {
  for (let number = 1; number < 64; number++) if (nodes.has(level * LEVEL + number)) return true;
  return false;
}
