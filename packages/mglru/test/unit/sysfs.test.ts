import { EINVAL } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

describe("enabled", () => {
  test("everything is on at boot (CAP-01)", () => {
    expect(new Machine().policy.sysfs.readEnabled()).toBe("0x0007\n");
  });

  test.each([
    ["n", "0x0000"],
    ["N\n", "0x0000"],
    ["nope", "0x0000"],
    ["y", "0x0007"],
    ["Yes\n", "0x0007"],
    ["0x5", "0x0005"],
    ["7\n", "0x0007"],
    ["1", "0x0001"],
    ["6", "0x0006"],
    ["010", "0x0000"],
    ["8", "0x0000"],
    ["11", "0x0003"],
    ["4294967295", "0x0007"],
  ])("%j is taken whole and reads back as %s (SYS-01, SYS-02, SYS-04)", (text, read) => {
    const m = new Machine();
    expect(m.policy.sysfs.writeEnabled(m.cpu, text)).toBe(text.length);
    expect(m.policy.sysfs.readEnabled()).toBe(`${read}\n`);
  });

  test.each(["abc", "-1", "4294967296", " y", "0x"])(
    "%j is EINVAL and changes nothing (SYS-01, SYS-04)",
    (text) => {
      const m = new Machine();
      m.policy.sysfs.writeEnabled(m.cpu, "5");
      expect(m.policy.sysfs.writeEnabled(m.cpu, text)).toBe(-EINVAL);
      expect(m.policy.sysfs.readEnabled()).toBe("0x0005\n");
    },
  );

  test("an empty write is 0 and changes nothing (SYS-04)", () => {
    const m = new Machine();
    expect(m.policy.sysfs.writeEnabled(m.cpu, "")).toBe(0);
    expect(m.policy.sysfs.readEnabled()).toBe("0x0007\n");
  });

  test("walk and non-leaf bits are kept while the core is off (CAP-03)", () => {
    const m = new Machine();
    m.policy.sysfs.writeEnabled(m.cpu, "2");
    expect([m.policy.sysfs.readEnabled(), m.lruvec.lrugen.enabled]).toEqual(["0x0002\n", false]);
    m.policy.sysfs.writeEnabled(m.cpu, "3");
    expect([m.policy.sysfs.readEnabled(), m.lruvec.lrugen.enabled]).toEqual(["0x0003\n", true]);
  });
});

describe("min_ttl_ms", () => {
  test.each([
    ["0", "0"],
    ["1", "4"],
    ["3", "4"],
    ["4", "4"],
    ["5", "8"],
    ["1000", "1000"],
    ["0x10", "16"],
    ["2147483647\n", "2147483648"],
    ["2147483648", "4294967288"],
    ["4294967295", "4294967288"],
  ])("%s is kept in jiffies, rounded up, and reads back as %s (SYS-03)", (text, read) => {
    const { sysfs } = new Machine().policy;
    expect(sysfs.writeMinTtl(text)).toBe(text.length);
    expect(sysfs.readMinTtl()).toBe(`${read}\n`);
  });

  test.each(["-1", "1s", "4294967296", "abc"])(
    "%j is EINVAL and changes nothing (SYS-03)",
    (text) => {
      const { sysfs } = new Machine().policy;
      sysfs.writeMinTtl("100");
      expect(sysfs.writeMinTtl(text)).toBe(-EINVAL);
      expect([sysfs.readMinTtl(), sysfs.minTtlJiffies]).toEqual(["100\n", 25]);
    },
  );

  test("an empty write is 0 and changes nothing", () => {
    const { sysfs } = new Machine().policy;
    expect([sysfs.writeMinTtl(""), sysfs.readMinTtl()]).toEqual([0, "0\n"]);
  });
});
