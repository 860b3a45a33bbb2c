import type { Memcg } from "./memcg.ts";

/**
 * mem_cgroup_calculate_protection(): what memory.min and memory.low of a memcg are worth in a reclaim
 * of `target`. Its ancestors below the target must have been computed before (CHG-36).
 *
 * @param target memcg being reclaimed, null = the machine
 * @param recursive mount option memory_recursiveprot: siblings share what their parent has left
 * Source: CHG-36; mm/page_counter.c.
 */
export function calculateProtection(
  target: Memcg | null,
  memcg: Memcg,
  recursive: boolean = false,
): void {
  const { parent, memory } = memcg;
  if (parent === null || memcg === target || memory.usage === 0) return;
  if (parent === target || parent.parent === null) {
    memory.emin = memory.min;
    memory.elow = memory.low;
    return;
  }
  memory.emin = effective(parent, memcg, "min", "emin", recursive);
  memory.elow = effective(parent, memcg, "low", "elow", recursive);
}

/** effective_protection(): this memcg's share of its parent's protection. */
function effective(
  parent: Memcg,
  memcg: Memcg,
  setting: "min" | "low",
  share: "emin" | "elow",
  recursive: boolean,
): number {
  const { usage } = memcg.memory;
  const claimed = Math.min(usage, memcg.memory[setting]);
  const siblings = parent.children.reduce(
    (sum, { memory }) => sum + Math.min(memory.usage, memory[setting]),
    0,
  );
  const above = parent.memory[share];
  // The kernel divides integers; pages are far below 2^26, so the products are exact.
  if (siblings > above) return Math.floor((claimed * above) / siblings);
  const parentUsage = parent.memory.usage;
  if (!recursive || above <= siblings || parentUsage <= siblings || usage <= claimed) {
    return claimed;
  }
  const unclaimed = (above - siblings) * (usage - claimed);
  return claimed + Math.floor(unclaimed / (parentUsage - siblings));
}

/** mem_cgroup_unprotected(): a target's own settings do not protect it from itself. */
function isUnprotected(target: Memcg | null, memcg: Memcg): boolean {
  return memcg.parent === null || memcg === target;
}

/** mem_cgroup_below_min() (CHG-37). */
export function isBelowMin(target: Memcg | null, memcg: Memcg): boolean {
  return !isUnprotected(target, memcg) && memcg.memory.emin >= memcg.memory.usage;
}

/** mem_cgroup_below_low() (CHG-37). */
export function isBelowLow(target: Memcg | null, memcg: Memcg): boolean {
  return !isUnprotected(target, memcg) && memcg.memory.elow >= memcg.memory.usage;
}
