import fc from "fast-check";

const PREAMBLE = `#! mem=32M
anon A 300
anon M 200 thp=64kB
anon H 1024 thp=2048kB
shm X 100
file F 700
open 0 F
map P F
`;

const pages = fc
  .tuple(fc.constantFrom("A 300", "M 200", "H 1024", "X 100", "P 700"), fc.nat(999), fc.nat(999))
  .map(([region, at, size]) => {
    const [name, count] = region.split(" ") as [string, string];
    const first = Math.floor((Number(count) * at) / 1000);
    return { name, range: `${first} ${1 + (size % (Number(count) - first))}` };
  });
const high = fc.integer({ min: 0, max: 2000 }).map((n) => `cg memory.high ${n * 4}K`);
const limit = fc.integer({ min: 40, max: 1500 }).map((n) => `${n * 4}K`);

const command = fc.oneof(
  { weight: 8, arbitrary: pages.map(({ name, range }) => `touch ${name} ${range} r`) },
  {
    weight: 8,
    arbitrary: pages
      .filter(({ name }) => name !== "P")
      .map(({ name, range }) => `touch ${name} ${range} w`),
  },
  { weight: 5, arbitrary: pages.map(({ range }) => `read 0 ${range}`) },
  { weight: 2, arbitrary: pages.map(({ name, range }) => `madvise ${name} pageout ${range}`) },
  { weight: 1, arbitrary: pages.map(({ name, range }) => `madvise ${name} dontneed ${range}`) },
  { weight: 1, arbitrary: pages.map(({ name, range }) => `mlock ${name} ${range}`) },
  { weight: 1, arbitrary: pages.map(({ name, range }) => `munlock ${name} ${range}`) },
  { weight: 3, arbitrary: limit.map((size) => `cg memory.max ${size}`) },
  { weight: 1, arbitrary: fc.constant("cg memory.max max") },
  { weight: 2, arbitrary: high },
  { weight: 1, arbitrary: fc.constantFrom("cg memory.high max", "cg memory.min 400K") },
  { weight: 1, arbitrary: fc.constantFrom("cg memory.swap.max 0", "cg memory.swap.max max") },
  { weight: 3, arbitrary: limit.map((size) => `reclaim ${size}`) },
  { weight: 3, arbitrary: fc.constantFrom("evict 60 50", "evict 200 100", "evict 1 100") },
  { weight: 3, arbitrary: fc.constantFrom("age 60", "age 0", "age 201", "drain", "sleep 300") },
);

/**
 * Random scenarios of one process whose memory is more than its limits allow: anonymous memory with large
 * folios, shared memory and a file.
 * @param commands how many, [fewest, most]
 */
export function limitScenario([minLength, maxLength]: readonly [
  number,
  number,
]): fc.Arbitrary<string> {
  return fc
    .array(command, { minLength, maxLength, size: "max" })
    .map((lines) => `${PREAMBLE}${lines.join("\n")}\n`);
}
