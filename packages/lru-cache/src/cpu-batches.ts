import {
  LRU_ACTIVATE,
  LRU_ADD,
  LRU_DEACTIVATE,
  LRU_DEACTIVATE_FILE,
  LRU_LAZYFREE,
  LRU_MOVE_TAIL,
} from "./batch-kinds.ts";
import { FolioBatch } from "./folio-batch.ts";
import { MlockBatch } from "./mlock-batch.ts";

/**
 * All batches of one CPU. Their local locks are never contended and not modelled (BATCH-04).
 * Source: BATCH-02, BATCH-03; mm/folio.c:cpu_fbatches, mm/mlock.c:mlock_fbatch.
 */
export class CpuBatches {
  readonly lruAdd: FolioBatch = new FolioBatch(LRU_ADD);
  readonly lruDeactivateFile: FolioBatch = new FolioBatch(LRU_DEACTIVATE_FILE);
  readonly lruDeactivate: FolioBatch = new FolioBatch(LRU_DEACTIVATE);
  readonly lruLazyfree: FolioBatch = new FolioBatch(LRU_LAZYFREE);
  readonly lruActivate: FolioBatch = new FolioBatch(LRU_ACTIVATE);
  readonly lruMoveTail: FolioBatch = new FolioBatch(LRU_MOVE_TAIL);
  readonly mlock: MlockBatch = new MlockBatch();

  /** The LRU batches by kind, the order of LRU_BATCH_NAMES. */
  readonly byKind: readonly FolioBatch[] = [
    this.lruAdd,
    this.lruDeactivateFile,
    this.lruDeactivate,
    this.lruLazyfree,
    this.lruActivate,
    this.lruMoveTail,
  ];

  /** The LRU batches in the order a full drain takes them (BATCH-15). */
  readonly drainOrder: readonly FolioBatch[] = [
    this.lruAdd,
    this.lruMoveTail,
    this.lruDeactivateFile,
    this.lruDeactivate,
    this.lruLazyfree,
    this.lruActivate,
  ];

  /** cpu_needs_drain(): whether all seven batches are empty (BATCH-16). */
  get isEmpty(): boolean {
    return this.mlock.count === 0 && this.byKind.every((batch) => batch.count === 0);
  }

  /** Number of slots that hold a folio, and thereby a reference to it. */
  slotsOf(folio: number): number {
    let slots = slotsIn(this.mlock, folio);
    for (const batch of this.byKind) slots += slotsIn(batch, folio);
    return slots;
  }
}

/** Slots of one batch. Checkers ask for every folio after every step, so nothing is allocated. */
function slotsIn({ folios, count }: FolioBatch | MlockBatch, folio: number): number {
  let slots = 0;
  for (let i = 0; i < count; i++) if (folios[i] === folio) slots += 1;
  return slots;
}
