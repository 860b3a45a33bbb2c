import type { Lruvec, Mm } from "@lrugen/mm-core";
import { LruGenMmWalk, PageTableWalk, PmdWalk, Promotion, PteWalk } from "../src/index.ts";
import type { Machine } from "./machine.ts";

export interface WalkOptions {
  /** Default false: Bloom filters and young PMD entries decide. */
  readonly force?: boolean;
  readonly swappiness?: number;
  readonly lruvec?: Lruvec;
  /** Default: max_seq of the lruvec. */
  readonly seq?: number;
}

/** One walk of one address space, without the aging around it. @returns T, Y, F, A */
export function walkMm(m: Machine, mm: Mm, options: WalkOptions = {}): number[] {
  const lruvec = options.lruvec ?? m.lruvec;
  const promotion = new Promotion(m.memory);
  const pmdWalk = new PmdWalk(m.memory, promotion, new PteWalk(m.memory, promotion), m.policy.caps);
  const walk = new LruGenMmWalk();
  const { swappiness = 60, force = false, seq = lruvec.lrugen.maxSeq } = options;
  walk.begin(lruvec, seq, swappiness, force);
  new PageTableWalk(m.memory, promotion, pmdWalk).walkMm(m.cpu, walk, mm);
  return [...walk.mmStats];
}
