export { Charge } from "./charge.ts";
export { CHARGE_FULL, CHARGE_NORETRY, CHARGE_NOWAIT } from "./charge-kind.ts";
export { MemcgLimits } from "./limits.ts";
export { MemcgOom, type OomKill } from "./memcg-oom.ts";
export { MEMCG_CHARGE_BATCH } from "./page-stock.ts";
