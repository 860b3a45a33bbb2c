import { describe, expect, test } from "vitest";
import { PGACTIVATE, VmStat, VMSTAT_ITEMS, vmstatId } from "../../src/index.ts";

describe("event counters", () => {
  test("start at zero and add up, each by itself", () => {
    const vmstat = new VmStat();
    vmstat.add(PGACTIVATE, 3);
    vmstat.add(PGACTIVATE, 4);
    vmstat.add(vmstatId("pswpin"), 1);
    const counted = Object.entries(vmstat.toRecord()).filter(([, value]) => value !== 0);
    expect(counted).toEqual([
      ["pswpin", 1],
      ["pgactivate", 7],
    ]);
  });

  test("go down again where the item is a gauge", () => {
    const vmstat = new VmStat();
    vmstat.add(vmstatId("workingset_nodes"), 2);
    vmstat.add(vmstatId("workingset_nodes"), -1);
    expect(vmstat.toRecord()["workingset_nodes"]).toBe(1);
  });

  test("are exact beyond 32 bits", () => {
    const vmstat = new VmStat();
    vmstat.add(PGACTIVATE, 2 ** 52);
    vmstat.add(PGACTIVATE, 1);
    expect(vmstat.values[PGACTIVATE]).toBe(2 ** 52 + 1);
  });

  test("are listed by name in /proc/vmstat order", () => {
    expect(Object.keys(new VmStat().toRecord())).toEqual(VMSTAT_ITEMS);
  });

  test("of two scopes are apart", () => {
    const [machine, memcg] = [new VmStat(), new VmStat()];
    machine.add(PGACTIVATE, 1);
    expect(memcg.values[PGACTIVATE]).toBe(0);
  });
});
