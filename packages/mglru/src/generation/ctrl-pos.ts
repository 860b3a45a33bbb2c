import { type LruGenFolio, MAX_NR_TIERS } from "@lrugen/mm-core";

/**
 * reset_ctrl_pos() with carry-over: the history of a type's oldest generation is averaged into
 * avg_refaulted and avg_total, tier by tier, and cleared (CTRL-02; NR_HIST_GENS = 1).
 *
 * The controller called PID in the kernel has only its P term.
 * Source: CTRL-01, CTRL-02; mm/vmscan.c.
 */
export function resetCtrlPos(lrugen: LruGenFolio, type: number): void {
  const { avgRefaulted, avgTotal, refaulted, evicted } = lrugen;
  for (let i = type * MAX_NR_TIERS; i < (type + 1) * MAX_NR_TIERS; i++) {
    const total = (lrugen.protected[i] as number) + (evicted[i] as number);
    avgRefaulted[i] = Math.floor(((avgRefaulted[i] as number) + (refaulted[i] as number)) / 2);
    avgTotal[i] = Math.floor(((avgTotal[i] as number) + total) / 2);
    refaulted[i] = 0;
    evicted[i] = 0;
    lrugen.protected[i] = 0;
  }
}
