import fc from "fast-check";
import { expect, test } from "vitest";
import { FolioLists, FolioTable, NIL } from "../../src/index.ts";
import { RUNS } from "./runs.ts";

const FOLIOS = 12;
const LISTS = 3;

const folio = fc.nat(FOLIOS - 1);
const list = fc.nat(LISTS - 1);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constantFrom("add", "addTail"), folio, list }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("del"), folio, list }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constantFrom("move", "moveTail"), folio, list }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant("bulkMoveTail"), folio, list, length: fc.nat(5) }),
  },
);

/** Lists as plain arrays, hot end first. */
class ArrayLists {
  readonly lists: number[][] = Array.from({ length: LISTS }, () => []);

  /** The list that holds a folio. */
  of(wanted: number): number[] | undefined {
    return this.lists.find((members) => members.includes(wanted));
  }

  /** Takes a run of folios out of its list. */
  take(first: number, length: number): number[] {
    const members = this.of(first)!;
    return members.splice(members.indexOf(first), length);
  }
}

test("intrusive lists do what arrays do, for any sequence of operations", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const lists = new FolioLists(new FolioTable(FOLIOS, LISTS));
      const heads = lists.allocHeads(LISTS);
      const model = new ArrayLists();
      for (const action of steps) {
        apply(lists, heads, model, action);
        for (const [i, members] of model.lists.entries()) {
          const head = heads + i;
          expect([...lists.walk(head)]).toEqual(members);
          expect([lists.first(head), lists.tail(head), lists.isEmpty(head)]).toEqual([
            members[0] ?? NIL,
            members.at(-1) ?? NIL,
            members.length === 0,
          ]);
          const ring = [head, ...members];
          expect(ring.map((at) => lists.prev[at])).toEqual([ring.at(-1), ...ring.slice(0, -1)]);
        }
      }
      const unlinked = Array.from({ length: FOLIOS }, (_, i) => i).filter((f) => !model.of(f));
      expect(unlinked.filter((f) => lists.next[f] !== NIL || lists.prev[f] !== NIL)).toEqual([]);
    }),
    RUNS,
  );
});

interface Step {
  readonly op: string;
  readonly folio: number;
  readonly list: number;
  readonly length?: number;
}

/** Does one step to both, if it makes sense: only unlinked folios are added, only linked ones moved. */
function apply(lists: FolioLists, heads: number, model: ArrayLists, action: Step): void {
  const head = heads + action.list;
  const target = model.lists[action.list]!;
  const source = model.of(action.folio);
  const adds = action.op === "add" || action.op === "addTail";
  if (adds !== (source === undefined)) return;
  switch (action.op) {
    case "add": {
      lists.add(head, action.folio);
      target.unshift(action.folio);
      break;
    }
    case "addTail": {
      lists.addTail(head, action.folio);
      target.push(action.folio);
      break;
    }
    case "del": {
      lists.del(action.folio);
      model.take(action.folio, 1);
      break;
    }
    case "move": {
      lists.move(head, action.folio);
      target.unshift(...model.take(action.folio, 1));
      break;
    }
    case "moveTail": {
      lists.moveTail(head, action.folio);
      target.push(...model.take(action.folio, 1));
      break;
    }
    default: {
      const run = model.take(action.folio, 1 + (action.length ?? 0));
      lists.bulkMoveTail(head, run[0]!, run.at(-1)!);
      target.push(...run);
    }
  }
}
