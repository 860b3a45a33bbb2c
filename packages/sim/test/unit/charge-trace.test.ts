import { describe, expect, test } from "vitest";
import { type Guest, parseScenario, runScenario, systemFeatures } from "../../src/index.ts";

/** Runs a scenario; what `look` sees after every line, by line number from 1. */
function watch<T>(text: string, look: (guest: Guest) => T): T[] {
  const seen: T[] = [];
  runScenario(parseScenario(text, "trace.txt"), systemFeatures(), {
    afterStep: (guest) => seen.push(look(guest)),
  });
  return seen;
}

const SETUP = `anon H 512
file S 4096
open 0 S
touch H 0 512 w
cg memory.max 5M
`;

describe("a memcg of 1280 pages that streams a file, as seen on 7.3.4", () => {
  const reads = Array.from({ length: 32 }, (_, i) => `read 0 ${i * 32} 32\ntouch H 0 1 r\n`);
  const trace = watch(SETUP + reads.join(""), ({ memcg }) => ({
    usage: memcg.memory.usage,
    max: memcg.events.hierarchical[2] as number,
    steal: memcg.vmstat.toRecord()["pgsteal_direct"] as number,
  })).filter((_, i) => i >= 5 && (i - 5) % 2 === 0);

  test("moves its counter in batches of 64 until the first reclaim takes 95 pages (CHG-25, CHG-64)", () => {
    const usages = trace.map(({ usage }) => usage);
    expect(usages.slice(0, 6)).toEqual([576, 640, 704, 704, 768, 768]);
    const first = trace.findIndex(({ max }) => max > 0);
    expect(usages.slice(first - 2, first + 3)).toEqual([1280, 1280, 1217, 1249, 1249]);
    expect(trace[first]).toEqual({ usage: 1217, max: 1, steal: 95 });
  });

  test("and then takes 32 pages at each limit it meets (CHG-25)", () => {
    const last = trace.at(-1)!;
    expect(last.steal).toBe(95 + 32 * (last.max - 1));
  });
});

describe("writing limits below what is charged (CHG-34)", () => {
  test("an OOM kill makes the worker's next command ESRCH", () => {
    const text = `cg memory.swap.max 0
cg memory.max 2M
anon A 1024
touch A 0 508 w
touch A 508 1 w
touch A 0 1 r
`;
    const steps = runScenario(parseScenario(text, "oom.txt"), systemFeatures()).steps;
    expect(steps.map(({ err }) => err)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      "ESRCH",
      "ESRCH",
    ]);
  });

  test("memory.max and memory.high reclaim at once, and read back what was written", () => {
    const text = `file F 1024
open 0 F
read 0 0 1024
cg memory.high 2M
cat /sys/fs/cgroup/t/memory.high
cat /sys/fs/cgroup/t/memory.max
cg memory.max 0x100000
cat /sys/fs/cgroup/t/memory.max
cg memory.max max
cg memory.max 1Q
cg memory.low 4K
cat /sys/fs/cgroup/t/memory.low
cat /sys/fs/cgroup/t/memory.events
`;
    const guests = watch(text, ({ memcg }) => memcg.memory.usage);
    expect(guests[3]).toBeLessThanOrEqual(512);
    expect(guests[6]).toBeLessThanOrEqual(256);
    const steps = runScenario(parseScenario(text, "limits.txt"), systemFeatures()).steps;
    const texts = steps.flatMap((step) => step.text ?? []);
    expect(texts.slice(0, 4)).toEqual(["2097152", "max", "1048576", "4096"]);
    expect(texts.slice(4)).toEqual([
      "low 0",
      "high 0",
      "max 0",
      "oom 0",
      "oom_kill 0",
      "oom_group_kill 0",
      "sock_throttled 0",
    ]);
    expect(steps[9]!.err).toBe("EINVAL");
  });

  test("memory.reclaim refuses what is no size and no swappiness (SHR-08)", () => {
    const text = `reclaim 4Q
reclaim 4K swappiness=201
reclaim 4K swappiness=
reclaim 4K nice
reclaim 4K
`;
    const steps = runScenario(parseScenario(text, "reclaim.txt"), systemFeatures()).steps;
    expect(steps.map(({ err }) => err)).toEqual(["EINVAL", "EINVAL", "EINVAL", "EINVAL", "EAGAIN"]);
  });
});
