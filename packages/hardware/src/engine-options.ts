const MAX_CPUS = 256;

/** @throws Error if a machine cannot have that many CPUs */
export function checkCpuCount(cpus: number): number {
  if (!Number.isInteger(cpus) || cpus < 1 || cpus > MAX_CPUS) {
    throw new Error(`cpus is ${String(cpus)}, expected an integer from 1 to ${MAX_CPUS}`);
  }
  return cpus;
}
