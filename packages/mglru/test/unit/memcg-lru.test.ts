import type { Lruvec } from "@lrugen/mm-core";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import {
  MEMCG_LRU_HEAD,
  MEMCG_LRU_OLD,
  MEMCG_LRU_TAIL,
  MEMCG_LRU_YOUNG,
  MEMCG_NR_BINS,
  MEMCG_NR_GENS,
  MemcgLru,
  RoundRobinBins,
} from "../../src/index.ts";
import { Machine } from "../machine.ts";

/** A node's memcg LRU whose draws a test decides. */
class World {
  draw = 0;
  readonly lru: MemcgLru;
  readonly lruvecs: Lruvec[];

  constructor(memcgs: number) {
    const m = new Machine();
    this.lruvecs = Array.from(
      { length: memcgs },
      (_, i) => m.memory.createMemcg(m.memory.root, 100 + i, `m${i}`).lruvecs[0]!,
    );
    this.lru = new MemcgLru({ next: () => this.draw });
  }

  /** Numbers of the memcgs of a bin, in order. */
  readonly bin = (gen: number, bin: number): number[] =>
    [...this.lru.walk(gen, bin)].map((lruvec) => this.lruvecs.indexOf(lruvec));

  place(memcg: number): number[] {
    const { gen, seg } = this.lruvecs[memcg]!.lrugen;
    return [gen, seg];
  }
}

let w: World;
beforeEach(() => {
  w = new World(3);
  for (const lruvec of w.lruvecs) w.lru.online(lruvec, 2);
});

describe("the memcg LRU", () => {
  test("takes a new memcg last into a bin of the old generation (MLRU-02)", () => {
    expect([w.bin(0, 2), w.place(1), [...w.lru.nrMemcgs]]).toEqual([
      [0, 1, 2],
      [0, 0],
      [3, 0, 0],
    ]);
  });

  test.each([
    ["HEAD", MEMCG_LRU_HEAD, 0, [1, 0, 2], [0, 1]],
    ["TAIL", MEMCG_LRU_TAIL, 0, [0, 2, 1], [0, 2]],
    ["OLD", MEMCG_LRU_OLD, 0, [1, 0, 2], [0, 0]],
    ["YOUNG", MEMCG_LRU_YOUNG, 1, [1], [1, 0]],
  ])("rotates by %s (MLRU-05)", (_name, operation, gen, order, place) => {
    w.draw = 2;
    w.lru.rotate(w.lruvecs[1]!, operation);
    expect([w.bin(gen, 2), w.place(1)]).toEqual([order, place]);
  });

  test("draws a bin for every rotation (MLRU-05)", () => {
    w.draw = 7;
    w.lru.rotate(w.lruvecs[0]!, MEMCG_LRU_TAIL);
    expect([w.bin(0, 2), w.bin(0, 7)]).toEqual([[1, 2], [0]]);
  });

  test("the old generation ends with its last memcg (MLRU-05)", () => {
    for (const lruvec of w.lruvecs) {
      expect(w.lru.seq).toBe(0);
      w.lru.rotate(lruvec, MEMCG_LRU_YOUNG);
    }
    expect([w.lru.seq, [...w.lru.nrMemcgs]]).toEqual([1, [0, 3, 0]]);
  });

  test("also when that one is released (MLRU-03)", () => {
    w.lru.rotate(w.lruvecs[0]!, MEMCG_LRU_YOUNG);
    w.lru.rotate(w.lruvecs[1]!, MEMCG_LRU_YOUNG);
    w.lru.release(w.lruvecs[2]!);
    expect([w.lru.seq, [...w.lru.nrMemcgs], w.bin(0, 2)]).toEqual([1, [0, 2, 0], []]);
  });

  test("keeps every memcg in one bin of two generations, the old one never empty (MINV-34)", () => {
    const steps = fc.array(fc.tuple(fc.nat(4), fc.constantFrom(1, 2, 3, 4, 5, 6), fc.nat(7)), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, (history) => {
        const world = new World(5);
        const online = new Set<number>();
        for (const [memcg, operation, draw] of history) {
          world.draw = draw;
          const lruvec = world.lruvecs[memcg]!;
          if (operation === 6 && !online.has(memcg)) {
            world.lru.online(lruvec, draw);
            online.add(memcg);
          } else if (operation === 5 && online.delete(memcg)) world.lru.release(lruvec);
          else if (operation < 5 && online.has(memcg)) world.lru.rotate(lruvec, operation);
          expect(violations(world, online)).toEqual([]);
        }
      }),
      { seed: 34 },
    );
  });
});

/** @returns a line for each broken rule of the order (MINV-34) */
function violations({ lru, lruvecs, bin }: World, online: ReadonlySet<number>): string[] {
  const found: string[] = [];
  const members = new Set<number>();
  for (let gen = 0; gen < MEMCG_NR_GENS; gen++) {
    const inGen = Array.from({ length: MEMCG_NR_BINS }, (_, i) => bin(gen, i)).flat();
    if (lru.nrMemcgs[gen] !== inGen.length) found.push(`generation ${gen} counts wrong`);
    for (const memcg of inGen) {
      if (lruvecs[memcg]!.lrugen.gen !== gen) found.push(`memcg ${memcg} names another one`);
      if (members.has(memcg)) found.push(`memcg ${memcg} is there twice`);
      members.add(memcg);
    }
    const live = gen === lru.seq % 3 || gen === (lru.seq + 1) % 3;
    if (inGen.length > 0 && !live) found.push(`generation ${gen} is in use`);
  }
  if (members.size !== online.size) found.push(`${members.size} of ${online.size} memcgs`);
  if (online.size > 0 && lru.nrMemcgs[lru.seq % 3] === 0) found.push("no memcg is old");
  return found;
}

describe("RoundRobinBins", () => {
  test("gives every bin in turn", () => {
    const bins = new RoundRobinBins();
    expect(Array.from({ length: 10 }, () => bins.next())).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 0, 1]);
  });
});
