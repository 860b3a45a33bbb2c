/** Bits of the eviction token that are kept. */
const TOKEN_BITS = 30;
const NODE_BITS = 6;
const MEMCG_BITS = 16;
/** Tokens below this number are kept whole: 2^28 generations of a lruvec, or 4 TiB of evictions. */
export const SHADOW_TOKENS: number = 2 ** TOKEN_BITS;
const NODES = 2 ** NODE_BITS;
const MEMCGS = 2 ** MEMCG_BITS;

/**
 * What is remembered of an evicted folio, packed into one integer below 2^53, never 0: low bit first,
 * workingset, node, private id of the memcg, token. The kernel has 31 or 36 bits for the token (its
 * xarray values are 63 bits wide), so that a sequence number wraps there after 2^29 or 2^34
 * generations, here after 2^28.
 *
 * Both policies use the same format, and read each other's shadows after a switch.
 * Source: RFT-01, WS-03; mm/workingset.c:pack_shadow, unpack_shadow.
 */
export interface Shadow {
  readonly privateId: number;
  readonly node: number;
  /** Multi-gen LRU: min_seq of the type and accesses (RFT-02); classic LRU: nonresident age (WS-02). */
  readonly token: number;
  readonly workingset: boolean;
}

/**
 * pack_shadow().
 * @param privateId of a memcg, at least 1
 */
export function packShadow(
  privateId: number,
  node: number,
  token: number,
  workingset: boolean,
): number {
  const place = (token % SHADOW_TOKENS) * MEMCGS + (privateId % MEMCGS);
  return (place * NODES + node) * 2 + (workingset ? 1 : 0);
}

/** unpack_shadow(). */
export function unpackShadow(shadow: number): Shadow {
  const place = Math.floor(shadow / (2 * NODES));
  return {
    workingset: shadow % 2 === 1,
    node: Math.floor(shadow / 2) % NODES,
    privateId: place % MEMCGS,
    token: Math.floor(place / MEMCGS),
  };
}
