import { FormatError } from "./format-error.ts";
import { LineError, parseLruGenLine, type LruGenLine } from "./lru-gen-line.ts";
import {
  MAX_NR_GENS,
  MAX_NR_TIERS,
  type LruGenField,
  type LruGenGeneration,
  type LruGenMemcg,
  type LruGenNode,
  type LruGenTier,
  type SizeMark,
  type StatMark,
} from "./lru-gen.ts";

const MAX_NODES = 1024;
const MAX_LINE_CHARS = 8192;

interface OpenGeneration {
  readonly seq: number;
  readonly ageMs: number;
  readonly anon: LruGenField<SizeMark>;
  readonly file: LruGenField<SizeMark>;
  readonly tiers: LruGenTier[];
  mmStats: readonly LruGenField<StatMark>[];
}

interface OpenNode {
  readonly node: number;
  readonly generations: LruGenGeneration[];
}

interface OpenMemcg {
  readonly id: number;
  readonly path: string;
  readonly nodes: LruGenNode[];
}

/**
 * Reads `lru_gen` and `lru_gen_full` text line by line, holding one memcg at a time: a memcg has at most 1024 nodes of four
 * generations, and a line at most 8192 characters, so memory is bounded whatever the input. Dumps may follow each other.
 *
 * Reads what Linux 7.3 prints, what 6.x printed (padded 16-bit ids, six walk counters, spaces where 7.3 has `x`), the `-0` of
 * early MGLRU kernels, and text that lost its trailing blanks.
 *
 * ```ts
 * for await (const line of lines) { const memcg = reader.push(line); if (memcg) show(memcg); }
 * const last = reader.end();
 * ```
 */
export class LruGenReader {
  readonly #source: string;
  #line = 0;
  #memcg: OpenMemcg | undefined;
  #node: OpenNode | undefined;
  #generation: OpenGeneration | undefined;
  /** The first generation of the memcg: all others must have the same lines. */
  #shape: LruGenGeneration | undefined;

  /** @param source name of the input, for messages */
  constructor(source: string) {
    this.#source = source;
  }

  /**
   * Takes the next line, without its line end. Empty lines are skipped.
   *
   * @returns the memcg that this line shows to be complete
   * @throws FormatError
   */
  push(line: string): LruGenMemcg | undefined {
    this.#line += 1;
    if (line === "") return undefined;
    const parsed = this.#parse(line);
    let done: LruGenMemcg | undefined;
    switch (parsed.kind) {
      case "memcg":
        done = this.#closeMemcg(line);
        this.#memcg = { id: parsed.id, path: parsed.path, nodes: [] };
        break;
      case "node":
        this.#closeNode(line);
        this.#openNode(parsed.node, line);
        break;
      case "generation":
        this.#closeGeneration(line);
        this.#openGeneration(parsed, line);
        break;
      case "tier":
        this.#addTier(parsed, line);
        break;
      case "stats":
        this.#addStats(parsed.mmStats, line);
        break;
    }
    return done;
  }

  /**
   * The input is over.
   *
   * @returns the last memcg
   * @throws FormatError if it is not complete, or there was nothing at all
   */
  end(): LruGenMemcg {
    this.#line += 1;
    return this.#closeMemcg(undefined) ?? this.#fail(undefined, "a memcg line");
  }

  #parse(line: string): LruGenLine {
    if (line.length > MAX_LINE_CHARS)
      this.#fail(line, `a line of at most ${MAX_LINE_CHARS} characters`);
    try {
      return parseLruGenLine(line);
    } catch (error) {
      if (error instanceof LineError) this.#fail(error.found, error.expected);
      throw error;
    }
  }

  #openNode(node: number, line: string): void {
    const nodes = this.#memcg?.nodes ?? this.#fail(line, "a memcg line");
    const last = nodes.at(-1)?.node ?? -1;
    if (node <= last || node >= MAX_NODES)
      this.#fail(line, `a node from ${last + 1} to ${MAX_NODES - 1}`);
    this.#node = { node, generations: [] };
  }

  #openGeneration(parsed: LruGenLine & { kind: "generation" }, line: string): void {
    const { generations } =
      this.#node ?? this.#fail(line, this.#memcg === undefined ? "a memcg line" : "a node line");
    const last = generations.at(-1)?.seq;
    if (generations.length === MAX_NR_GENS) this.#fail(line, `at most ${MAX_NR_GENS} generations`);
    if (last !== undefined && parsed.seq !== last + 1) this.#fail(line, `generation ${last + 1}`);
    const { seq, ageMs, anon, file } = parsed;
    this.#generation = { seq, ageMs, anon, file, tiers: [], mmStats: [] };
  }

  #addTier({ tier, anon, file }: LruGenLine & { kind: "tier" }, line: string): void {
    const { tiers, mmStats } = this.#generation ?? this.#fail(line, this.#missing());
    if (tier !== tiers.length || tier >= MAX_NR_TIERS || mmStats.length > 0)
      this.#fail(line, this.#missing());
    tiers.push({ anon, file });
  }

  #addStats(mmStats: readonly LruGenField<StatMark>[], line: string): void {
    const generation = this.#generation;
    if (
      generation === undefined ||
      generation.tiers.length !== MAX_NR_TIERS ||
      generation.mmStats.length > 0
    ) {
      this.#fail(line, this.#missing());
    }
    generation.mmStats = mmStats;
  }

  #closeGeneration(line: string | undefined): void {
    const generation = this.#generation;
    if (generation === undefined) return;
    const shape = (this.#shape ??= generation);
    const tiersMissing = generation.tiers.length > 0 && generation.tiers.length < MAX_NR_TIERS;
    if (tiersMissing || generation.tiers.length < shape.tiers.length)
      this.#fail(line, `tier ${generation.tiers.length}`);
    if (
      generation.tiers.length !== shape.tiers.length ||
      generation.mmStats.length !== shape.mmStats.length
    ) {
      this.#fail(
        line,
        `generation ${generation.seq} to have as many tiers and statistics as generation ${shape.seq}`,
      );
    }
    this.#node!.generations.push(generation);
    this.#generation = undefined;
  }

  #closeNode(line: string | undefined): void {
    this.#closeGeneration(line);
    if (this.#node === undefined) return;
    if (this.#node.generations.length === 0) this.#fail(line, "a generation line");
    this.#memcg!.nodes.push(this.#node);
    this.#node = undefined;
  }

  #closeMemcg(line: string | undefined): LruGenMemcg | undefined {
    this.#closeNode(line);
    const memcg = this.#memcg;
    if (memcg?.nodes.length === 0) this.#fail(line, "a node line");
    this.#memcg = undefined;
    this.#shape = undefined;
    return memcg;
  }

  /** What the text should go on with, where a tier or statistics line is out of place. */
  #missing(): string {
    if (this.#memcg === undefined) return "a memcg line";
    if (this.#node === undefined) return "a node line";
    if (this.#generation === undefined) return "a generation line";
    const tiers = this.#generation.tiers.length;
    return tiers < MAX_NR_TIERS ? `tier ${tiers}` : "the next generation, node or memcg";
  }

  #fail(found: string | undefined, expected: string): never {
    throw new FormatError(this.#source, this.#line, found, expected);
  }
}

/**
 * Reads a whole text, one memcg at a time.
 *
 * @param lines without line ends
 * @param source name of the input, for messages
 * @throws FormatError at the first line that does not fit
 */
export function* readLruGen(lines: Iterable<string>, source: string): Generator<LruGenMemcg> {
  const reader = new LruGenReader(source);
  for (const line of lines) {
    const memcg = reader.push(line);
    if (memcg !== undefined) yield memcg;
  }
  yield reader.end();
}
