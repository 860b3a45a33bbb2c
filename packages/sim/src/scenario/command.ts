/**
 * The commands of the scenario language, one interface each. Indices and counts are pages of 4 KiB
 * unless a field says otherwise.
 */

/** What every command carries. */
interface CommandBase {
  /** The line as the dump prints it: leading blanks gone, `$i` replaced, trailing blanks kept. */
  readonly cmd: string;
  /** 1-based line of the scenario file. */
  readonly line: number;
}

/** A command that runs in a worker process of the scenario memcg. */
interface WorkerCommandBase extends CommandBase {
  /** The worker's name: the `@NAME` prefix, or w0. */
  readonly worker: string;
}

/** A range of pages of a region. */
interface RegionRange extends WorkerCommandBase {
  readonly region: string;
  readonly first: number;
  readonly count: number;
}

/** Folio sizes that have a per-size THP switch. */
export const THP_SIZES = [
  "16kB",
  "32kB",
  "64kB",
  "128kB",
  "256kB",
  "512kB",
  "1024kB",
  "2048kB",
] as const;

/** A per-size THP switch; `never` turns every size off. */
export type ThpSize = (typeof THP_SIZES)[number];

export const MADVISE_ADVICE = [
  "normal",
  "random",
  "sequential",
  "willneed",
  "dontneed",
  "free",
  "hugepage",
  "nohugepage",
  "cold",
  "pageout",
  "populate_read",
  "populate_write",
  "collapse",
] as const;

/** madvise(2) advice, the MADV_ name in lower case. */
export type MadviseAdvice = (typeof MADVISE_ADVICE)[number];

export const FADVISE_ADVICE = [
  "normal",
  "random",
  "sequential",
  "willneed",
  "dontneed",
  "noreuse",
] as const;

/** posix_fadvise(3) advice, the POSIX_FADV_ name in lower case. */
export type FadviseAdvice = (typeof FADVISE_ADVICE)[number];

/** `anon NAME PAGES [thp=…]` maps private anonymous memory, `shm` shared (shmem). */
export interface AnonCommand extends WorkerCommandBase {
  readonly op: "anon" | "shm";
  readonly region: string;
  readonly pages: number;
  /** `thp=`: enable only this size and set VM_HUGEPAGE; never: VM_NOHUGEPAGE; null: not given. */
  readonly thp: ThpSize | "never" | null;
}

/** `map NAME FILE [r|rw|rx] [shared|private]`. */
export interface MapCommand extends WorkerCommandBase {
  readonly op: "map";
  readonly region: string;
  readonly file: string;
  readonly prot: "r" | "rw" | "rx";
  readonly shared: boolean;
}

/** `touch NAME first count r|w [step]`: one byte of every step-th page. */
export interface TouchCommand extends RegionRange {
  readonly op: "touch";
  readonly write: boolean;
  readonly step: number;
}

/** `kvmtouch NAME first count r|w`: the same from inside a nested guest. */
export interface KvmTouchCommand extends RegionRange {
  readonly op: "kvmtouch";
  readonly write: boolean;
}

/** `open FD FILE`. */
export interface OpenCommand extends WorkerCommandBase {
  readonly op: "open";
  readonly fd: number;
  readonly file: string;
}

/** `read FD first count [bytes]`, `pwrite …`: one pread or pwrite of `bytes` bytes per page. */
export interface IoCommand extends WorkerCommandBase {
  readonly op: "read" | "pwrite";
  readonly fd: number;
  readonly first: number;
  readonly count: number;
  readonly bytes: number;
}

/** `fadvise FD advice first count`; count 0 is to the end of the file. */
export interface FadviseCommand extends WorkerCommandBase {
  readonly op: "fadvise";
  readonly fd: number;
  readonly advice: FadviseAdvice;
  readonly first: number;
  readonly count: number;
}

/** `fsync FD`. */
export interface FsyncCommand extends WorkerCommandBase {
  readonly op: "fsync";
  readonly fd: number;
}

/** `madvise NAME advice first count`. */
export interface MadviseCommand extends RegionRange {
  readonly op: "madvise";
  readonly advice: MadviseAdvice;
}

/** `mlock|munlock|unmap NAME first count`. */
export interface RangeCommand extends RegionRange {
  readonly op: "mlock" | "munlock" | "unmap";
}

/** `nop` only schedules the worker; `exit` ends it. */
export interface BareWorkerCommand extends WorkerCommandBase {
  readonly op: "nop" | "exit";
}

/** `fork NAME`: the worker's child. */
export interface ForkCommand extends WorkerCommandBase {
  readonly op: "fork";
  readonly child: string;
}

export type WorkerCommand =
  | AnonCommand
  | MapCommand
  | TouchCommand
  | KvmTouchCommand
  | OpenCommand
  | IoCommand
  | FadviseCommand
  | FsyncCommand
  | MadviseCommand
  | RangeCommand
  | BareWorkerCommand
  | ForkCommand
  | MoveCommand
  | PreferCommand;

/** `move PATH`: the worker goes to another memcg; what it is charged for stays where it was. */
export interface MoveCommand extends WorkerCommandBase {
  readonly op: "move";
  /** From the root, without a leading slash. */
  readonly path: string;
}

/** `prefer NODE`: the worker's pages come from that node as long as it has some. */
export interface PreferCommand extends WorkerCommandBase {
  readonly op: "prefer";
  readonly node: number;
}

/** `proc NAME`: a new worker that shares nothing. */
export interface ProcCommand extends CommandBase {
  readonly op: "proc";
  readonly name: string;
}

/** `file NAME PAGES`: a file on disk, none of it cached. */
export interface FileCommand extends CommandBase {
  readonly op: "file";
  readonly file: string;
  readonly pages: number;
}

/** `mkcg PATH`, `rmcg PATH`: makes or removes a memcg; `use PATH`: other commands are about it from here on. */
export interface MemcgCommand extends CommandBase {
  readonly op: "mkcg" | "rmcg" | "use";
  /** From the root, without a leading slash; the first one is `t`. */
  readonly path: string;
}

/** `thp SIZE|never`: enable only this folio size. */
export interface ThpCommand extends CommandBase {
  readonly op: "thp";
  readonly size: ThpSize | "never";
}

/** `age`, `evict`, `raw`, `rawfrom`: a write to debugfs lru_gen. */
export interface LruGenCommand extends CommandBase {
  readonly op: "age" | "evict" | "raw" | "rawfrom";
  /** The string to write once `substituteLruGen` has filled it in. */
  readonly template: string;
}

/** `reclaim BYTES [swappiness=N]`: the string for memory.reclaim, as it stands on the line. */
export interface ReclaimCommand extends CommandBase {
  readonly op: "reclaim";
  readonly value: string;
}

/** `cg FILE VALUE`: a file of the scenario cgroup; `write PATH VALUE`: any file. */
export interface WriteCommand extends CommandBase {
  readonly op: "cg" | "write";
  readonly path: string;
  readonly value: string;
}

/** `enabled V` and `min_ttl N`: the sysfs files of MGLRU. */
export interface SysfsCommand extends CommandBase {
  readonly op: "enabled" | "min_ttl";
  readonly value: string;
}

/** `cat PATH`. */
export interface CatCommand extends CommandBase {
  readonly op: "cat";
  readonly path: string;
}

/** `sleep MS`. */
export interface SleepCommand extends CommandBase {
  readonly op: "sleep";
  readonly ms: number;
}

/** `module NAME`: loads a kernel module (irqbypass, kvm, kvm-amd). */
export interface ModuleCommand extends CommandBase {
  readonly op: "module";
  readonly name: string;
}

/** `dump LABEL [sizes]`, `dumpnode N LABEL [sizes]`; `sizes` leaves lists, batches and regions out. */
export interface DumpCommand extends CommandBase {
  readonly op: "dump" | "dumpnode";
  /** Whose lists; `dump` is about node 0. */
  readonly node: number;
  readonly label: string;
  readonly sizes: boolean;
}

/** `text LABEL`: lru_gen and lru_gen_full of the scenario memcg. */
export interface TextCommand extends CommandBase {
  readonly op: "text";
  readonly label: string;
}

/** `drain` empties this CPU's folio batches; `stat` prints memory.stat after 2.6 s. */
export interface BareControllerCommand extends CommandBase {
  readonly op: "drain" | "stat";
}

export type ControllerCommand =
  | ProcCommand
  | FileCommand
  | MemcgCommand
  | ThpCommand
  | LruGenCommand
  | ReclaimCommand
  | WriteCommand
  | SysfsCommand
  | CatCommand
  | SleepCommand
  | ModuleCommand
  | DumpCommand
  | TextCommand
  | BareControllerCommand;

/** One concrete command, told apart by `op`. */
export type Command = WorkerCommand | ControllerCommand;
