import fc from "fast-check";

/** The regions every random scenario maps: order 0, each interesting folio size, no large folios. */
const REGIONS = [
  { name: "A", pages: 40, thp: "" },
  { name: "M", pages: 70, thp: " thp=16kB" },
  { name: "N", pages: 96, thp: " thp=64kB" },
  { name: "H", pages: 1100, thp: " thp=2048kB" },
  { name: "S", pages: 520, thp: " thp=never" },
] as const;

/** A small machine: the checkers look at every page frame after every line. */
const PREAMBLE = [
  "#! mem=32M",
  ...REGIONS.map(({ name, pages, thp }) => `anon ${name} ${pages}${thp}`),
];
const WORKERS = ["w0", "c1", "c2"] as const;
const ADVICE = [
  "cold",
  "free",
  "dontneed",
  "random",
  "normal",
  "sequential",
  "hugepage",
  "nohugepage",
  "populate_read",
  "populate_write",
] as const;

const range = fc
  .record({ region: fc.constantFrom(...REGIONS), at: fc.double({ min: 0, max: 1, noNaN: true }) })
  .chain(({ region, at }) => {
    const first = Math.min(Math.floor(at * region.pages), region.pages - 1);
    return fc
      .integer({ min: 1, max: region.pages - first })
      .map((count) => `${region.name} ${first} ${count}`);
  });

const worker = fc.constantFrom(...WORKERS);
const line = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(worker, text).map(([who, what]) => `@${who} ${what}`);

const command = fc.oneof(
  {
    weight: 10,
    arbitrary: line(
      fc
        .tuple(range, fc.constantFrom("r", "w"), fc.constantFrom("", " 2", " 7", " 16"))
        .map(([pages, access, step]) => `touch ${pages} ${access}${step}`),
    ),
  },
  { weight: 2, arbitrary: line(range.map((pages) => `mlock ${pages}`)) },
  { weight: 2, arbitrary: line(range.map((pages) => `munlock ${pages}`)) },
  { weight: 1, arbitrary: line(range.map((pages) => `unmap ${pages}`)) },
  {
    weight: 5,
    arbitrary: line(
      fc
        .tuple(fc.constantFrom(...ADVICE), range)
        .map(([advice, pages]) => `madvise ${pages.replace(" ", ` ${advice} `)}`),
    ),
  },
  { weight: 3, arbitrary: fc.constant("drain") },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "age",
      "age 60",
      "age 0",
      "age 201",
      "age 1 0",
      "age 200 0",
      "age max 1",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("enabled 7", "enabled 5", "enabled 3", "enabled 1") },
  { weight: 1, arbitrary: fc.constantFrom("enabled n", "enabled y") },
  { weight: 1, arbitrary: line(fc.constant("nop")) },
);

/**
 * Random scenarios of anonymous memory: three workers, the second and third forked somewhere on the
 * way, one of which may exit near the end. Commands of workers that do not exist yet are left out.
 * @param commands how many, at most
 */
export function anonScenario(commands: number): fc.Arbitrary<string> {
  return fc
    .record({
      body: fc.array(command, { minLength: 5, maxLength: commands, size: "max" }),
      forks: fc.tuple(fc.nat(commands - 1), fc.nat(commands - 1)),
      exit: fc.constantFrom("@w0 exit", "@c1 exit", "nop"),
    })
    .map(({ body, forks: [first, second], exit }) => {
      const lines: string[] = [...PREAMBLE];
      const alive = new Set<string>(["w0"]);
      for (const [i, text] of body.entries()) {
        if (i === first) lines.push("@w0 fork c1");
        if (i === first) alive.add("c1");
        if (i === second && alive.has("c1")) lines.push("@c1 fork c2");
        if (i === second && alive.has("c1")) alive.add("c2");
        const who = /^@(\S+)/.exec(text)?.[1];
        if (who === undefined || alive.has(who)) lines.push(text);
      }
      if (exit === "nop" || alive.has(exit.slice(1, 3))) lines.push(exit, "drain");
      return `${lines.join("\n")}\n`;
    });
}
