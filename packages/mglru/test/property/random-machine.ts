import {
  LRU_REFS_MASK,
  LRU_REFS_PGOFF,
  type Lruvec,
  type MappedFile,
  type Memcg,
  type Mm,
  NIL,
  PG_ACTIVE,
  PG_REFERENCED,
  PG_SWAPBACKED,
  PG_WORKINGSET,
  singleNode,
  VM_EXEC,
  VM_LOCKED,
  VM_RAND_READ,
  VM_READ,
  VM_WRITE,
  type Vma,
} from "@lrugen/mm-core";
import fc from "fast-check";
import type { IncMinSeqFeatures } from "../../src/index.ts";
import {
  type FakeNotifier,
  FILE,
  Machine,
  P4D,
  PMD,
  PUD,
  REGION,
  SHMEM,
  subscribe,
} from "../machine.ts";
import { mapPmd, mapPtes, touch } from "../mapping.ts";

const RW = VM_READ | VM_WRITE;

/** What a region maps: VMA flags, file, and whether its folios are anon by type. */
const KINDS = {
  anon: { flags: RW, file: null },
  file: { flags: RW, file: FILE },
  exec: { flags: VM_READ | VM_EXEC, file: FILE },
  execAnon: { flags: RW | VM_EXEC, file: null },
  shmem: { flags: RW, file: SHMEM },
  dax: { flags: RW, file: { ...FILE, readFolio: false } },
  locked: { flags: RW | VM_LOCKED, file: null },
  random: { flags: RW | VM_RAND_READ, file: null },
} as const satisfies Record<string, { readonly flags: number; readonly file: MappedFile | null }>;

type Kind = keyof typeof KINDS;

/** What a folio is marked with before it is added. */
const STATES: readonly number[] = [
  0,
  0,
  PG_REFERENCED,
  PG_REFERENCED,
  PG_REFERENCED | (1 << LRU_REFS_PGOFF),
  PG_REFERENCED | LRU_REFS_MASK,
  LRU_REFS_MASK,
  PG_WORKINGSET,
  PG_WORKINGSET | PG_REFERENCED | LRU_REFS_MASK,
  PG_ACTIVE,
  PG_ACTIVE | PG_WORKINGSET,
];

const region = fc.record({
  mm: fc.nat(3),
  kind: fc.constantFrom<Kind>(
    "anon",
    "anon",
    "file",
    "exec",
    "execAnon",
    "shmem",
    "dax",
    "locked",
    "random",
  ),
  /** Where it begins, seen from the end of the region before it in the address space. */
  gap: fc.nat(6),
  /** Unmapped pages at its end. */
  room: fc.nat(300),
  /** Folios of one size, with what their PTEs and flags are made of. */
  chunks: fc.array(
    fc.record({ order: fc.constantFrom(0, 0, 0, 0, 1, 2, 3, 5, 9), seed: fc.nat() }),
    { minLength: 1, maxLength: 4 },
  ),
  /** Maps the folios of an earlier region instead of its own. */
  shares: fc.option(fc.nat(), { freq: 3 }),
});

/** A machine to build: address spaces, and what they map. */
export const machineSpecs = fc.record({
  twoNodes: fc.boolean(),
  mms: fc.array(fc.record({ memcg: fc.nat(2), notified: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
  regions: fc.array(region, { minLength: 1, maxLength: 7, size: "max" }),
});

export type MachineSpec = typeof machineSpecs extends fc.Arbitrary<infer T> ? T : never;

/** One aging: whose, and the two optional words of the command. */
export interface AgeStep {
  readonly op: "age";
  readonly pick: number;
  readonly swappiness: number;
  readonly force: boolean;
}

/** Something that happens between agings; `pick` and `seed` choose among what there is. */
export interface OtherStep {
  readonly op:
    | "touch"
    | "secondary"
    | "use"
    | "read"
    | "isolate"
    | "putBack"
    | "rejoin"
    | "migrate"
    | "caps";
  readonly pick: number;
  readonly seed: number;
}

export type Step = AgeStep | OtherStep;

const age: fc.Arbitrary<AgeStep> = fc.record({
  op: fc.constant("age" as const),
  pick: fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 5),
  swappiness: fc.constantFrom(60, 60, 60, 60, 0, 1, 200, 201),
  force: fc.boolean(),
});

const other: fc.Arbitrary<OtherStep> = fc.record({
  op: fc.constantFrom(
    "touch",
    "touch",
    "touch",
    "secondary",
    "use",
    "use",
    "read",
    "isolate",
    "putBack",
    "rejoin",
    "migrate",
    "caps",
    "caps",
  ),
  pick: fc.nat(),
  seed: fc.nat(),
});

export const steps: fc.Arbitrary<Step[]> = fc.array(fc.oneof(age, other), {
  maxLength: 40,
  size: "max",
});

/** A machine built from a spec, and the steps it can take. */
export class World {
  readonly m: Machine;
  readonly mms: Mm[];
  readonly memcgs: Memcg[];
  /** Every folio that is on the lists or isolated. */
  readonly folios: number[] = [];
  /** Called when an address space left its list. */
  onLeave: (mm: Mm) => void = () => {};
  private readonly notifiers = new Map<Mm, FakeNotifier>();
  private readonly vmas: { readonly vma: Vma; readonly folios: readonly number[] }[] = [];
  private readonly isolated: number[] = [];

  constructor(spec: MachineSpec, features: readonly (keyof IncMinSeqFeatures)[] = []) {
    const small = [
      {
        zones: [
          { zone: 1, pages: 1024 },
          { zone: 2, pages: 1024 },
        ],
      },
      { zones: [{ zone: 2, pages: 6144 }] },
    ];
    this.m = new Machine({
      nodes: spec.twoNodes ? small : singleNode(8192),
      pageTables: 256,
      features,
    });
    const { memory, memcg } = this.m;
    this.memcgs = [
      memcg,
      memory.createMemcg(memcg, 29, "a"),
      memory.createMemcg(memory.root, 30, "u"),
    ];
    this.mms = spec.mms.map((each) => {
      const mm = this.m.mm(this.memcgs[each.memcg]);
      if (each.notified) this.notifiers.set(mm, subscribe(mm));
      return mm;
    });
    for (const each of spec.regions) this.mapRegion(each);
  }

  /** Lists an aging is about. */
  lruvecOf(step: AgeStep): Lruvec {
    const memcg = this.memcgs[step.pick % 3]!;
    return memcg.lruvecs[Math.floor(step.pick / 3) % memcg.lruvecs.length]!;
  }

  /** The debugfs command of an aging. */
  commandOf(step: AgeStep): string {
    const { memcg, node, lrugen } = this.lruvecOf(step);
    return `+ ${memcg.id} ${node} ${lrugen.maxSeq} ${step.swappiness} ${step.force ? 1 : 0}`;
  }

  /** Virtual pages in which a secondary MMU of the address space is young. */
  secondaryYoung(mm: Mm): Set<number> | undefined {
    return this.notifiers.get(mm)?.young;
  }

  /** Takes a step that is no aging. */
  take({ op, pick, seed }: OtherStep): void {
    const { m } = this;
    const mm = this.mms[pick % this.mms.length]!;
    const target = this.vmas[pick % Math.max(this.vmas.length, 1)];
    if (op === "use") m.policy.useMm(mm);
    else if (op === "rejoin" || op === "migrate") this.move(op, mm, seed);
    else if (op === "caps")
      m.policy.sysfs.writeEnabled(m.cpu, ["7", "7", "5", "3", "1"][seed % 5]!);
    else if (op === "touch" && target) {
      const from = target.vma.start + (seed % (target.vma.end - target.vma.start));
      this.access(target.vma, from, Math.min(target.vma.end, from + 1 + ((seed >> 4) % 700)));
    } else if (op === "secondary" && target) {
      const young = this.notifiers.get(target.vma.mm)?.young;
      for (let i = 0; i < 20; i++)
        young?.add(target.vma.start + (hash(seed, i) % (target.vma.end - target.vma.start)));
    } else if (op === "read" || op === "isolate" || op === "putBack") this.handle(op, seed);
  }

  private handle(op: "read" | "isolate" | "putBack", seed: number): void {
    const { m } = this;
    const folio = this.folios[seed % Math.max(this.folios.length, 1)];
    if (folio === undefined) return;
    if (op === "read") m.policy.markAccessed(m.cpu, folio);
    else if (op === "putBack") {
      const back = this.isolated.shift();
      if (back !== undefined) m.add(back, (seed & 1) === 1);
    } else if (!this.isolated.includes(folio)) {
      m.isolate(folio);
      this.isolated.push(folio);
    }
  }

  private move(op: "rejoin" | "migrate", mm: Mm, seed: number): void {
    const before = mm.listedIn;
    if (op === "migrate") this.m.policy.mmMigrate(mm, this.memcgs[seed % 3]!);
    else {
      this.m.policy.mmDel(mm);
      this.m.policy.mmAdd(mm, before!);
    }
    if (op === "rejoin" || before !== mm.listedIn) this.onLeave(mm);
  }

  /** An access by hardware: the leaf and the entry above it turn young. */
  private access(vma: Vma, from: number, to: number): void {
    touch(this.m.memory, vma.mm, from, to - from);
  }

  private mapRegion(spec: MachineSpec["regions"][number]): void {
    const mm = this.mms[spec.mm % this.mms.length]!;
    const shared =
      spec.shares === null ? undefined : this.vmas[spec.shares % Math.max(this.vmas.length, 1)];
    const kind = KINDS[spec.kind];
    const start = startAfter(mm.vmas.at(-1)?.end ?? REGION, spec.gap);
    const vma = this.m.vma(mm, start, 4096, kind.flags, kind.file);
    const folios: number[] = [];
    let at = start;
    for (const chunk of spec.chunks) at = this.mapChunk(vma, at, chunk, shared?.folios, folios);
    vma.end = Math.max(at + spec.room, start + 1);
    this.vmas.push({ vma, folios });
  }

  /** @returns the virtual page behind what was mapped */
  private mapChunk(
    vma: Vma,
    start: number,
    { order, seed }: { readonly order: number; readonly seed: number },
    shared: readonly number[] | undefined,
    folios: number[],
  ): number {
    let at = start;
    const count = order === 0 ? 1 + (seed % 40) : order === 9 ? 1 : 1 + (seed % 5);
    for (let i = 0; i < count; i++) {
      const folio =
        shared === undefined
          ? this.fresh(vma, order, hash(seed, i))
          : shared[(seed + i) % shared.length];
      if (folio === undefined) break;
      const pages = this.m.memory.folios.nrPagesOf(folio);
      const byPmd =
        pages === PMD && (seed & 1) === 1 && !folios.includes(folio) && shared === undefined;
      if (byPmd) at = Math.ceil(at / PMD) * PMD;
      if (at + pages > vma.start + 4096) break;
      if (byPmd) mapPmd(this.m.memory, vma, at, folio, "oyOY"[hash(seed, 99) % 4]!);
      else mapPtes(this.m.memory, vma, at, folio, lettersOf(pages, hash(seed, i)));
      folios.push(folio);
      at += pages;
    }
    return at;
  }

  /** A folio of the kind the VMA maps, on the lists of its memcg or, now and then, of another. */
  private fresh(vma: Vma, order: number, seed: number): number | undefined {
    const { memory } = this.m;
    const memcg = seed % 7 === 0 ? this.memcgs[seed % 3]! : vma.mm.memcg;
    const folio = memory.allocFolio(order, memcg);
    if (folio === NIL) return undefined;
    if (vma.file === null || vma.file.shmem) memory.folios.flags[folio]! |= PG_SWAPBACKED;
    if (vma.file !== null) memory.folios.mapping[folio] = vma.file.id * 2;
    memory.folios.flags[folio]! |= STATES[(seed >> 3) % STATES.length]!;
    this.folios.push(this.m.add(folio));
    return folio;
  }
}

/** Mixes two numbers into 24 bits. */
function hash(a: number, b: number): number {
  const mixed = Math.imul(a ^ Math.imul(b + 1, 0x9e37_79b1), 0x85eb_ca6b);
  return (mixed ^ (mixed >>> 13)) & 0xff_ffff;
}

/** PTEs of a folio: all young, all old, mixed, or with holes. */
function lettersOf(pages: number, seed: number): string {
  const style = ["yyyY", "ooooO", "oyOY", "oooooooy", "o.y.Yz"][seed % 5]!;
  return Array.from({ length: pages }, (_, i) => style[hash(seed, i) % style.length]).join("");
}

/** A start that shares a table with what ends at `end`, or lies at a border of one. */
function startAfter(end: number, gap: number): number {
  const before = (unit: number, pages: number): number =>
    Math.max(end, Math.ceil((end + 1) / unit) * unit - pages);
  return [
    end,
    end + 7,
    before(PMD, 5),
    before(PMD, 0),
    before(PUD, 9),
    before(PUD, 0),
    before(P4D, 9),
  ][gap]!;
}
