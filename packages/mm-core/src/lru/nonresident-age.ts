import type { Memcg } from "../memcg/memcg.ts";
import type { Lruvec } from "./lruvec.ts";

/**
 * workingset_age_nonresident(): the pages of a memcg, and of all above it, that were evicted or became
 * active so far. The distance between two readings is how far a page evicted at the first was from
 * staying until the second.
 * Source: WS-01; mm/workingset.c.
 */
export function ageNonresident({ memcg, node }: Lruvec, pages: number): void {
  for (let at: Memcg | null = memcg; at !== null; at = at.parent) {
    at.lruvecs[node]!.nonresidentAge += pages;
  }
}
