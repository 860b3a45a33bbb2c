import {
  type Memcg,
  MEMCG_HIGH,
  MEMCG_MAX,
  MEMCG_OOM,
  MEMCG_OOM_KILL,
  type Mm,
} from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { CHARGE_FULL, CHARGE_NORETRY, CHARGE_NOWAIT } from "../../../src/charge/charge-kind.ts";
import { createLimitMachine, type LimitMachine } from "../../limit-machine.ts";

function events(memcg: Memcg): { max: number; oom: number; kill: number } {
  const { hierarchical } = memcg.events;
  return {
    max: hierarchical[MEMCG_MAX] as number,
    oom: hierarchical[MEMCG_OOM] as number,
    kill: hierarchical[MEMCG_OOM_KILL] as number,
  };
}

/** A memcg that is full: its limit is charged to the page, no stock. */
function full(limit = 128): LimitMachine {
  const machine = createLimitMachine();
  machine.memcg.memory.charge(limit);
  machine.memcg.memory.max = limit;
  return machine;
}

describe("charging far from the limit", () => {
  test("moves the counter by 64 pages at a time (CHG-15)", () => {
    const { paging, task, memcg } = createLimitMachine();
    const usages = [1, 60, 3, 1].map((pages) => {
      expect(paging.charge.charge(task, memcg, pages, CHARGE_FULL)).toBe(true);
      return memcg.memory.usage;
    });
    expect(usages).toEqual([64, 64, 64, 128]);
  });

  test("is not done for the root (CHG-01)", () => {
    const { paging, task, memory } = createLimitMachine();
    expect(paging.charge.charge(task, memory.root, 5, CHARGE_FULL)).toBe(true);
    expect(memory.root.memory.usage).toBe(0);
  });

  test("a batch that does not fit is charged exactly, and may reach the limit (CHG-02, CHG-21)", () => {
    const { paging, task, memcg } = createLimitMachine();
    memcg.memory.max = 5;
    expect(paging.charge.charge(task, memcg, 5, CHARGE_FULL)).toBe(true);
    expect(memcg.memory.usage).toBe(5);
    expect(events(memcg).max).toBe(0);
  });
});

describe("meeting the limit with nothing to reclaim", () => {
  test("an order-0 charge makes 18 passes before the OOM killer is asked (CHG-22)", () => {
    const { paging, task, memcg } = full();
    // Nobody is large enough to be killed: the charge fails.
    expect(paging.charge.charge(task, memcg, 1, CHARGE_FULL)).toBe(false);
    expect(events(memcg)).toEqual({ max: 18, oom: 1, kill: 0 });
  });

  test("and 35 when the task itself is the victim (CHG-22)", () => {
    const { paging, task, memcg, mm } = full();
    mm.anonPages = 100;
    expect(paging.charge.charge(task, memcg, 1, CHARGE_FULL)).toBe(false);
    expect(events(memcg)).toEqual({ max: 35, oom: 1, kill: 1 });
    expect(mm.oomVictim).toBe(true);
  });

  test("the death of another task lets the charge go through (CHG-51, CHG-52)", () => {
    const { paging, task, memcg, mm, newTask } = full();
    const other = newTask().mm as Mm;
    mm.anonPages = 10;
    other.anonPages = 5;
    other.swapEntries = 6;
    const killed: Mm[] = [];
    paging.charge.oom.onOomKill = (victim) => {
      killed.push(victim);
      memcg.memory.uncharge(20);
    };
    expect(paging.charge.charge(task, memcg, 1, CHARGE_FULL)).toBe(true);
    expect(killed).toEqual([other]);
    expect(events(memcg)).toEqual({ max: 18, oom: 1, kill: 1 });
  });

  test("more than 8 pages never kill (CHG-23, CHG-50)", () => {
    const { paging, task, memcg, mm } = full();
    mm.anonPages = 100;
    expect(paging.charge.charge(task, memcg, 16, CHARGE_FULL)).toBe(false);
    expect(events(memcg)).toEqual({ max: 18, oom: 0, kill: 0 });
  });

  test("NORETRY gives up after reclaim, drain and reclaim (CHG-23)", () => {
    const { paging, task, memcg, policy } = full();
    expect(paging.charge.charge(task, memcg, 1, CHARGE_NORETRY)).toBe(false);
    expect(events(memcg).max).toBe(2);
    // Two tries, each over all priorities, a partial and a full walk.
    expect(policy.asked).toHaveLength(2 * 2 * 13);
  });

  test("who may not wait fails at once, with one event (CHG-23)", () => {
    const { paging, task, memcg, policy } = full();
    expect(paging.charge.charge(task, memcg, 1, CHARGE_NOWAIT)).toBe(false);
    expect(events(memcg).max).toBe(1);
    expect(policy.asked).toEqual([]);
  });

  test("a reclaimer's own charges are forced (CHG-20)", () => {
    const { paging, task, memcg } = full();
    task.reclaiming = true;
    expect(paging.charge.charge(task, memcg, 3, CHARGE_FULL)).toBe(true);
    expect(memcg.memory.usage).toBe(131);
    expect(events(memcg).max).toBe(1);
  });

  test("the lowest level that is exceeded is reclaimed from, and counts the events (CHG-02, CHG-53)", () => {
    const { paging, memory, memcg, policy, newTask } = createLimitMachine();
    const child = memory.createMemcg(memcg, 30, "c");
    child.memory.charge(128);
    memcg.memory.max = 128;
    expect(paging.charge.charge(newTask(child), child, 1, CHARGE_NORETRY)).toBe(false);
    expect(events(memcg).max).toBe(2);
    expect(events(child).max).toBe(0);
    expect(policy.asked[0]!.memcg).toBe("/t");
  });
});

describe("meeting the limit with something to reclaim", () => {
  test("32 pages are asked for at least, from priority 12 on, until they are there (CHG-24)", () => {
    const { paging, task, memcg, policy } = full();
    policy.give = (sc) => (sc.priority === 8 ? 20 : sc.priority === 7 ? 75 : 0);
    expect(paging.charge.charge(task, memcg, 1, CHARGE_FULL)).toBe(true);
    expect(policy.asked.map(({ priority }) => priority)).toEqual([12, 11, 10, 9, 8, 7]);
    expect(policy.asked.every(({ want }) => want === 32)).toBe(true);
    expect(memcg.memory.usage).toBe(128 - 95 + 1);
    expect(events(memcg).max).toBe(1);
  });

  test("the batch stays exact for the rest of the charge (CHG-21)", () => {
    const { paging, task, memcg, policy } = full();
    policy.give = () => 100;
    expect(paging.charge.charge(task, memcg, 1, CHARGE_FULL)).toBe(true);
    expect(memcg.memory.usage).toBe(29);
    expect(paging.charge.stockOf(memcg)).toBe(0);
  });

  test("stocks of all CPUs are drained before it is given up (CHG-13, CHG-20)", () => {
    const { paging, task, memcg, newTask } = createLimitMachine();
    memcg.memory.max = 64;
    paging.charge.charge(newTask(memcg, 1), memcg, 1, CHARGE_FULL);
    expect(memcg.memory.usage).toBe(64);
    expect(paging.charge.charge(task, memcg, 2, CHARGE_FULL)).toBe(true);
    expect(memcg.memory.usage).toBe(3);
    expect(events(memcg).max).toBe(1);
  });
});

describe("memory.high", () => {
  test("the surplus of a batch counts; the task pays when it leaves the kernel (CHG-30, CHG-32)", () => {
    const { paging, task, memcg, policy } = createLimitMachine();
    memcg.memory.high = 32;
    policy.give = (_sc, { memory }) => memory.usage;
    paging.charge.charge(task, memcg, 1, CHARGE_FULL);
    expect(task.overHigh).toBe(64);
    expect(policy.asked).toEqual([]);
    paging.charge.overHigh.returnToUser(task);
    expect(task.overHigh).toBe(0);
    expect(policy.asked[0]!.want).toBe(64);
    expect(memcg.events.local[MEMCG_HIGH]).toBe(1);
  });

  test("a second batch in one call is paid for at once (CHG-31)", () => {
    const { paging, task, memcg, policy } = createLimitMachine();
    memcg.memory.high = 0;
    memcg.memory.charge(1);
    policy.give = (_sc, { memory }) => memory.usage;
    paging.charge.charge(task, memcg, 64, CHARGE_FULL);
    expect(task.overHigh).toBe(64);
    paging.charge.charge(task, memcg, 64, CHARGE_FULL);
    expect(task.overHigh).toBe(0);
    expect(policy.asked[0]!.want).toBe(128);
  });

  test("without progress it sleeps, for 2 s at most, and goes on (CHG-32, CHG-33)", () => {
    const { paging, task, memcg, memory } = createLimitMachine();
    memcg.memory.high = 1;
    memcg.memory.charge(1000);
    paging.charge.charge(task, memcg, 1, CHARGE_FULL);
    paging.charge.overHigh.returnToUser(task);
    expect(memory.clock.jiffies).toBe(500);
    expect(memcg.events.local[MEMCG_HIGH]).toBe(17);
  });
});

describe("writing limits", () => {
  test("memory.max drains, reclaims what is above, and kills after 16 fruitless tries (CHG-34)", () => {
    const { paging, memcg, mm, policy, memory, newTask } = createLimitMachine();
    const writer = newTask(memory.root);
    memcg.memory.charge(1000);
    policy.give = () => (policy.asked.length === 1 ? 900 : 0);
    paging.limits.setMax(writer, memcg, 500);
    expect(memcg.memory.usage).toBe(100);
    expect(policy.asked).toEqual([{ memcg: "/t", priority: 12, want: 500 }]);
    mm.anonPages = 100;
    paging.charge.oom.onOomKill = () => memcg.memory.uncharge(100);
    paging.limits.setMax(writer, memcg, 50);
    expect(events(memcg)).toEqual({ max: 0, oom: 1, kill: 1 });
    expect(policy.asked).toHaveLength(1 + 16 * 26);
  });

  test("memory.high gives up after 17 fruitless tries, without an event (CHG-34)", () => {
    const { paging, memcg, policy, memory, newTask } = createLimitMachine();
    memcg.memory.charge(1000);
    paging.limits.setHigh(newTask(memory.root), memcg, 500);
    expect(policy.asked).toHaveLength(17 * 26);
    expect(memcg.events.local[MEMCG_HIGH]).toBe(0);
  });
});
