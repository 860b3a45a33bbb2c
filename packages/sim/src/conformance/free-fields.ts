import type { StepContext } from "./step-context.ts";

/** A number of a step that both sides have (0 where a counter is left out), and where it stands. */
export interface FreeFieldQuestion {
  /** Keys from the step down: `["dump", "procs", "w0", "minflt"]`. */
  readonly path: readonly string[];
  readonly expected: number;
  readonly actual: number;
  readonly context: StepContext;
}

/** One rule of what a result may differ in. */
export interface FreeField {
  readonly name: string;
  readonly title: string;
  /** Whether the rule allows `actual` in place of `expected` at this place. */
  readonly frees: (question: FreeFieldQuestion) => boolean;
}

const isVmstat = (path: readonly string[], ...keys: string[]): boolean =>
  path.length === 3 &&
  path[0] === "dump" &&
  path[1] === "vmstat_delta" &&
  keys.includes(path[2] as string);

const isMemoryStat = (path: readonly string[], key: string): boolean =>
  path.length === 2 && path[0] === "memory.stat" && path[1] === key;

/** Free field 4. */
export const kvmRunFaults: FreeField = {
  name: "kvmRunFaults",
  title: "minflt of a worker that has run a KVM guest: the kvm_run area faults too",
  frees: ({ path, context }) =>
    path.length === 4 &&
    path[0] === "dump" &&
    path[1] === "procs" &&
    path[3] === "minflt" &&
    context.kvmWorkers.has(path[2] as string),
};

/** Free field 6. */
export const lockedPagesOfDeadWorker: FreeField = {
  name: "lockedPagesOfDeadWorker",
  title:
    "unevictable_pgs_munlocked and _rescued from the first exit or OOM kill on: the worker's own locked pages",
  frees: ({ path, context }) =>
    context.workerGone && isVmstat(path, "unevictable_pgs_munlocked", "unevictable_pgs_rescued"),
};

/** Free field 7. */
export const shadowNodeReclaim: FreeField = {
  name: "shadowNodeReclaim",
  title:
    "workingset_nodereclaim, and workingset_nodes once that is non-zero: slab shrinker arithmetic",
  frees: ({ path, context }) =>
    isVmstat(path, "workingset_nodereclaim") ||
    isMemoryStat(path, "workingset_nodereclaim") ||
    (context.nodesReclaimed && isVmstat(path, "workingset_nodes")),
};

/** Free field 8. */
export const fileMetadataActivation: FreeField = {
  name: "fileMetadataActivation",
  title: "pgactivate, 1 more for each file made while MGLRU is off: filesystem metadata",
  frees: ({ path, expected, actual, context }) =>
    isVmstat(path, "pgactivate") &&
    expected - actual >= 0 &&
    expected - actual <= context.filesWhileOff,
};

const KMEM_SCENARIOS: ReadonlySet<string> = new Set(["25-pressure-hot-anon", "60-memcg-oom"]);
const KMEM_COUNTERS = /^(?:pgscan|pgsteal|workingset_refault)(?:_|$)/;
const KMEM_TOLERANCE = 0.05;

function dependsOnKernelMemory(path: readonly string[]): boolean {
  if (path.length === 3 && path[0] === "dump") {
    if (path[1] === "memory.events") return path[2] === "max";
    return path[1] === "vmstat_delta" && KMEM_COUNTERS.test(path[2] as string);
  }
  return path.length === 2 && path[0] === "memory.stat" && KMEM_COUNTERS.test(path[1] as string);
}

/** Free field 9. */
export const chargedKernelMemory: FreeField = {
  name: "chargedKernelMemory",
  title:
    "memory.events.max and the scan, steal and refault counts of scenarios 25 and 60, within 5 %: they depend on kernel memory charged to the memcg",
  frees: ({ path, expected, actual, context }) =>
    KMEM_SCENARIOS.has(context.scenario) &&
    dependsOnKernelMemory(path) &&
    Math.abs(actual - expected) <= Math.abs(expected) * KMEM_TOLERANCE,
};

/** Two bits a key: more set bits than this come from more than 64 page tables in one filter. */
const BLOOM_BITS_SURE_MAX = 128;

/** Said beside the list of free fields: where the guest's page tables lie decides collisions. */
export const bloomCollisions: FreeField = {
  name: "bloomCollisions",
  title:
    "bloom_bits of a filter that holds more than 64 page tables: collisions depend on addresses",
  frees: ({ path, expected, actual }) =>
    path.length === 4 &&
    path[0] === "dump" &&
    path[1] === "mm_state" &&
    path[2] === "bloom_bits" &&
    expected > BLOOM_BITS_SURE_MAX &&
    actual > BLOOM_BITS_SURE_MAX,
};

/** Every rule about numbers; the text rules (1, 2, 5) and the banner (3) stand on their own. */
export const FREE_FIELDS: readonly FreeField[] = [
  kvmRunFaults,
  lockedPagesOfDeadWorker,
  shadowNodeReclaim,
  fileMetadataActivation,
  chargedKernelMemory,
  bloomCollisions,
];
