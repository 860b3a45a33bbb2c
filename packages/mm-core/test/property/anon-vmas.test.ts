import fc from "fast-check";
import { expect, test } from "vitest";
import { AnonVmas, VM_WRITE, Vma } from "../../src/index.ts";
import { listMachine } from "../machine.ts";
import { RUNS } from "./runs.ts";

const step = fc.record({
  op: fc.constantFrom("create", "prepare", "prepare", "fork", "fork", "clone", "unlink"),
  vma: fc.nat(),
});

/** A VMA and the origins whose folios it may map. An origin is the number of an anon_vma. */
interface Mapper {
  readonly vma: Vma;
  readonly origins: Set<number>;
  own: number | null;
}

test("the VMAs of an anon_vma are those whose ancestors faulted under it (RMAP-01)", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50, size: "max" }), (steps) => {
      const { memory } = listMachine();
      const mm = memory.createMm(memory.root);
      const anonVmas = new AnonVmas();
      const mappers: Mapper[] = [];
      let origins = 0;
      const create = (from: readonly number[], own: number | null): Mapper => {
        const made = { vma: new Vma(mm, 0, 1, VM_WRITE), origins: new Set(from), own };
        mappers.push(made);
        return made;
      };
      const giveOwn = (mapper: Mapper): void => {
        mapper.own = ++origins;
        mapper.origins.add(mapper.own);
      };
      for (const { op, vma: pick } of steps) {
        const chosen = mappers[pick % Math.max(mappers.length, 1)];
        if (chosen === undefined || op === "create") create([], null);
        else if (op === "prepare") {
          anonVmas.prepare(chosen.vma);
          if (chosen.own === null) giveOwn(chosen);
        } else if (op === "fork") {
          const child = create(chosen.own === null ? [] : [...chosen.origins], null);
          anonVmas.fork(chosen.vma, child.vma);
          if (chosen.own !== null) giveOwn(child);
        } else if (op === "clone") {
          const half = create([...chosen.origins], chosen.own);
          anonVmas.clone(chosen.vma, half.vma);
        } else {
          anonVmas.unlink(chosen.vma);
          chosen.origins.clear();
          chosen.own = null;
        }
      }
      for (let origin = 1; origin <= origins; origin++) {
        const expected = mappers.filter((mapper) => mapper.origins.has(origin));
        const found = anonVmas.get(origin)?.vmas ?? [];
        expect(new Set(found)).toEqual(new Set(expected.map(({ vma }) => vma)));
        expect(found).toHaveLength(expected.length);
        expect(anonVmas.get(origin) === undefined).toBe(expected.length === 0);
      }
      for (const { vma, origins: chain, own } of mappers) {
        expect(new Set(vma.anonVmaChain.map(({ id }) => id))).toEqual(chain);
        expect(vma.anonVma?.id ?? null).toBe(own);
      }
    }),
    RUNS,
  );
});
