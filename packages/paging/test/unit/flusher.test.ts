import { expect, test } from "vitest";
import { createFileMachine } from "../file-machine.ts";

test("the flusher does nothing unless woken, as in a guest with dirty_writeback_centisecs 0", () => {
  const { io, task0, memory, write } = createFileMachine(64);
  write(0, 4);
  memory.clock.sleep(10 * 3_600_000);
  expect(io.flusher.run(task0.cpu)).toBe(0);
  io.flusher.wake();
  expect(io.flusher.run(task0.cpu)).toBe(4);
  expect(io.flusher.run(task0.cpu)).toBe(0);
});

test("woken it writes all files, once (fixture 38)", () => {
  const { io, task0, memory, file, write } = createFileMachine(64);
  const other = memory.createFile({ name: "G", pages: 64 });
  write(0, 4);
  io.write.write(task0, io.open(other), 0, 65_536);
  io.flusher.wake();
  expect(io.flusher.run(task0.cpu)).toBe(20);
  expect([file.dirtyPages, other.dirtyPages]).toEqual([0, 0]);
  write(0, 1);
  expect(io.flusher.run(task0.cpu)).toBe(0);
});

test("a periodic run writes the files that have been dirty for long enough", () => {
  const { io, task0, memory, file, write } = createFileMachine(64);
  const other = memory.createFile({ name: "G", pages: 64 });
  io.flusher.config.dirtyWritebackMs = 5000;
  io.flusher.config.dirtyExpireMs = 30_000;
  write(0, 4);
  memory.clock.sleep(29_000);
  io.write.write(task0, io.open(other), 0, 4096);
  expect(io.flusher.run(task0.cpu)).toBe(0);
  memory.clock.sleep(4000);
  expect(io.flusher.run(task0.cpu)).toBe(0); // the period is not over
  memory.clock.sleep(1000);
  expect(io.flusher.run(task0.cpu)).toBe(4);
  expect([file.dirtyPages, other.dirtyPages]).toEqual([0, 1]);
});
