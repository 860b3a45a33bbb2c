import { EBUSY, EEXIST, ENOENT, type Memcg } from "@lrugen/mm-core";
import type { MemcgCommand } from "../scenario/command.ts";
import type { Guest, Worker } from "./guest.ts";

/**
 * `mkcg`, `rmcg` and `use`: the cgroup tree below the root.
 * @returns 0 or a negative errno
 */
export function memcgCommand(guest: Guest, { op, path }: MemcgCommand): number {
  if (op === "mkcg") return makeMemcg(guest, path);
  const memcg = guest.memcgs.get(path);
  if (memcg === undefined) return -ENOENT;
  if (op === "use") {
    guest.memcg = memcg;
    return 0;
  }
  return removeMemcg(guest, path, memcg);
}

/** `move`: a memcg that hands its controllers down may hold no processes. */
export function moveWorker(guest: Guest, worker: Worker, path: string): number {
  const memcg = guest.memcgs.get(path);
  if (memcg === undefined) return -ENOENT;
  if (guest.handingDown.has(path)) return -EBUSY;
  guest.move(worker.mm, memcg);
  return 0;
}

/** mkdir(), after the parent was told to hand the memory controller down. */
function makeMemcg(guest: Guest, path: string): number {
  const { memory } = guest.system;
  const slash = path.lastIndexOf("/");
  const parent = slash < 0 ? memory.root : guest.memcgs.get(path.slice(0, slash));
  if (parent === undefined) return -ENOENT;
  if (slash > 0) {
    if (isPopulated(guest, parent)) return -EBUSY;
    guest.handingDown.add(path.slice(0, slash));
  }
  if (guest.memcgs.has(path)) return -EEXIST;
  const name = path.slice(slash + 1);
  const id = guest.nextMemcgId;
  guest.memcgs.set(path, guest.system.paging.createMemcg(guest.controller, parent, id, name));
  return 0;
}

/** rmdir(), and what the kernel does about it a little later. */
function removeMemcg(guest: Guest, path: string, memcg: Memcg): number {
  if (isPopulated(guest, memcg)) return -EBUSY;
  const error = guest.system.paging.removeMemcg(guest.controller, memcg);
  if (error !== 0) return error;
  guest.memcgs.delete(path);
  guest.handingDown.delete(path);
  guest.sleep(OFFLINE_MS);
  return 0;
}

/** How long the harness waits for the work queue that takes a memcg offline. */
const OFFLINE_MS = 100;

function isPopulated(guest: Guest, memcg: Memcg): boolean {
  return guest.workers.some(({ mm }) => mm.memcg === memcg);
}
