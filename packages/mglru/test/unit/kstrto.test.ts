import { expect, test } from "vitest";
import { kstrtouint } from "../../src/index.ts";

test.each([
  ["0", 0],
  ["7", 7],
  ["+60", 60],
  ["1000\n", 1000],
  ["0x3c", 60],
  ["0X1F", 31],
  ["010", 8],
  ["00", 0],
  ["+0x10", 16],
  ["4294967295", 4_294_967_295],
  ["00000000000000000000000000001", 1],
])("%j is %i (SYS-01, CMD-04)", (text, value) => {
  expect(kstrtouint(text)).toBe(value);
});

test.each([
  "",
  "\n",
  "-1",
  "- 1",
  "++1",
  "0x",
  "08",
  "0b11",
  "1x",
  "1s",
  "abc",
  " 1",
  "1 ",
  "1\n\n",
  "1.0",
  "1e3",
  "4294967296",
  "0x100000000",
  "99999999999999999999999",
])("%j is refused (SYS-01, CMD-04)", (text) => {
  expect(kstrtouint(text)).toBeNull();
});
