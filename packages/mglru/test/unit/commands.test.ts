import { EEXIST, EINVAL, PG_SWAPBACKED, singleNode } from "@lrugen/mm-core";
import { describe, expect, test } from "vitest";
import { Machine } from "../machine.ts";

describe("aging by command", () => {
  test("opens one generation and returns the length of what was written (CMD-02, CMD-07)", () => {
    const m = new Machine();
    expect([m.write("+ 28 0 3\n"), m.lruvec.lrugen.maxSeq]).toEqual([9, 4]);
  });

  test("the sequence number is only a limit: an old one ages as well (CMD-07)", () => {
    const m = new Machine();
    m.age();
    expect([m.write("+ 28 0 0"), m.write("+ 28 0 5"), m.lruvec.lrugen.maxSeq]).toEqual([8, 8, 6]);
  });

  test.each([
    ["a younger one than there is (CMD-07)", "+ 28 0 4"],
    ["the largest number", "+ 28 0 18446744073709551615"],
    ["an unknown memcg (CMD-06)", "+ 999999 0 3"],
    ["memcg id 0", "+ 0 0 3"],
    ["an id beyond 2^53", "+ 9007199254740993 0 3"],
    ["an unknown node (CMD-06)", "+ 28 1 3"],
    ["a node that wraps to an unknown one", "+ 28 4294967297 3"],
    ["an unknown verb (CMD-06)", "x 28 0 3"],
    ["swappiness 202 (CMD-04)", "+ 28 0 3 202"],
    ["a word that is not max (CMD-04)", "+ 28 0 3 MAX"],
    ["a negative swappiness (CMD-04)", "+ 28 0 3 -1"],
    ["a fifth character of swappiness (CMD-04)", "+ 28 0 3 10000"],
    ["a syntax error (CMD-03)", "+ 28 0"],
    ["nothing (CMD-02)", ""],
    ["separators alone (CMD-02)", ";, \n"],
  ])("%s is EINVAL, and nothing ages", (_what, text) => {
    const m = new Machine();
    expect([m.write(text), m.lruvec.lrugen.maxSeq]).toEqual([-EINVAL, 3]);
  });

  test("a swappiness that the memcg has but no command may have is EINVAL (CMD-06)", () => {
    const m = new Machine({ swappinessOf: () => 202 });
    expect([m.write("+ 28 0 3"), m.write("+ 28 0 3 60")]).toEqual([-EINVAL, 11]);
  });

  test("is EEXIST while another walker holds the generation's iteration (AGE-01)", () => {
    const m = new Machine();
    m.lruvec.mmState.seq = 3;
    expect([m.write("+ 28 0 3"), m.lruvec.lrugen.maxSeq]).toEqual([-EEXIST, 3]);
  });

  test("names its node, each with generations of its own (CMD-03, CMD-06)", () => {
    const m = new Machine({ nodes: [...singleNode(1024), ...singleNode(1024)] });
    expect([m.write("+ 28 1 3"), m.write("+ 28 2 3")]).toEqual([8, -EINVAL]);
    expect(m.memcg.lruvecs.map(({ lrugen }) => lrugen.maxSeq)).toEqual([3, 4]);
  });
});

/** An address space that was walked once and did not run since. */
function idle(): Machine {
  const m = new Machine();
  const mm = m.mm();
  m.vma(mm, 0, 512);
  m.memory.pageTables.tableBelow(m.memory.pageTables.makePmdSlot(mm.pgd, 0));
  m.age("60 0");
  return m;
}

describe("force_scan, the last number (CMD-05)", () => {
  test.each([
    ["60", 1024],
    ["", 1024],
    ["60 1", 1024],
    ["60 18446744073709551616", 1024],
    ["60 0", 512],
    ["60 000", 512],
  ])("after %j the idle address space was walked up to %i PTEs in all", (rest, total) => {
    const m = idle();
    m.age(rest);
    expect(m.stats[0]).toBe(total);
  });
});

describe("swappiness, the fifth field (CMD-04)", () => {
  test.each([
    ["0", false, true],
    ["1", true, true],
    ["200", true, true],
    ["0x3c", true, true],
    ["010", true, true],
    ["+60", true, true],
    ["201", true, false],
    ["max", true, false],
  ])("%s moves the oldest anon: %s, the oldest file: %s (AGE-10)", (word, anon, file) => {
    const m = new Machine();
    const folios = [m.onList(0), m.onList(0, 0)];
    m.age(word);
    const found = [anon ? m.list(1) : m.list(4), file ? m.list(1, 1) : m.list(4, 1)];
    expect(found).toEqual(folios.map((folio) => [folio]));
  });
});

describe("several commands in one write (CMD-02)", () => {
  test("run from left to right, and the whole length is returned", () => {
    const m = new Machine();
    const text = "+ 28 0 3,+ 28 0 4 ;\n+ 28 0 5\n";
    expect([m.write(text), m.lruvec.lrugen.maxSeq]).toEqual([text.length, 6]);
  });

  test("stop at the first that fails; what went before stays", () => {
    const m = new Machine();
    expect([m.write("+ 28 0 3; z; + 28 0 4"), m.lruvec.lrugen.maxSeq]).toEqual([-EINVAL, 4]);
  });

  test("that contain anything but ASCII always fail", () => {
    const m = new Machine();
    expect(["é", "+ 28 0 3 é", "+ 28 0 3\u00a0", "+ 28 0 ３"].map((text) => m.write(text))).toEqual(
      Array(4).fill(-EINVAL),
    );
  });
});

describe("eviction by command", () => {
  test.each(["- 28 0 2", "- 28 0 3", "- 28 0 18446744073709551613"])(
    "%s asks for a generation that must remain: EINVAL (CMD-08)",
    (text) => {
      expect(new Machine().write(text)).toBe(-EINVAL);
    },
  );

  test.each(["18446744073709551614", "18446744073709551615"])(
    "- 28 0 %s passes, since the sum wraps in 64 bits, and frees any generation (scenario 168)",
    (seq) => {
      const m = new Machine();
      const [first, second] = [m.onList(0, 0), m.onList(1, 0)];
      const text = `- 28 0 ${seq} 0`;
      expect([m.write(text), m.reclaimer.processed]).toEqual([text.length, [first, second]]);
    },
  );

  test("frees all of the oldest generations up to the one named (CMD-08)", () => {
    const m = new Machine();
    const [first, second] = [m.onList(0, 0), m.onList(1, 0)];
    expect([m.write("- 28 0 0 0"), m.reclaimer.processed]).toEqual([10, [first]]);
    expect([m.write("- 28 0 1 0"), m.reclaimer.processed]).toEqual([10, [first, second]]);
    expect([...m.lruvec.lrugen.minSeq]).toEqual([0, 2]);
  });

  test("succeeds with nothing to do, and counts as proactive (CMD-08, CMD-10)", () => {
    const m = new Machine();
    expect(m.write("- 28 0 1")).toBe(8);
    m.onList(0, PG_SWAPBACKED);
    m.lruvec.lrugen.minSeq.fill(0);
    m.write("- 28 0 1");
    expect(m.events).toEqual({
      pgscan_proactive: 1,
      pgscan_anon: 1,
      pgsteal_proactive: 1,
      pgsteal_anon: 1,
    });
  });

  test("stops at nr_to_reclaim pages, which large folios overshoot (CMD-08, CMD-09)", () => {
    const m = new Machine();
    for (let i = 0; i < 10; i++) m.onList(0, 0);
    m.write("- 28 0 1 0 3");
    expect(m.reclaimer.batches.map((batch) => batch.length)).toEqual([3]);
    const large = new Machine();
    for (let i = 0; i < 10; i++) large.onList(0, 0, 3);
    large.write("- 28 0 1 0 3");
    expect(large.reclaimer.processed.length).toBe(3); // folios: 24 pages
  });

  test("goes on in batches of 64 pages (CMD-08)", () => {
    const m = new Machine();
    for (let i = 0; i < 150; i++) m.onList(0, 0);
    m.write("- 28 0 1 0");
    expect(m.reclaimer.batches.map((batch) => batch.length)).toEqual([64, 64, 22]);
  });

  test("takes 0 pages for none (CMD-05)", () => {
    const m = new Machine();
    m.onList(0, 0);
    expect([m.write("- 28 0 1 0 0"), m.reclaimer.batches]).toEqual([12, []]);
  });

  test("may evict a younger generation of file while anon has older ones (CMD-09)", () => {
    const m = new Machine();
    m.age();
    m.lruvec.lrugen.minSeq.set([1, 2]);
    const file = m.onList(2, 0);
    m.onList(1, PG_SWAPBACKED);
    m.write("- 28 0 1 60 1");
    expect(m.reclaimer.processed).toEqual([file]);
  });

  test("neither ages, nor drains, nor minds protection (CMD-08, CMD-10)", () => {
    const m = new Machine();
    m.memcg.memory.min = Infinity;
    m.memcg.memory.emin = Infinity;
    m.onList(0, 0);
    m.write("- 28 0 1");
    expect([m.lruvec.lrugen.maxSeq, m.batches.drains, m.reclaimer.processed.length]).toEqual([
      3, 0, 1,
    ]);
  });

  test("stops when what is left cannot be freed and has moved on (CMD-08, EVT-42)", () => {
    const m = new Machine();
    const folio = m.onList(0, 0);
    m.reclaimer.fate = () => "activate";
    expect([m.write("- 28 0 1"), m.state(folio)]).toEqual([8, "gen 2"]);
  });

  test("its other fields are judged as those of aging (CMD-06)", () => {
    const m = new Machine();
    const wrong = ["- 29 0 1", "- 28 1 1", "- 28 0 1 202", "- 28 0 1 60 -1", "- 28 0"];
    expect(wrong.map((text) => m.write(text))).toEqual(wrong.map(() => -EINVAL));
  });
});
