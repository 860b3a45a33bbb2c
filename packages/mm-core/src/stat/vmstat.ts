import { VMSTAT_ITEMS } from "./vmstat-items.ts";

/** Event counters of one scope: the machine, or one memcg. Exact to 2^53. */
export class VmStat {
  /** Counter values by index into VMSTAT_ITEMS. */
  readonly values: Float64Array = new Float64Array(VMSTAT_ITEMS.length);

  /** Adds `delta` to the counter with this index (see vmstatId). */
  add(id: number, delta: number): void {
    this.values[id]! += delta;
  }

  /** All counters by name, in /proc/vmstat order. */
  toRecord(): Record<string, number> {
    return Object.fromEntries(VMSTAT_ITEMS.map((name, id) => [name, this.values[id] as number]));
  }
}
