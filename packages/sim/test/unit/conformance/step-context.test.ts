import { describe, expect, it } from "vitest";
import { StepTracker, type StepContext } from "../../../src/conformance/step-context.ts";
import type { Dump, OracleStep } from "../../../src/dump/oracle-result.ts";
import { fixtureNamed } from "./vectors.ts";

const smoke = fixtureNamed("00-smoke").steps.find(({ dump }) => dump !== undefined)?.dump as Dump;

/** The context of the last of `steps`; a string is a line that succeeded. */
function contextOf(...steps: (string | OracleStep)[]): StepContext {
  const tracker = new StepTracker("s");
  const contexts = steps.map((step) =>
    tracker.next(typeof step === "string" ? { cmd: step } : step),
  );
  return contexts.at(-1) as StepContext;
}

function dumpWith(fields: Partial<Dump>): OracleStep {
  return { cmd: "dump d", dump: { ...smoke, ...fields } };
}

describe("a worker is gone", () => {
  it.each([
    ["from an exit on", ["exit", "drain"]],
    ["from the exit of any worker on", ["@c1 exit"]],
    ["when a line lost its worker", [{ cmd: "touch A 0 9 w", err: "ESRCH" }]],
    ["when a dump shows an OOM kill", [dumpWith({ "memory.events": { oom_kill: 1 } })]],
  ])("%s", (_, steps) => {
    expect(contextOf(...(steps as (string | OracleStep)[])).workerGone).toBe(true);
  });

  it.each([
    ["before any of that", ["drain"]],
    ["for another error", [{ cmd: "age", err: "EINVAL" }]],
    ["for an OOM that killed nobody", [dumpWith({ "memory.events": { oom: 1 } })]],
  ])("not %s", (_, steps) => {
    expect(contextOf(...(steps as (string | OracleStep)[])).workerGone).toBe(false);
  });
});

describe("KVM workers", () => {
  it("are those that ran kvmtouch", () => {
    const context = contextOf("kvmtouch A 0 1 r", "@c1 kvmtouch A 0 1 r", "@c2 touch A 0 1 r");
    expect([...context.kvmWorkers]).toEqual(["w0", "c1"]);
  });
});

describe("shadow nodes", () => {
  it("are reclaimed once a dump shows it, for good", () => {
    const seen = dumpWith({ vmstat_delta: { workingset_nodereclaim: 2 } });
    expect(contextOf(dumpWith({})).nodesReclaimed).toBe(false);
    expect(contextOf(seen, dumpWith({})).nodesReclaimed).toBe(true);
  });
});

describe("files made while MGLRU is off", () => {
  it.each([
    ["enabled n", 1],
    ["enabled N", 1],
    ["enabled 0", 1],
    ["enabled 8", 1],
    ["enabled 6", 1],
    ["enabled 0x0007", 0],
    ["enabled 1", 0],
    ["enabled y", 0],
    ["write /sys/kernel/mm/lru_gen/enabled 0", 1],
    ["write /proc/sys/vm/swappiness 0", 0],
  ])("after %s: %d", (cmd, files) => {
    expect(contextOf(cmd, "file F 8").filesWhileOff).toBe(files);
  });

  it("add up, and do not count once MGLRU is on again", () => {
    const steps = ["file E 8", "enabled n", "file F 8", "file G 8", "enabled y", "file H 8"];
    expect(contextOf(...steps).filesWhileOff).toBe(2);
  });

  it("do not count for a switch that the kernel refused", () => {
    expect(contextOf({ cmd: "enabled x", err: "EINVAL" }, "file F 8").filesWhileOff).toBe(0);
  });

  it("count by what a dump says", () => {
    expect(contextOf(dumpWith({ enabled: 0 }), "file F 8").filesWhileOff).toBe(1);
  });
});
