import fc from "fast-check";

/** Regions of every kind over two files; F is small enough that windows reach its end. */
const REGIONS = [
  { name: "A", pages: 60, kind: "anon" },
  { name: "T", pages: 96, kind: "anon", thp: " thp=64kB" },
  { name: "S", pages: 40, kind: "shm" },
  { name: "MF", pages: 150, kind: "map", file: "F r" },
  { name: "MW", pages: 150, kind: "map", file: "F rw shared" },
  { name: "MP", pages: 300, kind: "map", file: "G rw private" },
  { name: "MX", pages: 300, kind: "map", file: "G rx" },
] as const;

const FILES = [
  { name: "F", pages: 150, fd: 0 },
  { name: "G", pages: 300, fd: 1 },
] as const;

const ADVICE = [
  "cold",
  "pageout",
  "dontneed",
  "random",
  "normal",
  "sequential",
  "willneed",
  "populate_read",
];
const FADVICE = ["random", "normal", "sequential", "willneed", "dontneed", "noreuse"];

/** A small machine, all its regions mapped and both files open, before the first random command. */
const PREAMBLE = [
  "#! mem=8M",
  ...FILES.map(({ name, pages }) => `file ${name} ${pages}`),
  ...FILES.map(({ name, fd }) => `open ${fd} ${name}`),
  ...REGIONS.map((region) => {
    if (region.kind === "map") return `map ${region.name} ${region.file}`;
    return `${region.kind} ${region.name} ${region.pages}${"thp" in region ? region.thp : ""}`;
  }),
];

/** `first count` inside something of so many pages, mostly short. */
const within = (pages: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.nat(pages - 1),
      fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: pages })),
    )
    .map(([first, count]) => `${first} ${Math.min(count, pages - first)}`);

const region = fc.constantFrom(...REGIONS);
const inRegion = region.chain(({ name, pages }) => within(pages).map((range) => ({ name, range })));
const inFile = fc
  .constantFrom(...FILES)
  .chain(({ fd, pages }) => within(pages).map((range) => ({ fd, range })));

const command = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.tuple(inRegion, fc.constantFrom("r", "w")).map(([{ name, range }, access]) => {
      // A write through a read-only mapping would kill the worker.
      const readOnly = name === "MF" || name === "MX";
      return `touch ${name} ${range} ${readOnly ? "r" : access}`;
    }),
  },
  {
    weight: 10,
    arbitrary: fc
      .tuple(inFile, fc.constantFrom(100, 4096))
      .map(([{ fd, range }, bytes]) => `read ${fd} ${range} ${bytes}`),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(inFile, fc.constantFrom(100, 4096))
      .map(([{ fd, range }, bytes]) => `pwrite ${fd} ${range} ${bytes}`),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...FADVICE), inFile)
      .map(([advice, { fd, range }]) => `fadvise ${fd} ${advice} ${range}`),
  },
  { weight: 2, arbitrary: fc.constantFrom("fsync 0", "fsync 1", "sleep 5") },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom(...ADVICE), inRegion)
      .map(([advice, { name, range }]) => `madvise ${name} ${advice} ${range}`),
  },
  { weight: 2, arbitrary: inRegion.map(({ name, range }) => `mlock ${name} ${range}`) },
  { weight: 2, arbitrary: inRegion.map(({ name, range }) => `munlock ${name} ${range}`) },
  { weight: 3, arbitrary: fc.constant("drain") },
  {
    weight: 5,
    arbitrary: fc.constantFrom("age", "age 60", "age 0", "age 201", "age 1 0", "age max 1"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "enabled 7",
      "enabled 5",
      "enabled 3",
      "enabled y",
      "enabled n",
      "enabled 6",
    ),
  },
);

/**
 * Random scenarios of files, shared memory and anonymous memory together: one process and, from
 * somewhere on, its child.
 * @param commands how many
 */
export function fileScenario(commands: number): fc.Arbitrary<string> {
  return fc
    .record({
      body: fc.array(fc.tuple(command, fc.boolean()), {
        minLength: commands,
        maxLength: commands,
        size: "max",
      }),
      fork: fc.nat(commands - 1),
    })
    .map(({ body, fork }) => {
      const lines: string[] = [...PREAMBLE];
      for (const [i, [text, child]] of body.entries()) {
        if (i === fork) lines.push("fork c1");
        const forWorker = !/^(?:drain|age|enabled|sleep)/.test(text);
        lines.push(i >= fork && child && forWorker ? `@c1 ${text}` : text);
      }
      return `${lines.join("\n")}\n`;
    });
}
