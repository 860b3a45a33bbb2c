/** Names of the counters of memory.events, in the order the file prints them. */
export const MEMCG_EVENT_NAMES: readonly string[] = [
  "low",
  "high",
  "max",
  "oom",
  "oom_kill",
  "oom_group_kill",
  "sock_throttled",
];

/** Reclaimed although below memory.low. */
export const MEMCG_LOW: number = 0;
/** Over memory.high: a task had to reclaim (CHG-32). */
export const MEMCG_HIGH: number = 1;
/** A charge met memory.max (CHG-20). */
export const MEMCG_MAX: number = 2;
/** A charge failed for good, or nearly (CHG-50). */
export const MEMCG_OOM: number = 3;
/** A process was killed (CHG-52). */
export const MEMCG_OOM_KILL: number = 4;
/** A whole group was killed (CHG-52). */
export const MEMCG_OOM_GROUP_KILL: number = 5;

/** Event counters of one memcg: its own, and those with its descendants (CHG-53). */
export class MemcgEvents {
  /** memory.events.local. */
  readonly local: Float64Array = new Float64Array(MEMCG_EVENT_NAMES.length);
  /** memory.events: this memcg and everything below it, also what is gone already. */
  readonly hierarchical: Float64Array = new Float64Array(MEMCG_EVENT_NAMES.length);
}
