/** Zones of x86-64 by their kernel ids: 0 DMA, 1 DMA32, 2 Normal, 3 Movable, 4 Device (mglru.md 1.4). */
export const ZONE_NAMES: readonly string[] = ["DMA", "DMA32", "Normal", "Movable", "Device"];

/** MAX_NR_ZONES of the Debian configuration. */
export const MAX_NR_ZONES: number = 5;

/** Largest buddy block: 2^10 pages, 4 MiB. Zones are whole blocks. */
export const MAX_PAGE_ORDER: number = 10;

/** One populated zone of a node. */
export interface ZoneConfig {
  /** Kernel zone id, 0..4. */
  readonly zone: number;
  /** Size in pages, a multiple of 1024. */
  readonly pages: number;
}

/** The populated zones of one node, in ascending zone id. */
export interface NodeConfig {
  readonly zones: readonly ZoneConfig[];
}

/** A zone as laid out in the frame space. */
export interface Zone {
  readonly node: number;
  readonly zone: number;
  /** First frame. */
  readonly start: number;
  /** One past the last frame. */
  readonly end: number;
}

/**
 * Lays the zones of all nodes out one after the other, from frame 0.
 * @throws RangeError for a size that is no multiple of 1024 pages, or a zone id out of order
 */
export function layOutZones(nodes: readonly NodeConfig[]): Zone[] {
  const zones: Zone[] = [];
  const block = 1 << MAX_PAGE_ORDER;
  let start = 0;
  for (const [node, config] of nodes.entries()) {
    let last = -1;
    for (const { zone, pages } of config.zones) {
      if (!Number.isInteger(zone) || zone <= last || zone >= MAX_NR_ZONES) {
        throw new RangeError(`node ${node}: zone ${zone} found, expected ascending ids in 0..4`);
      }
      if (!Number.isInteger(pages) || pages <= 0 || pages % block !== 0) {
        throw new RangeError(
          `node ${node}, zone ${ZONE_NAMES[zone]}: ${pages} pages found, expected a positive multiple of ${block}`,
        );
      }
      zones.push({ node, zone, start, end: start + pages });
      start += pages;
      last = zone;
    }
  }
  if (zones.length === 0) throw new RangeError("no populated zone found, expected at least one");
  return zones;
}
