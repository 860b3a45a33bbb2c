import fc from "fast-check";
import { expect, test } from "vitest";
import {
  LRU_GEN_MASK,
  NIL,
  PG_ACTIVE,
  PG_LRU,
  PG_SWAPBACKED,
  PG_UNEVICTABLE,
} from "../../src/index.ts";
import {
  checkAllocator,
  checkLists,
  checkLruvecs,
  MonotoneChecker,
} from "../../src/check/index.ts";
import { type ListMachine, listMachine, TWO_NODES } from "../machine.ts";
import { RUNS } from "./runs.ts";

const step = fc.record({
  op: fc.constantFrom("add", "add", "add", "isolate", "putback", "update", "put", "switch", "age"),
  pick: fc.nat(),
  order: fc.nat(5),
  backOff: fc.nat(1),
  flags: fc.constantFrom(
    0,
    PG_SWAPBACKED,
    PG_ACTIVE,
    PG_UNEVICTABLE,
    PG_UNEVICTABLE | PG_SWAPBACKED,
  ),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One step of a machine that keeps its lists right. */
function apply(machine: ListMachine, folios: number[], action: Step): void {
  const { memory, cpu, generations, onLru } = machine;
  const { flags } = memory.folios;
  const memcg = memory.memcgs[action.pick % memory.memcgs.length]!;
  const folio = folios[action.pick % Math.max(folios.length, 1)] ?? NIL;
  generations.backOff = action.backOff;
  if (action.op === "add") folios.push(onLru(action.flags, action.order, memcg));
  else if (action.op === "switch") {
    for (const { lrugen } of memcg.lruvecs) lrugen.enabled = !lrugen.enabled;
  } else if (action.op === "age") {
    memory.clock.sleep(action.pick % 10);
    for (const lruvec of memcg.lruvecs) {
      const { lrugen } = lruvec;
      if (lrugen.nrPages.some((pages) => pages !== 0)) continue; // aging is a policy's business
      lrugen.maxSeq += 1;
      lrugen.minSeq.fill(lrugen.maxSeq - 3);
      lrugen.timestamps[lrugen.maxSeq % 4] = memory.clock.jiffies;
      lruvec.mmState.seq += 1;
    }
  } else if (folio !== NIL) {
    const lruvec = memory.lruvecOf(folio);
    const onList = (flags[folio]! & PG_LRU) !== 0;
    if (action.op === "isolate" && onList) {
      memory.lru.delFolio(lruvec, folio);
      flags[folio]! &= ~PG_LRU;
    } else if (action.op === "putback" && !onList) {
      memory.lru.addFolio(lruvec, folio, action.pick % 2 === 0);
      flags[folio]! |= PG_LRU;
    } else if (action.op === "update" && flags[folio]! & LRU_GEN_MASK) {
      generations.updateGen(lruvec, folio);
    } else if (action.op === "put") {
      folios.splice(folios.indexOf(folio), 1);
      memory.release.put(cpu, folio);
    }
  }
}

test("no checker speaks up while flags, lists and sizes are kept right", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: "max" }), (steps) => {
      const machine = listMachine(TWO_NODES);
      const { memory } = machine;
      memory.createMemcg(memory.root, 2, "a");
      const monotone = new MonotoneChecker();
      const folios: number[] = [];
      for (const action of steps) {
        apply(machine, folios, action);
        expect(monotone.sample(memory, { quiescent: true })).toEqual([]);
      }
      const sizes = checkLruvecs(memory, { quiescent: true });
      expect([...checkLists(memory), ...checkAllocator(memory), ...sizes]).toEqual([]);
    }),
    RUNS,
  );
});
