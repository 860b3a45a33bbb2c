import { createFunctionalHardware } from "@lrugen/hardware";
import { expect, test } from "vitest";
import { Task } from "../../src/index.ts";
import { listMachine } from "../machine.ts";

test("a task runs on its CPU in its address space, outside of any fault", () => {
  const { memory } = listMachine();
  const cpu = createFunctionalHardware({ cpus: 2 }).cpus[1]!;
  const mm = memory.createMm(memory.root);
  const task = new Task(cpu, mm);
  expect([task.cpu, task.mm, task.inLruFault]).toEqual([cpu, mm, false]);
  expect(new Task(cpu, null).mm).toBeNull();
});
