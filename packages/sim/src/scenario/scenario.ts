import type { Command } from "./command.ts";

/** The `#! key=value` lines. The model honours `smp`, `mem`, `numa` and `append=movablecore=SIZE`; the rest is for the real guest. */
export interface ScenarioOptions {
  /** CPUs, default 1. */
  readonly smp: number;
  /** Bytes of RAM, default 1 GiB. */
  readonly memBytes: number;
  /** Bytes of that in zone Movable, default 0. */
  readonly movableBytes: number;
  /** Nodes, the memory in equal parts, every CPU on node 0; default 1. */
  readonly numa: number;
  /** Every key as written, the last value of each. */
  readonly all: ReadonlyMap<string, string>;
}

/** One line of a scenario that is a command. */
export interface CommandNode {
  readonly kind: "command";
  readonly line: number;
  /** The line without leading blanks and line end, before `$i` is replaced. */
  readonly text: string;
  /** Whether `text` holds `$i` and differs from one iteration to the next. */
  readonly counted: boolean;
  /** The command, with 0 for `$i`. */
  readonly command: Command;
}

/** `repeat N` … `end`. */
export interface RepeatNode {
  readonly kind: "repeat";
  readonly line: number;
  readonly count: number;
  readonly body: readonly ScenarioNode[];
}

export type ScenarioNode = CommandNode | RepeatNode;

/** A scenario file, parsed. */
export interface Scenario {
  /** As given to `parseScenario`; for messages. */
  readonly fileName: string;
  readonly options: ScenarioOptions;
  readonly lines: readonly ScenarioNode[];
}
