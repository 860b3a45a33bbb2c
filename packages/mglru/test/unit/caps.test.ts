import { expect, test } from "vitest";
import { formatEnabled } from "../../src/index.ts";

test.each([
  [true, true, true, "0x0007"],
  [true, false, false, "0x0001"],
  [false, true, false, "0x0002"],
  [false, false, true, "0x0004"],
  [true, false, true, "0x0005"],
  [false, false, false, "0x0000"],
])(
  "core %s, walk %s, non-leaf young %s read as %4$s (CAP-01, CONST-20)",
  (core, mmWalk, nonleafYoung, text) => {
    expect(formatEnabled({ core, mmWalk, nonleafYoung })).toBe(text);
  },
);
