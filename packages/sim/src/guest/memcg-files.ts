import { EINVAL, ENOENT, type Memcg, MEMCG_EVENT_NAMES, NotModelledError } from "@lrugen/mm-core";
import type { Guest } from "./guest.ts";
import { memoryStat } from "./memory-stat.ts";

/** Where the cgroup file system is mounted. */
const CGROUP_ROOT = "/sys/fs/cgroup/";
const PAGE_BYTES = 4096;
/** What `swappiness=max` of memory.reclaim means: anonymous memory only (TRIG-02). */
const SWAPPINESS_ANON_ONLY = 201;
const SUFFIXES = "KMGTPE";

/** The memcg and the name of a file below the mount point; null for any other path. */
export function memcgFileAt(guest: Guest, path: string): { memcg: Memcg; file: string } | null {
  if (!path.startsWith(CGROUP_ROOT)) return null;
  const slash = path.lastIndexOf("/");
  const isRoot = slash < CGROUP_ROOT.length;
  const memcg = isRoot
    ? guest.system.memory.root
    : guest.memcgs.get(path.slice(CGROUP_ROOT.length, slash));
  return memcg === undefined ? null : { memcg, file: path.slice(slash + 1) };
}

/**
 * A cgroup file of a memcg.
 * @throws NotModelledError for a file the model does not have
 */
export function readMemcgFile(guest: Guest, memcg: Memcg, file: string): string {
  const { memory, swap, events } = memcg;
  // The root has no limits, and its counters would be those of the whole guest.
  if (!memcg.isCounted) throw new NotModelledError(`the file ${CGROUP_ROOT}${file}`);
  switch (file) {
    case "memory.current":
      return bytes(memory.usage);
    case "memory.peak":
      return bytes(memory.watermark);
    case "memory.max":
      return bytes(memory.max);
    case "memory.high":
      return bytes(memory.high);
    case "memory.low":
      return bytes(memory.low);
    case "memory.min":
      return bytes(memory.min);
    case "memory.swap.max":
      return bytes(swap.max);
    case "memory.swap.current":
      return bytes(swap.usage);
    case "memory.events":
      return eventLines(events.hierarchical);
    case "memory.events.local":
      return eventLines(events.local);
    case "memory.stat":
      return Object.entries(memoryStat(guest.system.memory, memcg))
        .map(([name, value]) => `${name} ${value}\n`)
        .join("");
    default:
      throw new NotModelledError(`the file ${memcg.path}/${file} of the cgroup file system`);
  }
}

/**
 * Writes a cgroup file of a memcg, as the controller.
 * @returns bytes taken, or a negative errno
 * @throws NotModelledError for a file the model does not have
 */
export function writeMemcgFile(guest: Guest, memcg: Memcg, file: string, text: string): number {
  if (file === "memory.reclaim") return reclaim(guest, memcg, text);
  const set = limitSetter(guest, memcg, file);
  if (set !== null && !memcg.isCounted) return -ENOENT;
  if (set === null) {
    throw new NotModelledError(`writing the file ${memcg.path}/${file} of the cgroup file system`);
  }
  const pages = parseLimit(text);
  if (pages === null) return -EINVAL;
  set(pages);
  return text.length;
}

function limitSetter(guest: Guest, memcg: Memcg, file: string): ((pages: number) => void) | null {
  const { controller } = guest;
  const { limits } = guest.system.paging;
  switch (file) {
    case "memory.max":
      return (pages) => limits.setMax(controller, memcg, pages);
    case "memory.high":
      return (pages) => limits.setHigh(controller, memcg, pages);
    case "memory.low":
      return (pages) => {
        memcg.memory.low = pages;
      };
    case "memory.min":
      return (pages) => {
        memcg.memory.min = pages;
      };
    case "memory.swap.max":
      return (pages) => {
        memcg.swap.max = pages;
      };
    default:
      return null;
  }
}

/** Counters that are not zero, as a dump shows memory.events. */
export function memcgEvents(guest: Guest): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [event, name] of MEMCG_EVENT_NAMES.entries()) {
    const count = guest.memcg.events.hierarchical[event] as number;
    if (count !== 0) found[name] = count;
  }
  return found;
}

/** memory.reclaim: `BYTES [swappiness=N|max]` (SHR-08). */
function reclaim(guest: Guest, memcg: Memcg, text: string): number {
  const [amount, ...options] = text.trim().split(/\s+/);
  const size = parseBytes(amount as string);
  if (size === null) return -EINVAL;
  let swappiness: number | null = null;
  for (const option of options) {
    const value = /^swappiness=(max|[0-9]+)$/.exec(option)?.[1];
    if (value === undefined) return -EINVAL;
    swappiness = value === "max" ? SWAPPINESS_ANON_ONLY : Number(value);
    if (value !== "max" && swappiness > 200) return -EINVAL;
  }
  const { reclaim: reclaimer } = guest.system.paging.charge;
  const pages = Math.floor(size / PAGE_BYTES);
  const error = reclaimer.memcgs.proactive(guest.controller, memcg, pages, swappiness);
  return error === 0 ? text.length : error;
}

/** page_counter_memparse(): pages, Infinity for `max`, null for what is no size. */
function parseLimit(text: string): number | null {
  const value = text.trim();
  if (value === "max") return Infinity;
  const size = parseBytes(value);
  return size === null ? null : Math.floor(size / PAGE_BYTES);
}

/** memparse() of a whole string: decimal, 0x or 0 octal, with a suffix. */
function parseBytes(text: string): number | null {
  const match = /^(0x[0-9a-f]+|[0-9]+)([KMGTPE]?)$/i.exec(text);
  if (match === null) return null;
  const digits = match[1] as string;
  const isOctal = /^0[0-7]+$/.test(digits);
  const value = isOctal ? Number.parseInt(digits, 8) : Number(digits);
  const suffix = match[2] as string;
  return suffix === "" ? value : value * 1024 ** (SUFFIXES.indexOf(suffix.toUpperCase()) + 1);
}

function bytes(pages: number): string {
  return pages === Infinity ? "max\n" : `${pages * PAGE_BYTES}\n`;
}

function eventLines(counts: Float64Array): string {
  return [...MEMCG_EVENT_NAMES.entries()]
    .map(([event, name]) => `${name} ${counts[event]}\n`)
    .join("");
}
