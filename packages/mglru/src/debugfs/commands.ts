import type { Cpu } from "@lrugen/hardware";
import {
  EEXIST,
  EINVAL,
  type Lruvec,
  type Memcg,
  type Memory,
  ScanControl,
  Task,
} from "@lrugen/mm-core";
import type { Aging } from "../aging/aging.ts";
import { LruGenMmWalk } from "../aging/mm-walk.ts";
import type { Eviction } from "../eviction/eviction.ts";
import { evictableMinSeq, SWAPPINESS_ANON_ONLY } from "../generation/generation.ts";
import { kstrtouint } from "../switch/kstrto.ts";
import { type LruGenCommand, parseCommand, splitCommands } from "./command-syntax.ts";

/** CONST-07: folios one batch may look at (CMD-08). */
const MAX_LRU_BATCH = 4096;

/**
 * Writes to /sys/kernel/debug/lru_gen.
 * Source: CMD-01..11; mm/vmscan.c:lru_gen_seq_write, run_cmd, run_aging, run_eviction.
 */
export class LruGenDebugfs {
  private readonly memory: Memory;
  private readonly aging: Aging;
  private readonly eviction: Eviction;
  private readonly swappinessOf: (memcg: Memcg) => number;
  private readonly walk: LruGenMmWalk = new LruGenMmWalk();

  /** @param swappinessOf effective swappiness of a memcg when a command names none (TRIG-02) */
  constructor(
    memory: Memory,
    aging: Aging,
    eviction: Eviction,
    swappinessOf: (memcg: Memcg) => number,
  ) {
    this.memory = memory;
    this.aging = aging;
    this.eviction = eviction;
    this.swappinessOf = swappinessOf;
  }

  /**
   * Runs every command of one write, left to right, up to the first that fails.
   * @returns the byte count, or a negative errno; earlier effects stay (CMD-02)
   */
  write(cpu: Cpu, text: string): number {
    const commands = splitCommands(text);
    if (commands.length === 0) return -EINVAL;
    for (const command of commands) {
      const error = this.runCommand(cpu, command);
      if (error !== 0) return error;
    }
    return text.length; // what is not ASCII has failed
  }

  /** run_cmd(): the checks in their order, all of them EINVAL (CMD-06). */
  private runCommand(cpu: Cpu, text: string): number {
    const command = parseCommand(text);
    if (command === null) return -EINVAL;
    const given = command.swappiness === null ? null : parseSwappiness(command.swappiness);
    if (given === undefined) return -EINVAL;
    if (command.node >= this.memory.nrNodes) return -EINVAL;
    const memcg =
      command.memcgId <= BigInt(Number.MAX_SAFE_INTEGER)
        ? this.memory.memcgById(Number(command.memcgId))
        : undefined;
    if (memcg === undefined) return -EINVAL;
    const swappiness = given ?? this.swappinessOf(memcg);
    if (swappiness > SWAPPINESS_ANON_ONLY) return -EINVAL;
    const lruvec = memcg.lruvecs[command.node] as Lruvec;
    if (command.verb === "+") return this.runAging(cpu, lruvec, command, swappiness);
    if (command.verb === "-") return this.runEviction(cpu, lruvec, command, swappiness);
    return -EINVAL;
  }

  /** run_aging(): `seq` is only an upper check, aging goes on from max_seq (CMD-07). */
  private runAging(cpu: Cpu, lruvec: Lruvec, command: LruGenCommand, swappiness: number): number {
    const { maxSeq } = lruvec.lrugen;
    if (command.seq > BigInt(maxSeq)) return -EINVAL;
    const force = command.option !== 0n;
    return this.aging.tryToIncMaxSeq(cpu, lruvec, maxSeq, swappiness, force, this.walk)
      ? 0
      : -EEXIST;
  }

  /**
   * run_eviction(): batches of the oldest generation until enough is freed, nothing is left, or no
   * generation up to `seq`. Neither ages nor drains; what it cannot free is no error (CMD-08..10).
   */
  private runEviction(
    cpu: Cpu,
    lruvec: Lruvec,
    command: LruGenCommand,
    swappiness: number,
  ): number {
    const { lrugen } = lruvec;
    // The sum of the kernel's 64 bits wraps: the two largest numbers pass (seen on 7.3.4).
    if (BigInt.asUintN(64, command.seq + 2n) > BigInt(lrugen.maxSeq)) return -EINVAL;
    const seq = Number(command.seq);
    const task = new Task(cpu, null);
    task.reclaiming = true;
    const nrToReclaim = Number(command.option);
    const sc = new ScanControl(task, { nrToReclaim, targetMemcg: lruvec.memcg, proactive: true });
    sc.priority = 0;
    sc.policyWalk = this.walk;
    while (seq >= evictableMinSeq(lrugen.minSeq, swappiness) && sc.nrReclaimed < nrToReclaim) {
      const nr = Math.min(nrToReclaim - sc.nrReclaimed, MAX_LRU_BATCH);
      if (this.eviction.evictFolios(nr, lruvec, sc, swappiness) === 0) break;
    }
    return 0;
  }
}

/** The swappiness word: `max` or a number (CMD-04). @returns undefined when malformed */
function parseSwappiness(token: string): number | undefined {
  return token === "max" ? SWAPPINESS_ANON_ONLY : (kstrtouint(token) ?? undefined);
}
