/**
 * get_init_ra_size(): pages of the first window of a sequence (FIO-10, FIO-18).
 * @param requested pages asked for, at least 1
 * @param max largest window in pages
 */
export function initialWindow(requested: number, max: number): number {
  const size = requested <= 1 ? 1 : 1 << (32 - Math.clz32(requested - 1));
  if (size * 32 <= max) return size * 4;
  if (size * 4 <= max) return size * 2;
  return max;
}

/** get_next_ra_size(): pages of the window after one of `size` pages (FIO-10). */
export function nextWindow(size: number, max: number): number {
  if (size * 16 < max) return size * 4;
  if (size * 2 <= max) return size * 2;
  return max;
}

/** floor(log2(value)) of a positive integer. */
export function log2(value: number): number {
  return 31 - Math.clz32(value);
}

/** Largest order that page `index` is aligned to; `index` is not 0. */
export function alignedOrder(index: number): number {
  return 31 - Math.clz32(index & -index);
}
