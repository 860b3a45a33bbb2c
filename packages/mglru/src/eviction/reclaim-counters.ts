import { type ScanControl, vmstatId } from "@lrugen/mm-core";

type Reclaimer = ScanControl["reclaimer"];

/** pgscan_* by who reclaims (EVT-25). */
export const PGSCAN_BY: Readonly<Record<Reclaimer, number>> = {
  kswapd: vmstatId("pgscan_kswapd"),
  direct: vmstatId("pgscan_direct"),
  proactive: vmstatId("pgscan_proactive"),
};
/** pgsteal_* by who reclaims (EVT-46). */
export const PGSTEAL_BY: Readonly<Record<Reclaimer, number>> = {
  kswapd: vmstatId("pgsteal_kswapd"),
  direct: vmstatId("pgsteal_direct"),
  proactive: vmstatId("pgsteal_proactive"),
};
/** pgscan_anon, pgscan_file by type. */
export const PGSCAN_ANON: number = vmstatId("pgscan_anon");
/** pgsteal_anon, pgsteal_file by type. */
export const PGSTEAL_ANON: number = vmstatId("pgsteal_anon");
/** pgrotate_anon, pgrotate_file by type. */
export const PGROTATE_ANON: number = vmstatId("pgrotate_anon");
/** pgskip_dma and its neighbours by zone. */
export const PGSKIP_DMA: number = vmstatId("pgskip_dma");
export const PGREFILL: number = vmstatId("pgrefill");
