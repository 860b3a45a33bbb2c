import {
  ESRCH,
  NotModelledError,
  VM_HUGEPAGE,
  VM_NOHUGEPAGE,
  VM_READ,
  VM_WRITE,
} from "@lrugen/mm-core";
import { FAULT_NONE, FAULT_OOM } from "@lrugen/paging";
import type { AnonCommand, Command, TouchCommand, WorkerCommand } from "../scenario/command.ts";
import type { Guest, Region, Worker } from "./guest.ts";
import { setThpSize } from "./thp.ts";

/** Whether a command runs in a worker process. */
export function isWorkerCommand(command: Command): command is WorkerCommand {
  return "worker" in command;
}

/**
 * Carries out a command in its worker. The worker is switched to, which sets its address space's
 * "used" bit.
 * @returns 0 or a negative errno
 * @throws NotModelledError for what needs files, shmem, reclaim or KVM
 */
export function workerCommand(guest: Guest, command: WorkerCommand): number {
  const worker = guest.worker(command.worker);
  if (worker === undefined) return -ESRCH;
  const { paging, mglru } = guest.system;
  mglru.useMm(worker.mm);
  switch (command.op) {
    case "nop":
      return 0;
    case "anon":
      return mapAnon(guest, worker, command);
    case "touch":
      return touch(guest, worker, command);
    case "fork":
      guest.fork(worker, command.child);
      return 0;
    case "exit":
      guest.exit(worker);
      guest.system.memory.clock.sleep(20);
      return 0;
    case "mlock":
    case "munlock":
    case "unmap": {
      const start = startOf(guest, command.region, command.first);
      if (command.op === "mlock") return paging.mlock(worker.task, start, command.count);
      if (command.op === "munlock") return paging.munlock(worker.task, start, command.count);
      return paging.munmap(worker.task, start, command.count);
    }
    case "madvise": {
      const start = startOf(guest, command.region, command.first);
      return paging.madvise(worker.task, start, command.count, command.advice);
    }
    case "kvmtouch":
      throw new NotModelledError("KVM (command `kvmtouch`)");
    case "shm":
      throw new NotModelledError("shared memory (command `shm`)");
    case "map":
    case "open":
    case "read":
    case "pwrite":
    case "fadvise":
    case "fsync":
      throw new NotModelledError(`page cache (command \`${command.op}\`)`);
    default:
      return command satisfies never;
  }
}

function startOf(guest: Guest, region: string, first: number): number {
  return (guest.region(region) as Region).start + first;
}

/** mmap() and, with `thp=`, the per-size switch and MADV_HUGEPAGE or MADV_NOHUGEPAGE. */
function mapAnon(guest: Guest, worker: Worker, command: AnonCommand): number {
  if (command.op === "shm") throw new NotModelledError("shared memory (command `shm`)");
  const { paging } = guest.system;
  const { start } = guest.newRegion(command.region, command.pages);
  const advice = command.thp === null ? 0 : command.thp === "never" ? VM_NOHUGEPAGE : VM_HUGEPAGE;
  if (command.thp !== null && command.thp !== "never") setThpSize(guest, command.thp);
  return paging.mmapAnon(worker.mm, start, command.pages, VM_READ | VM_WRITE | advice);
}

/** One byte a page; a fault that cannot be served kills the worker. */
function touch(guest: Guest, worker: Worker, command: TouchCommand): number {
  const { paging } = guest.system;
  const start = startOf(guest, command.region, command.first);
  for (let i = 0; i < command.count; i += command.step) {
    const result = paging.access(worker.task, start + i, command.write);
    if (result === FAULT_NONE) continue;
    if (result === FAULT_OOM)
      throw new NotModelledError("reclaim (the machine's memory is used up)");
    guest.exit(worker);
    return -ESRCH;
  }
  return 0;
}
