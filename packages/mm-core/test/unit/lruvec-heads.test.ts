import { describe, expect, test } from "vitest";
import { LRUVEC_HEADS, type Memcg } from "../../src/index.ts";
import { listMachine } from "../machine.ts";

/** A machine with a memcg, a folio that is linked to a list of it, and what unlinks that. */
function withFolio(): {
  machine: ReturnType<typeof listMachine>;
  memcg: Memcg;
  unlink: () => void;
} {
  const machine = listMachine();
  const { memory } = machine;
  const memcg = memory.createMemcg(memory.root, 28, "t");
  const folio = memory.allocFolio(0, memory.root);
  memory.lists.add(memcg.lruvecs[0]!.lrugen.listHead, folio);
  return { machine, memcg, unlink: () => memory.lists.del(folio) };
}

const headOf = (memcg: Memcg): number => memcg.lruvecs[0]!.lrugen.listHead;

describe("the list heads of a removed memcg", () => {
  test("are the next one's with its index", () => {
    const { memory } = listMachine();
    const memcg = memory.createMemcg(memory.root, 28, "t");
    memory.removeMemcg(memcg);
    const next = memory.createMemcg(memory.root, 29, "u");
    expect([next.index, headOf(next)]).toEqual([memcg.index, headOf(memcg)]);
  });

  test("are nobody's while a folio is linked to them, and the machine knows it (REPAR-03)", () => {
    const { machine, memcg, unlink } = withFolio();
    const { memory } = machine;
    memory.removeMemcg(memcg);
    expect(memory.lruvecHeads.abandonedLruvecs()).toEqual(memcg.lruvecs);
    const next = memory.createMemcg(memory.root, 29, "u");
    expect([next.index, headOf(next)]).toEqual([memcg.index, headOf(memcg) + LRUVEC_HEADS]);
    unlink();
    expect(memory.lruvecHeads.abandonedLruvecs()).toEqual([]);
    expect(headOf(memory.createMemcg(memory.root, 30, "v"))).toBe(headOf(memcg));
    expect(headOf(memory.createMemcg(memory.root, 31, "w"))).toBe(headOf(memcg) + 2 * LRUVEC_HEADS);
  });
});
