import { NotModelledError } from "@lrugen/mm-core";
import type { ControllerCommand } from "../scenario/command.ts";
import { substituteLruGen } from "../scenario/lru-gen-template.ts";
import { setThpSize } from "./thp.ts";
import type { Guest } from "./guest.ts";
import { LRU_GEN_FILE, writeGuestFile } from "./guest-files.ts";
import { memcgCommand } from "./memcg-tree.ts";
import { writeMemcgFile } from "./memcg-files.ts";

/**
 * Carries out a command of the controller that returns a number.
 * @returns 0, bytes written to debugfs, or a negative errno
 * @throws NotModelledError for what needs KVM, or a file the model does not have
 */
export function controllerCommand(guest: Guest, command: ControllerCommand): number {
  switch (command.op) {
    case "proc":
      guest.newWorker(command.name);
      return 0;
    case "mkcg":
    case "rmcg":
    case "use":
      return memcgCommand(guest, command);
    case "thp":
      setThpSize(guest, command.size);
      return 0;
    case "drain":
      guest.system.memory.batches.drain(guest.controller.cpu);
      return 0;
    case "age":
    case "evict":
    case "raw":
    case "rawfrom":
      return writeGuestFile(guest, LRU_GEN_FILE, fillIn(guest, command.template));
    case "enabled":
    case "min_ttl": {
      const file = command.op === "enabled" ? "enabled" : "min_ttl_ms";
      return errorOnly(writeGuestFile(guest, `/sys/kernel/mm/lru_gen/${file}`, command.value));
    }
    case "write":
      return errorOnly(writeGuestFile(guest, command.path, command.value));
    case "sleep":
      guest.sleep(command.ms);
      return 0;
    case "file":
      makeFile(guest, command.file, command.pages);
      return 0;
    case "reclaim":
      return errorOnly(writeMemcgFile(guest, guest.memcg, "memory.reclaim", command.value));
    case "cg":
      return errorOnly(writeMemcgFile(guest, guest.memcg, command.path, command.value));
    case "module":
      throw new NotModelledError("KVM (command `module`)");
    default:
      throw new Error(`controllerCommand: ${command.op} is not a command that returns a number`);
  }
}

/** A file written with O_DIRECT, none of it cached; the harness's fadvise drains this CPU's batches. */
function makeFile(guest: Guest, name: string, pages: number): void {
  const { memory } = guest.system;
  guest.files.set(name, memory.createFile({ name, pages }));
  memory.batches.drain(guest.controller.cpu);
}

function fillIn(guest: Guest, template: string): string {
  const { lrugen } = guest.memcg.lruvecs[0]!;
  return substituteLruGen(template, {
    id: guest.memcg.id,
    max: lrugen.maxSeq,
    mina: lrugen.minSeq[0] as number,
    minf: lrugen.minSeq[1] as number,
  });
}

/** The harness prints no byte count for sysfs and proc files. */
function errorOnly(result: number): number {
  return Math.min(result, 0);
}
