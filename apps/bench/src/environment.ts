import { availableParallelism, cpus, loadavg } from "node:os";

/** Where and when a run was made. */
export interface Environment {
  /** ISO 8601, UTC. */
  readonly date: string;
  readonly node: string;
  readonly v8: string;
  /** Such as `linux x64`. */
  readonly platform: string;
  readonly cpu: string;
  /** CPUs this process may use. */
  readonly cpus: number;
  /** Runnable threads of the whole machine over the last minute; more than `cpus`: expect noise. */
  readonly load: number;
}

/** This machine, now. */
export function currentEnvironment(): Environment {
  return {
    date: new Date().toISOString(),
    node: process.version,
    v8: process.versions.v8,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cpus: availableParallelism(),
    load: loadavg()[0] ?? 0,
  };
}
