import { createFunctionalHardware } from "@lrugen/hardware";
import { describe, expect, test } from "vitest";
import {
  type FolioBatches,
  LruPolicies,
  type LruPolicy,
  LRUVEC_HEADS,
  Memory,
  type MemoryConfig,
  NIL,
  PG_HEAD,
  PG_RESERVED,
  PG_UPTODATE,
  PGACTIVATE,
  singleNode,
} from "../../src/index.ts";
import { checkLists } from "../../src/check/index.ts";
import { listMachine, TWO_NODES } from "../machine.ts";

function boot(config: MemoryConfig): Memory {
  return new Memory(createFunctionalHardware({ cpus: 1 }), config);
}

describe("a new machine", () => {
  test("has everything free but the zero page, which is nobody's (FLT-12)", () => {
    const memory = boot({ nodes: singleNode(2048) });
    expect(memory.allocator.freePages[0]).toBe(2047);
    expect(memory.folios.flags[memory.zeroPfn]).toBe(PG_RESERVED | PG_UPTODATE);
    expect(memory.root.charged).toBe(0);
  });

  test("has a root memcg with cgroup id 1 and a lruvec on each node (FOL-40, TXT-02)", () => {
    const memory = boot({ nodes: TWO_NODES });
    const { root } = memory;
    expect([root.id, root.index, root.path, memory.memcgs]).toEqual([1, 0, "/", [root]]);
    expect(root.lruvecs.map(({ node, memcg }) => [node, memcg])).toEqual([
      [0, root],
      [1, root],
    ]);
    expect(memory.nrNodes).toBe(2);
  });

  test.each([
    [{ nodes: singleNode(1000) }, "1000 pages found"],
    [{ nodes: singleNode(1024), maxMemcgs: 0 }, "maxMemcgs: 0 found"],
    [{ nodes: singleNode(1024), pageTables: 0 }, "pageTables: 0 found"],
    [{ nodes: [] }, "no populated zone found"],
  ])("refuses an impossible configuration: %j", (config, message) => {
    expect(() => boot(config)).toThrow(RangeError);
    expect(() => boot(config)).toThrow(message);
  });
});

describe("createMemcg", () => {
  test("gives each lruvec a lock with a name of its own and lists of its own", () => {
    const memory = boot({ nodes: TWO_NODES });
    const a = memory.createMemcg(memory.root, 2, "a");
    const lruvecs = [...memory.root.lruvecs, ...a.lruvecs];
    expect(lruvecs.map(({ lock }) => lock.name)).toEqual([
      "lru_lock / node 0",
      "lru_lock / node 1",
      "lru_lock /a node 0",
      "lru_lock /a node 1",
    ]);
    const heads = lruvecs.map(({ lrugen }) => lrugen.listHead);
    expect(heads.map((head) => head - heads[0]!)).toEqual(
      [0, 1, 2, 3].map((i) => i * LRUVEC_HEADS),
    );
    expect(memory.lists.isEmpty(a.lruvecs[1]!.listHead + 3)).toBe(true);
  });

  test("refuses more memcgs than configured, and leaves the tree alone", () => {
    const memory = boot({ nodes: singleNode(1024), maxMemcgs: 2 });
    memory.createMemcg(memory.root, 2, "a");
    expect(() => memory.createMemcg(memory.root, 3, "b")).toThrow(
      new RangeError("out of memcgs: the machine was configured with 2"),
    );
    expect(memory.root.children).toHaveLength(1);
  });

  test("refuses a cgroup id that is taken, and leaves the tree alone", () => {
    const memory = boot({ nodes: singleNode(1024) });
    memory.createMemcg(memory.root, 28, "a");
    for (const id of [1, 28]) {
      expect(() => memory.createMemcg(memory.root, id, "b")).toThrow(
        new RangeError(`cgroup id ${id} is taken`),
      );
    }
    expect(memory.root.children).toHaveLength(1);
  });

  test("gives the index and the lists of a removed memcg to the next, however often", () => {
    const memory = boot({ nodes: singleNode(1024), maxMemcgs: 3 });
    const a = memory.createMemcg(memory.root, 2, "a");
    const b = memory.createMemcg(memory.root, 3, "b");
    for (let id = 4; id < 20; id++) {
      memory.memcgs[a.index] = null;
      const next = memory.createMemcg(memory.root, id, `c${id}`);
      expect([next.index, memory.memcgs[1], memory.memcgById(id)]).toEqual([1, next, next]);
      expect(next.lruvecs[0]!.listHead).toBe(a.lruvecs[0]!.listHead);
    }
    expect([memory.memcgById(2), memory.memcgById(3)]).toEqual([undefined, b]);
    expect(checkLists(memory)).toEqual([]);
  });

  test("starts generations now", () => {
    const memory = boot({ nodes: singleNode(1024) });
    memory.clock.sleep(400);
    const memcg = memory.createMemcg(memory.root, 2, "a");
    expect([...memcg.lruvecs[0]!.lrugen.timestamps]).toEqual([100, 100, 100, 100]);
  });
});

describe("install", () => {
  test("sets the switch of lruvecs that exist and of those to come (INIT-01)", () => {
    const memory = boot({ nodes: singleNode(1024) });
    const a = memory.createMemcg(memory.root, 2, "a");
    const lru = new LruPolicies({} as LruPolicy, {} as LruPolicy);
    lru.coreEnabled = false;
    memory.install(lru, {} as FolioBatches);
    const b = memory.createMemcg(memory.root, 3, "b");
    const enabled = [memory.root, a, b].map(({ lruvecs }) => lruvecs[0]!.lrugen.enabled);
    expect(enabled).toEqual([false, false, false]);
  });
});

describe("createMm", () => {
  test("numbers address spaces from 1 and gives each a page table of its own", () => {
    const { memory } = listMachine();
    const [first, second] = [memory.createMm(memory.root), memory.createMm(memory.root)];
    expect([first.id, second.id, first.memcg]).toEqual([1, 2, memory.root]);
    expect(first.pgd).not.toBe(second.pgd);
    expect(memory.pageTables.nrTables).toBe(2);
  });
});

describe("allocFolio", () => {
  test("charges the pages to the memcg and starts with one reference", () => {
    const { memory } = listMachine();
    const memcg = memory.createMemcg(memory.root, 2, "a");
    const folio = memory.allocFolio(4, memcg);
    expect([memcg.charged, memory.root.charged]).toEqual([16, 0]);
    const { flags, refcount, memcg: owner } = memory.folios;
    expect([flags[folio], refcount[folio], owner[folio]]).toEqual([PG_HEAD, 1, memcg.index]);
  });

  test("gives NIL and charges nothing when memory is used up", () => {
    const { memory } = listMachine();
    expect(memory.allocFolio(10, memory.root)).toBe(NIL);
    expect(memory.root.charged).toBe(0);
  });
});

describe("lruvecOf", () => {
  test("is that of the folio's memcg and node (FOL-40)", () => {
    const { memory } = listMachine(TWO_NODES);
    const memcg = memory.createMemcg(memory.root, 2, "a");
    const folios = [memory.root, memcg, memory.root, memcg].map((owner, i) =>
      memory.allocFolio(i < 2 ? 0 : 9, owner),
    );
    while (memory.allocator.nodeOf(folios[3]!) === 0) folios[3] = memory.allocFolio(9, memcg);
    expect(folios.map((folio) => memory.lruvecOf(folio))).toEqual([
      memory.root.lruvecs[0],
      memcg.lruvecs[0],
      memory.root.lruvecs[0],
      memcg.lruvecs[1],
    ]);
  });

  test("with one node is that of the memcg", () => {
    const { memory } = listMachine();
    const memcg = memory.createMemcg(memory.root, 2, "a");
    expect(memory.lruvecOf(memory.allocFolio(0, memcg))).toBe(memcg.lruvecs[0]);
  });
});

describe("countEvents", () => {
  test("counts for the machine and for the memcg alone (STATN-01)", () => {
    const { memory } = listMachine();
    const memcg = memory.createMemcg(memory.root, 2, "a");
    memory.countEvents(PGACTIVATE, memcg, 16);
    const scopes = [memory.vmstat, memcg.vmstat, memory.root.vmstat];
    expect(scopes.map(({ values }) => values[PGACTIVATE])).toEqual([16, 16, 0]);
  });
});
