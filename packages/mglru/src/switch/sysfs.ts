import type { Cpu } from "@lrugen/hardware";
import { EINVAL, JIFFY_MS } from "@lrugen/mm-core";
import {
  type LruGenCaps,
  formatEnabled,
  LRU_GEN_CORE,
  LRU_GEN_MM_WALK,
  LRU_GEN_NONLEAF_YOUNG,
} from "./caps.ts";
import type { StateSwitch } from "./change-state.ts";
import { kstrtouint } from "./kstrto.ts";

/** Milliseconds from here on mean "for ever" to the kernel's conversion to jiffies. */
const FOREVER_MS = 0x8000_0000;
/** MAX_JIFFY_OFFSET stands for 2^62 − 2 jiffies, which read back as this many ms modulo 2^32. */
const FOREVER_READS_MS = 4_294_967_288;

const ALL_BITS = LRU_GEN_CORE | LRU_GEN_MM_WALK | LRU_GEN_NONLEAF_YOUNG;

/**
 * The files of /sys/kernel/mm/lru_gen: contents as text with the final newline, writes as the byte
 * count or a negative errno.
 * Source: chapter 7.3, SYS-01..04; mm/vmscan.c.
 */
export class LruGenSysfs {
  /** min_ttl_ms in jiffies; Infinity for MAX_JIFFY_OFFSET. */
  minTtlJiffies = 0;
  private readonly caps: LruGenCaps;
  private readonly state: StateSwitch;

  constructor(caps: LruGenCaps, state: StateSwitch) {
    this.caps = caps;
    this.state = state;
  }

  /** Reads `enabled`. */
  readEnabled(): string {
    return `${formatEnabled(this.caps)}\n`;
  }

  /** Writes `enabled`: y, n, or a number whose unknown bits are ignored (SYS-01, SYS-02). */
  writeEnabled(cpu: Cpu, text: string): number {
    if (text.length === 0) return 0;
    const first = text[0] as string;
    const bits = /[nN]/.test(first) ? 0 : /[yY]/.test(first) ? ALL_BITS : kstrtouint(text);
    if (bits === null) return -EINVAL;
    this.state.changeState(cpu, (bits & LRU_GEN_CORE) !== 0);
    this.caps.mmWalk = (bits & LRU_GEN_MM_WALK) !== 0;
    this.caps.nonleafYoung = (bits & LRU_GEN_NONLEAF_YOUNG) !== 0;
    return text.length;
  }

  /** Reads `min_ttl_ms`, in ms. */
  readMinTtl(): string {
    const { minTtlJiffies } = this;
    return `${minTtlJiffies === Infinity ? FOREVER_READS_MS : minTtlJiffies * JIFFY_MS}\n`;
  }

  /** Writes `min_ttl_ms`; kept in jiffies, rounded up (SYS-03). */
  writeMinTtl(text: string): number {
    if (text.length === 0) return 0;
    const ms = kstrtouint(text);
    if (ms === null) return -EINVAL;
    this.minTtlJiffies = ms >= FOREVER_MS ? Infinity : Math.ceil(ms / JIFFY_MS);
    return text.length;
  }
}
