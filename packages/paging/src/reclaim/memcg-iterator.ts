import type { Memcg } from "@lrugen/mm-core";

/**
 * Where partial walks of a subtree go on: each stops once it has enough, and the next one takes its
 * turn from there, so that no memcg is always the first.
 * Source: CLS-08; mm/memcontrol.c:mem_cgroup_iter.
 */
export class MemcgIterator {
  /** Last memcg visited by partial walks, by root and node; one that is removed stands for none. */
  private readonly positions = new WeakMap<Memcg, (Memcg | undefined)[]>();

  /** Memcgs of a whole walk, in pre-order. */
  all(root: Memcg): Iterable<Memcg> {
    return root.preOrder();
  }

  /** Memcgs from the shared position on to the end of the subtree. */
  *partial(root: Memcg, node: number): Generator<Memcg, void, undefined> {
    let byNode = this.positions.get(root);
    if (byNode === undefined) this.positions.set(root, (byNode = []));
    const memcgs = [...root.preOrder()];
    let at = memcgs.indexOf(byNode[node] as Memcg) + 1;
    if (at === memcgs.length) at = 0;
    for (; at < memcgs.length; at++) {
      byNode[node] = memcgs[at] as Memcg;
      yield memcgs[at] as Memcg;
    }
    byNode[node] = undefined;
  }
}
