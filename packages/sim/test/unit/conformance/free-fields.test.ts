import { describe, expect, it } from "vitest";
import {
  bloomCollisions,
  chargedKernelMemory,
  fileMetadataActivation,
  kvmRunFaults,
  lockedPagesOfDeadWorker,
  shadowNodeReclaim,
  type FreeField,
} from "../../../src/conformance/free-fields.ts";
import type { StepContext } from "../../../src/conformance/step-context.ts";

const NOTHING: StepContext = {
  scenario: "s",
  cmd: "dump d",
  workerGone: false,
  kvmWorkers: new Set(),
  nodesReclaimed: false,
  filesWhileOff: 0,
};

/** Whether `field` allows 1000 instead of 1 (or the values given) at `place`. */
function frees(
  field: FreeField,
  place: string,
  context: Partial<StepContext>,
  expected = 1,
  actual = 1000,
): boolean {
  const path = place.split("/");
  return field.frees({ path, expected, actual, context: { ...NOTHING, ...context } });
}

describe("free field 4: faults of a KVM worker", () => {
  const context = { kvmWorkers: new Set(["w0"]) };

  it("frees minflt of that worker", () => {
    expect(frees(kvmRunFaults, "dump/procs/w0/minflt", context)).toBe(true);
  });

  it.each(["dump/procs/w0/majflt", "dump/procs/w0/mm_used", "dump/procs/c1/minflt", "dump/minflt"])(
    "not %s",
    (place) => {
      expect(frees(kvmRunFaults, place, context)).toBe(false);
    },
  );

  it("not minflt before it ran a guest", () => {
    expect(frees(kvmRunFaults, "dump/procs/w0/minflt", {})).toBe(false);
  });
});

describe("free field 6: locked pages of a dead worker", () => {
  const context = { workerGone: true };

  it.each(["unevictable_pgs_munlocked", "unevictable_pgs_rescued"])("frees %s", (key) => {
    expect(frees(lockedPagesOfDeadWorker, `dump/vmstat_delta/${key}`, context)).toBe(true);
    expect(frees(lockedPagesOfDeadWorker, `dump/vmstat_delta/${key}`, {})).toBe(false);
  });

  it.each([
    "dump/vmstat_delta/unevictable_pgs_culled",
    "dump/vmstat_delta/unevictable_pgs_mlocked",
    "dump/memory.events/unevictable_pgs_rescued",
  ])("not %s", (place) => {
    expect(frees(lockedPagesOfDeadWorker, place, context)).toBe(false);
  });
});

describe("free field 7: shadow node reclaim", () => {
  it("frees workingset_nodereclaim everywhere", () => {
    expect(frees(shadowNodeReclaim, "dump/vmstat_delta/workingset_nodereclaim", {})).toBe(true);
    expect(frees(shadowNodeReclaim, "memory.stat/workingset_nodereclaim", {})).toBe(true);
  });

  it("frees workingset_nodes once nodes were reclaimed", () => {
    const place = "dump/vmstat_delta/workingset_nodes";
    expect(frees(shadowNodeReclaim, place, {})).toBe(false);
    expect(frees(shadowNodeReclaim, place, { nodesReclaimed: true })).toBe(true);
  });

  it.each(["dump/vmstat_delta/workingset_refault_file", "dump/memory.events/workingset_nodes"])(
    "not %s",
    (place) => {
      expect(frees(shadowNodeReclaim, place, { nodesReclaimed: true })).toBe(false);
    },
  );
});

describe("free field 8: activation of filesystem metadata", () => {
  const place = "dump/vmstat_delta/pgactivate";
  const context = { filesWhileOff: 2 };

  it("frees pgactivate by what the kernel may have more", () => {
    expect(frees(fileMetadataActivation, place, context, 10, 9)).toBe(true);
    expect(frees(fileMetadataActivation, place, context, 10, 8)).toBe(true);
  });

  it.each([
    ["more than a file each", place, context, 7],
    ["what the model has more", place, context, 11],
    ["anything while no file was made", place, {}, 9],
    ["another counter", "dump/vmstat_delta/pgdeactivate", context, 9],
    ["the memcg's own counter", "memory.stat/pgactivate", context, 9],
  ])("not %s", (_, where, facts, actual) => {
    expect(frees(fileMetadataActivation, where, facts, 10, actual)).toBe(false);
  });
});

describe("free field 9: charged kernel memory in scenarios 25 and 60", () => {
  const context = { scenario: "25-pressure-hot-anon" };

  it.each([
    "dump/memory.events/max",
    "dump/vmstat_delta/pgscan_direct",
    "dump/vmstat_delta/pgsteal_file",
    "dump/vmstat_delta/workingset_refault_file",
    "memory.stat/pgscan",
    "memory.stat/pgsteal",
    "memory.stat/workingset_refault_anon",
  ])("frees %s within 5 %%", (place) => {
    expect(frees(chargedKernelMemory, place, context, 100, 105)).toBe(true);
    expect(frees(chargedKernelMemory, place, context, 100, 95)).toBe(true);
    expect(frees(chargedKernelMemory, place, context, 100, 106)).toBe(false);
    expect(frees(chargedKernelMemory, place, context, 100, 94)).toBe(false);
    expect(frees(chargedKernelMemory, place, context, 0, 1)).toBe(false);
  });

  it.each([
    "dump/memory.events/oom_kill",
    "dump/vmstat_delta/pgskip",
    "dump/vmstat_delta/pgactivate",
    "dump/vmstat_delta/workingset_activate_file",
    "dump/vmstat_delta/workingset_nodes",
    "dump/max_seq",
    "dump/nr_pages/anon/0",
    "dump/tiers/evicted/file/0",
    "memory.stat/anon",
    "memory.stat/pgfault",
  ])("not %s", (place) => {
    expect(frees(chargedKernelMemory, place, context, 100, 101)).toBe(false);
  });

  it("in these two scenarios only", () => {
    const place = "dump/memory.events/max";
    expect(frees(chargedKernelMemory, place, { scenario: "60-memcg-oom" }, 100, 101)).toBe(true);
    expect(frees(chargedKernelMemory, place, { scenario: "25-other" }, 100, 101)).toBe(false);
    expect(frees(chargedKernelMemory, place, { scenario: "14-evict-anon" }, 100, 101)).toBe(false);
  });
});

describe("Bloom filter collisions", () => {
  const place = "dump/mm_state/bloom_bits/0";

  it("free the bits of a filter with more than 64 tables", () => {
    expect(frees(bloomCollisions, place, {}, 506, 512)).toBe(true);
  });

  it.each([
    ["of a small filter", place, 128, 130],
    ["when the model's is small", place, 130, 128],
    ["in other places", "dump/mm_state/stats_TYFA/0", 506, 512],
  ])("not %s", (_, where, expected, actual) => {
    expect(frees(bloomCollisions, where, {}, expected, actual)).toBe(false);
  });
});
