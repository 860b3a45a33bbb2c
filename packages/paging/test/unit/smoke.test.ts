import { expect, test } from "vitest";
import { checkMappings } from "../../src/check/index.ts";
import { pteString } from "../describe-mm.ts";
import { createMachine, forkTask, touch, withRegion } from "../machine.ts";

test("fixture 11", () => {
  const m = createMachine();
  const t = withRegion(m, 16);
  touch(m, t, 0, 16, "w");
  m.batches.drain(t.cpu);
  const c = forkTask(m, t);
  expect(pteString(m.memory, t.mm!, 16)).toBe("y16");
  expect(pteString(m.memory, c.mm!, 16)).toBe("o16");
  touch(m, c, 0, 2, "w");
  expect(pteString(m.memory, c.mm!, 16)).toBe("Y2o14");
  expect(checkMappings(m.memory, m.mms, (f) => m.batches.slotsOf(f))).toEqual([]);
});
