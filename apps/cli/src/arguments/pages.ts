import { INC_MIN_SEQ_LIMITS } from "@lrugen/workloads";
import { InputError } from "../input-error.ts";

const PAGE_KIB = 4;
const KIB_OF: Readonly<Record<string, number>> = { KiB: 1, MiB: 1024, GiB: 1024 * 1024 };
const SIZE = /^([0-9]+)(p|KiB|MiB|GiB)$/;

/**
 * Reads an amount of memory: `512MiB`, `2GiB`, `640KiB`, or pages as `131072p`.
 * @returns pages of 4 KiB
 */
export function parsePages(option: string, text: string): number {
  const [, digits, unit] = SIZE.exec(text) ?? [];
  if (digits === undefined || unit === undefined) {
    throw new InputError(
      `${option}: found ${JSON.stringify(text)}, expected a size like 512MiB, 1GiB, 640KiB or 131072p`,
    );
  }
  const pages = unit === "p" ? Number(digits) : (Number(digits) * KIB_OF[unit]!) / PAGE_KIB;
  const { pagesMax } = INC_MIN_SEQ_LIMITS;
  if (!Number.isInteger(pages)) {
    throw new InputError(`${option}: found ${text}, expected a multiple of 4KiB`);
  }
  if (pages < 1 || pages > pagesMax) {
    throw new InputError(
      `${option}: found ${text}, expected 1p to ${pagesMax}p (${(pagesMax * PAGE_KIB) / KIB_OF["GiB"]!}GiB)`,
    );
  }
  return pages;
}
