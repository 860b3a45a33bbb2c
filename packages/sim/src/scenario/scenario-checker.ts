import type { Command, MemcgCommand, WorkerCommand } from "./command.ts";
import { SCENARIO_LIMITS } from "./limits.ts";
import { quoteWord, ScenarioError } from "./scenario-error.ts";

/** Something the scenario made under a name: where, and how many pages it has. */
interface Named {
  readonly line: number;
  readonly pages: number;
}

/** A worker while it lives, or the line of its `exit`. */
interface WorkerState {
  readonly line: number;
  readonly exitLine: number | null;
  /** Descriptor numbers that an `open` of this worker, or of the parent before the fork, set. */
  readonly fds: ReadonlySet<number>;
}

const NO_FDS: ReadonlySet<number> = new Set();

/** `a` or `a, b and c`, for messages. */
function listed(names: Iterable<string>, none: string): string {
  const all = [...names];
  if (all.length === 0) return none;
  return all.length === 1 ? `${all[0]}` : `${all.slice(0, -1).join(", ")} or ${all.at(-1)}`;
}

/** What is known before the run, command by command. One per scenario. */
export class ScenarioChecker {
  /** Counts every change of what is known; equal before and after means nothing changed. */
  changes = 0;
  readonly #fileName: string;
  readonly #regions: Map<string, Named> = new Map();
  readonly #files: Map<string, Named> = new Map();
  readonly #workers: Map<string, WorkerState> = new Map();
  readonly #memcgs: Set<string> = new Set(["t"]);
  #workersMade = 0;
  #filesMade = 0;
  /** A limit was set that may bring the OOM killer: a name may then be free again. */
  #mayHaveKilled = false;

  constructor(fileName: string) {
    this.#fileName = fileName;
    this.#makeWorker("w0", 0, NO_FDS);
  }

  /** Checks `command` against everything before it and takes it in. @throws ScenarioError */
  check(command: Command): void {
    if ("worker" in command) {
      this.#checkWorkerCommand(command);
      return;
    }
    switch (command.op) {
      case "proc":
        this.#makeWorker(command.name, command.line, NO_FDS);
        break;
      case "mkcg":
      case "rmcg":
      case "use":
        this.#checkMemcgCommand(command);
        break;
      case "file":
        this.#makeFile(command.file, command.line, command.pages);
        break;
      case "cg":
      case "write":
        if (!this.#mayHaveKilled) this.changes++;
        this.#mayHaveKilled = true;
        break;
      default:
        // The other controller commands name nothing that the scenario makes.
        break;
    }
  }

  #checkWorkerCommand(command: WorkerCommand): void {
    const worker = this.#worker(command.worker, command.line);
    switch (command.op) {
      case "anon":
        this.#makeRegion(command.region, command.line, command.pages);
        break;
      case "shm":
        this.#makeRegion(command.region, command.line, command.pages);
        this.#countFile(command.line);
        break;
      case "map":
        this.#makeRegion(
          command.region,
          command.line,
          this.#file(command.file, command.line).pages,
        );
        break;
      case "touch": {
        const last = command.count - 1 - ((command.count - 1) % command.step);
        this.#checkRange(command, command.count === 0 ? 0 : last + 1);
        break;
      }
      case "kvmtouch":
        this.#checkRange(command, command.count);
        break;
      case "madvise":
      case "mlock":
      case "munlock":
      case "unmap":
        this.#checkSpan(command);
        break;
      case "open":
        this.#file(command.file, command.line);
        this.#openFd(command.worker, worker, command.fd);
        break;
      case "read":
      case "pwrite":
      case "fadvise":
      case "fsync":
        this.#checkFd(command.worker, worker, command.fd, command.line);
        break;
      case "fork":
        this.#makeWorker(command.child, command.line, worker.fds);
        break;
      case "exit":
        this.#workers.set(command.worker, { ...worker, exitLine: command.line });
        this.changes++;
        break;
      case "move":
        this.#memcg(command.path, command.line);
        break;
      case "nop":
      case "prefer":
        break;
    }
  }

  /** Whether the kernel lets it be removed is seen when it runs; a name is free again from then on. */
  #checkMemcgCommand({ op, path, line }: MemcgCommand): void {
    if (op !== "mkcg") {
      this.#memcg(path, line);
      return;
    }
    const slash = path.lastIndexOf("/");
    if (slash > 0) this.#memcg(path.slice(0, slash), line);
    const { memcgsMax } = SCENARIO_LIMITS;
    if (this.#memcgs.size === memcgsMax && !this.#memcgs.has(path)) {
      this.#fail(line, "one memcg more", `at most ${memcgsMax}, t included`);
    }
    if (!this.#memcgs.has(path)) this.changes++;
    this.#memcgs.add(path);
  }

  #memcg(path: string, line: number): void {
    if (this.#memcgs.has(path)) return;
    this.#fail(
      line,
      `memcg ${quoteWord(path)}`,
      `a memcg made before: ${listed(this.#memcgs, "")}`,
    );
  }

  #fail(line: number, found: string, expected: string): never {
    throw new ScenarioError(this.#fileName, line, found, expected);
  }

  #worker(name: string, line: number): WorkerState {
    const worker = this.#workers.get(name);
    if (worker === undefined) {
      const known = listed(this.#workers.keys(), "");
      this.#fail(line, `worker ${quoteWord(name)}`, `a worker made before: ${known}`);
    }
    if (worker.exitLine !== null) {
      const found = `worker ${name}, which exited at line ${worker.exitLine}`;
      this.#fail(line, found, "a worker that still runs");
    }
    return worker;
  }

  #file(name: string, line: number): Named {
    const file = this.#files.get(name);
    if (file === undefined) {
      const known = listed(this.#files.keys(), "none was made");
      this.#fail(line, `file ${quoteWord(name)}`, `a file made before: ${known}`);
    }
    return file;
  }

  #region(name: string, line: number): Named {
    const region = this.#regions.get(name);
    if (region === undefined) {
      const known = listed(this.#regions.keys(), "none was made");
      this.#fail(line, `region ${quoteWord(name)}`, `a region made before: ${known}`);
    }
    return region;
  }

  /** `span` pages from `first` on must lie inside the region. */
  #checkRange(command: { region: string; first: number; line: number }, span: number): void {
    const { region, first, line } = command;
    const { pages } = this.#region(region, line);
    if (first + span > pages) {
      const found = span === 0 ? `page ${first}` : `pages ${first} to ${first + span - 1}`;
      this.#fail(line, found, `pages 0 to ${pages - 1} of region ${region}`);
    }
  }

  /** What runs beyond a region gets its errno from the kernel, unless it reaches the next one's place. */
  #checkSpan({
    region,
    first,
    count,
    line,
  }: {
    region: string;
    first: number;
    count: number;
    line: number;
  }): void {
    this.#region(region, line);
    if (first + count > SCENARIO_LIMITS.pagesMax) {
      const found = `pages ${first} to ${first + count - 1}`;
      this.#fail(
        line,
        found,
        `pages within the ${SCENARIO_LIMITS.pagesMax} that a region may have`,
      );
    }
  }

  #checkFd(name: string, worker: WorkerState, fd: number, line: number): void {
    if (worker.fds.has(fd)) return;
    const open = listed([...worker.fds].map(String), "none is open");
    this.#fail(line, `descriptor ${fd} of ${name}`, `a descriptor opened before: ${open}`);
  }

  #openFd(name: string, worker: WorkerState, fd: number): void {
    if (worker.fds.has(fd)) return;
    this.#workers.set(name, { ...worker, fds: new Set([...worker.fds, fd]) });
    this.changes++;
  }

  #makeRegion(name: string, line: number, pages: number): void {
    const same = this.#regions.get(name);
    if (same !== undefined) this.#failTwice("region", name, same.line, line);
    if (this.#regions.size === SCENARIO_LIMITS.regionsMax) {
      this.#fail(line, "one region more", `at most ${SCENARIO_LIMITS.regionsMax} regions`);
    }
    this.#regions.set(name, { line, pages });
    this.changes++;
  }

  #makeFile(name: string, line: number, pages: number): void {
    const same = this.#files.get(name);
    if (same !== undefined) this.#failTwice("file", name, same.line, line);
    this.#countFile(line);
    this.#files.set(name, { line, pages });
  }

  #countFile(line: number): void {
    const { filesMax } = SCENARIO_LIMITS;
    if (this.#filesMade === filesMax) {
      this.#fail(line, "one file more", `at most ${filesMax} files and shm regions`);
    }
    this.#filesMade++;
    this.changes++;
  }

  #makeWorker(name: string, line: number, fds: ReadonlySet<number>): void {
    const same = this.#workers.get(name);
    if (same !== undefined && same.exitLine === null && !this.#mayHaveKilled) {
      this.#failTwice("worker", name, same.line, line);
    }
    const { workersMax } = SCENARIO_LIMITS;
    if (this.#workersMade === workersMax) {
      this.#fail(line, "one worker more", `at most ${workersMax} workers, w0 included`);
    }
    this.#workersMade++;
    this.#workers.set(name, { line, exitLine: null, fds });
    this.changes++;
  }

  #failTwice(what: string, name: string, before: number, line: number): never {
    const where = before === 0 ? "which is there from the start" : `made at line ${before}`;
    this.#fail(line, `${what} ${quoteWord(name)} again, ${where}`, `a new ${what} name`);
  }
}
