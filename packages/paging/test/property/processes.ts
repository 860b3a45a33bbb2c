import type { Mm, Task } from "@lrugen/mm-core";
import type { Machine } from "../machine.ts";

/** A process of a random history. */
export interface Process {
  readonly task: Task;
  /** Bytes of its private pages that it wrote; all others read 0. */
  readonly written: Map<number, number>;
}

/** Processes at a time. */
export const MAX_PROCESSES = 3;

/** fork(): a child that knows what its parent wrote; nothing when there are enough. */
export function forkProcess(machine: Machine, processes: Process[], parent: Process): void {
  if (processes.length === MAX_PROCESSES) return;
  const task = machine.task(processes.length % 2);
  machine.paging.fork(parent.task.mm as Mm, task.mm as Mm);
  processes.push({ task, written: new Map(parent.written) });
}

/** exit() of the process at an index. */
export function exitProcess(machine: Machine, processes: Process[], at: number): void {
  const [who] = processes.splice(at, 1);
  const mm = who!.task.mm as Mm;
  machine.mms.splice(machine.mms.indexOf(mm), 1);
  machine.paging.exitMm(who!.task, mm);
}
