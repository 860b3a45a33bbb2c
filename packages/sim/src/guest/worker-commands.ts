import {
  EINVAL,
  EIO,
  ESRCH,
  type FileMapping,
  NotModelledError,
  OpenFile,
  VM_EXEC,
  VM_HUGEPAGE,
  VM_NOHUGEPAGE,
  VM_READ,
  VM_SHARED,
  VM_WRITE,
} from "@lrugen/mm-core";
import { FAULT_NONE, FAULT_OOM } from "@lrugen/paging";
import type {
  AnonCommand,
  Command,
  IoCommand,
  MapCommand,
  MoveCommand,
  TouchCommand,
  WorkerCommand,
} from "../scenario/command.ts";
import { EndlessFaultError } from "./endless-fault-error.ts";
import type { Guest, Region, Worker } from "./guest.ts";
import { moveWorker } from "./memcg-tree.ts";
import { setThpSize } from "./thp.ts";

const PAGE_BYTES = 4096;

const PROTECTION = { r: VM_READ, rw: VM_READ | VM_WRITE, rx: VM_READ | VM_EXEC } as const;

/** Whether a command runs in a worker process. */
export function isWorkerCommand(command: Command): command is WorkerCommand {
  return "worker" in command;
}

/**
 * Carries out a command in its worker. The worker is switched to, which sets its address space's
 * "used" bit.
 * @returns 0 or a negative errno
 * @throws NotModelledError for what needs KVM, or a fault that never ends
 */
export function workerCommand(guest: Guest, command: WorkerCommand): number {
  const worker = guest.worker(command.worker);
  if (worker === undefined) return -ESRCH;
  // The controller writes cgroup.procs: the worker does not run.
  if (command.op === "move") return moveWorker(guest, worker, command.path);
  guest.system.mglru.useMm(worker.mm);
  const { allocator } = guest.system.memory;
  guest.running = worker;
  allocator.localNode = worker.task.preferredNode;
  const result = execute(guest, worker, command);
  allocator.localNode = 0;
  guest.running = null;
  if (!worker.mm.oomVictim) return result;
  if (guest.workers.includes(worker)) guest.exit(worker);
  return -ESRCH;
}

function execute(
  guest: Guest,
  worker: Worker,
  command: Exclude<WorkerCommand, MoveCommand>,
): number {
  const { paging } = guest.system;
  switch (command.op) {
    case "nop":
      return 0;
    case "anon":
    case "shm":
      return mapAnon(guest, worker, command);
    case "map":
      return mapFile(guest, worker, command);
    case "open":
      openFd(guest, worker, command.fd, command.file);
      return 0;
    case "read":
    case "pwrite":
      return fileIo(guest, worker, command);
    case "fsync":
      return paging.fsync(worker.task, worker.fds.get(command.fd) as OpenFile);
    case "fadvise":
      return paging.fadvise(
        worker.task,
        worker.fds.get(command.fd) as OpenFile,
        command.first * PAGE_BYTES,
        command.count * PAGE_BYTES,
        command.advice,
      );
    case "touch":
      return touch(guest, worker, command);
    case "prefer":
      return preferNode(guest, worker, command.node);
    case "fork":
      guest.fork(worker, command.child);
      return 0;
    case "exit":
      guest.exit(worker);
      guest.sleep(20);
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
    default:
      return command satisfies never;
  }
}

/** set_mempolicy(MPOL_PREFERRED). */
function preferNode(guest: Guest, { task }: Worker, node: number): number {
  if (node >= guest.system.memory.nrNodes) return -EINVAL;
  task.preferredNode = node;
  return 0;
}

function startOf(guest: Guest, region: string, first: number): number {
  return (guest.region(region) as Region).start + first;
}

/** mmap() and, with `thp=`, the per-size switch and MADV_HUGEPAGE or MADV_NOHUGEPAGE. */
function mapAnon(guest: Guest, worker: Worker, command: AnonCommand): number {
  const { paging } = guest.system;
  const shared = command.op === "shm" ? VM_SHARED : 0;
  const advice = command.thp === null ? 0 : command.thp === "never" ? VM_NOHUGEPAGE : VM_HUGEPAGE;
  if (command.thp !== null && command.thp !== "never") setThpSize(guest, command.thp);
  const flags = VM_READ | VM_WRITE | shared | advice;
  const start = guest.nextRegionStart;
  const error = paging.mmapAnon(worker.mm, start, command.pages, flags);
  guest.newRegion(command.region, command.pages, fileAt(worker, start));
  return error;
}

/** The file behind an address, as /proc/PID/maps would tell. */
function fileAt(worker: Worker, vpn: number): FileMapping | null {
  const file = worker.mm.vmaAt(vpn)?.file;
  return file instanceof OpenFile ? file.mapping : null;
}

/** open(): what the number stood for before stays open, and lost, as in the harness. */
function openFd(guest: Guest, worker: Worker, fd: number, file: string): void {
  const { paging } = guest.system;
  worker.fds.set(fd, paging.openFile(guest.files.get(file) as FileMapping, worker.task));
}

/** open(), mmap(), close(). */
function mapFile(guest: Guest, worker: Worker, command: MapCommand): number {
  const { paging } = guest.system;
  const file = guest.files.get(command.file) as FileMapping;
  const { start } = guest.newRegion(command.region, file.pages, file);
  const flags = PROTECTION[command.prot] | (command.shared ? VM_SHARED : 0);
  const openFile = paging.openFile(file, worker.task);
  const error = paging.mmapFile(worker.mm, start, file.pages, flags, openFile, 0);
  paging.closeFile(worker.task, openFile);
  return error;
}

/** One pread() or pwrite() a page, from its first byte; a short one is an EIO to the harness. */
function fileIo(guest: Guest, worker: Worker, command: IoCommand): number {
  const { paging } = guest.system;
  const file = worker.fds.get(command.fd) as OpenFile;
  for (let page = command.first; page < command.first + command.count; page++) {
    const at = page * PAGE_BYTES;
    const done =
      command.op === "read"
        ? paging.readFile(worker.task, file, at, command.bytes)
        : paging.writeFile(worker.task, file, at, command.bytes);
    if (done !== command.bytes) return done < 0 ? done : -EIO;
  }
  return 0;
}

/**
 * One byte a page, for writes the page's number in the command plus 1; a fault that cannot be served
 * kills the worker.
 */
function touch(guest: Guest, worker: Worker, command: TouchCommand): number {
  const { paging } = guest.system;
  const start = startOf(guest, command.region, command.first);
  for (let i = 0; i < command.count; i += command.step) {
    const result = command.write
      ? paging.store(worker.task, start + i, (i + 1) % 256)
      : paging.access(worker.task, start + i, false);
    if (worker.mm.oomVictim) return -ESRCH;
    if (result === FAULT_NONE) continue;
    if (result === FAULT_OOM) throw new EndlessFaultError();
    guest.exit(worker);
    return -ESRCH;
  }
  return 0;
}
