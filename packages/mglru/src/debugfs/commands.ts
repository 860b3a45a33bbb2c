import type { Cpu } from "@lrugen/hardware";
import {
  EEXIST,
  EINVAL,
  type Lruvec,
  type Memcg,
  type Memory,
  NotModelledError,
} from "@lrugen/mm-core";
import type { Aging } from "../aging/aging.ts";
import { LruGenMmWalk } from "../aging/mm-walk.ts";
import { SWAPPINESS_ANON_ONLY } from "../generation/generation.ts";
import { kstrtouint } from "../switch/kstrto.ts";
import { type LruGenCommand, parseCommand, splitCommands } from "./command-syntax.ts";

/**
 * Writes to /sys/kernel/debug/lru_gen.
 * Source: CMD-01..11; mm/vmscan.c:lru_gen_seq_write, run_cmd, run_aging.
 */
export class LruGenDebugfs {
  private readonly memory: Memory;
  private readonly aging: Aging;
  private readonly swappinessOf: (memcg: Memcg) => number;
  private readonly walk: LruGenMmWalk = new LruGenMmWalk();

  /** @param swappinessOf effective swappiness of a memcg when a command names none (TRIG-02) */
  constructor(memory: Memory, aging: Aging, swappinessOf: (memcg: Memcg) => number) {
    this.memory = memory;
    this.aging = aging;
    this.swappinessOf = swappinessOf;
  }

  /**
   * Runs every command of one write, left to right, up to the first that fails.
   * @returns the byte count, or a negative errno; earlier effects stay (CMD-02)
   * @throws NotModelledError for a valid `-`, which needs eviction
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
    if (command.verb === "-") return runEviction(lruvec, command);
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
}

/** run_eviction(), as far as it goes without eviction: the check of seq (CMD-08). */
function runEviction(lruvec: Lruvec, command: LruGenCommand): number {
  if (command.seq + 2n > BigInt(lruvec.lrugen.maxSeq)) return -EINVAL;
  throw new NotModelledError("eviction (lru_gen command `-`)");
}

/** The swappiness word: `max` or a number (CMD-04). @returns undefined when malformed */
function parseSwappiness(token: string): number | undefined {
  return token === "max" ? SWAPPINESS_ANON_ONLY : (kstrtouint(token) ?? undefined);
}
