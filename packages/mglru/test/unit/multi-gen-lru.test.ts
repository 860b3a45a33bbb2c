import { expect, test } from "vitest";
import { Machine } from "../machine.ts";

test("a new lruvec has four empty generations, the walk being one behind (INIT-01)", () => {
  const { lrugen, mmState } = new Machine().lruvec;
  expect([lrugen.maxSeq, [...lrugen.minSeq], lrugen.enabled]).toEqual([3, [0, 0], true]);
  expect([mmState.seq, mmState.head, mmState.tail]).toEqual([2, null, null]);
  expect(mmState.filters).toEqual([null, null]);
});

test("a command without swappiness takes that of its memcg (TRIG-02, CMD-04)", () => {
  const m = new Machine({ swappinessOf: (memcg) => (memcg.id === 28 ? 0 : 60) });
  const folio = m.onList(0);
  m.age();
  expect([m.list(4), m.state(folio)]).toEqual([[folio], "gen 0"]);
  const other = m.memory.createMemcg(m.memory.root, 29, "u").lruvecs[0]!;
  m.write("+ 29 0 3");
  expect([...other.lrugen.minSeq]).toEqual([1, 1]);
});

test("the default swappiness is 60: both types make room (CONST-14)", () => {
  const m = new Machine();
  const [anon, file] = [m.onList(0), m.onList(0, 0)];
  m.age();
  expect([m.list(1), m.list(1, 1)]).toEqual([[anon], [file]]);
});

test("address spaces are listed through the policy, and their use noted (MM-01, MM-05)", () => {
  const m = new Machine();
  const mm = m.mm();
  expect([...m.memcg.mmList.walk()]).toEqual([mm]);
  m.policy.useMm(mm);
  expect(mm.lruGenBitmap).toBe(-1);
  m.policy.mmMigrate(mm, m.memory.root);
  expect([[...m.memcg.mmList.walk()], [...m.memory.root.mmList.walk()]]).toEqual([[], [mm]]);
  m.policy.mmDel(mm);
  expect([...m.memory.root.mmList.walk()]).toEqual([]);
});
