import { formatLruGen } from "@lrugen/formats";
import { lruGenRecords } from "@lrugen/mglru";
import { EINVAL, NotModelledError } from "@lrugen/mm-core";
import type { Guest } from "./guest.ts";
import { memcgFileAt, readMemcgFile, writeMemcgFile } from "./memcg-files.ts";

/** The debugfs file that takes commands; `_full` after it is the long read-only one. */
export const LRU_GEN_FILE = "/sys/kernel/debug/lru_gen";
const LRU_GEN_DIR = "/sys/kernel/mm/lru_gen/";
const SWAPPINESS = "/proc/sys/vm/swappiness";

/**
 * The contents of a file of the guest.
 * @throws NotModelledError for a path the model has no file for
 */
export function readGuestFile(guest: Guest, path: string): string {
  const { sysfs } = guest.system.mglru;
  if (path === `${LRU_GEN_DIR}enabled`) return sysfs.readEnabled();
  if (path === `${LRU_GEN_DIR}min_ttl_ms`) return sysfs.readMinTtl();
  if (path === SWAPPINESS) return `${guest.system.swappiness}\n`;
  if (path === LRU_GEN_FILE || path === `${LRU_GEN_FILE}_full`) {
    return lines(guest, path.endsWith("_full"), "all")
      .map((line) => `${line}\n`)
      .join("");
  }
  const at = memcgFileAt(guest, path);
  if (at !== null) return readMemcgFile(guest, at.memcg, at.file);
  throw new NotModelledError(`the file ${path}`);
}

/**
 * Writes a file of the guest.
 * @returns bytes taken, or a negative errno
 * @throws NotModelledError for a path the model has no file for
 */
export function writeGuestFile(guest: Guest, path: string, text: string): number {
  const { system, controller } = guest;
  const { cpu } = controller;
  if (path === `${LRU_GEN_DIR}enabled`) return system.mglru.sysfs.writeEnabled(cpu, text);
  if (path === `${LRU_GEN_DIR}min_ttl_ms`) return system.mglru.sysfs.writeMinTtl(text);
  if (path === LRU_GEN_FILE) return system.mglru.debugfs.write(cpu, text);
  if (path === SWAPPINESS) return writeSwappiness(guest, text);
  const at = memcgFileAt(guest, path);
  if (at !== null) return writeMemcgFile(guest, at.memcg, at.file, text);
  throw new NotModelledError(`the file ${path}`);
}

/** The lines of lru_gen or lru_gen_full: of the scenario memcg only, or of every memcg. */
export function lruGenLines(guest: Guest, full: boolean): string[] {
  return lines(guest, full, "scenario");
}

function lines(guest: Guest, full: boolean, which: "all" | "scenario"): string[] {
  const { memory } = guest.system;
  const { jiffies } = memory.clock;
  const records =
    which === "all"
      ? lruGenRecords(memory.root, jiffies)
      : lruGenRecords(guest.memcg, jiffies).slice(0, 1);
  return formatLruGen(records, { full });
}

/** A sysctl takes a decimal number in its range. */
function writeSwappiness(guest: Guest, text: string): number {
  const value = /^\s*[0-9]+\s*$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= 200)) return -EINVAL;
  guest.system.swappiness = value;
  return text.length;
}
