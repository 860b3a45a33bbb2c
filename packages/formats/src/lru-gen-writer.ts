import {
  MAX_NR_GENS,
  MAX_NR_TIERS,
  type LruGenField,
  type LruGenGeneration,
  type LruGenMemcg,
  type LruGenTier,
} from "./lru-gen.ts";

/** What {@link formatLruGen} prints. */
export interface LruGenWriterOptions {
  /**
   * True: `lru_gen_full`; every generation must have its tiers. False: `lru_gen`; marks, tiers, statistics and generations
   * older than `min_seq` of both types are left out (TXT-04), so a full record gives the short file's text.
   */
  readonly full: boolean;
}

/**
 * The lines of `lru_gen` or `lru_gen_full`, without line ends, exactly as Linux 7.3 prints them (TXT-02, TXT-03, TXT-05 .. TXT-08).
 *
 * @throws RangeError naming memcg and field, if a number is not an integer from 0 to 2^53 − 1, or the shape is not one that the
 * kernel could print
 */
export function formatLruGen(
  records: Iterable<LruGenMemcg>,
  options: LruGenWriterOptions,
): string[] {
  return [...lruGenLines(records, options)];
}

/** {@link formatLruGen}, a line at a time. */
export function* lruGenLines(
  records: Iterable<LruGenMemcg>,
  options: LruGenWriterOptions,
): Generator<string> {
  for (const memcg of records) {
    const where = `memcg ${memcg.id} ${memcg.path}`;
    yield `memcg ${digits(memcg.id, where, "id")} ${checkPath(memcg.path)}`;
    check(memcg.nodes.length > 0, where, "has no node");
    for (const { node, generations } of memcg.nodes) {
      yield ` node ${digits(node, where, "node").padStart(5)}`;
      check(
        generations.length >= 1 && generations.length <= MAX_NR_GENS,
        where,
        `has ${generations.length} generations on node ${node}, expected 1 to ${MAX_NR_GENS}`,
      );
      for (const generation of generations) {
        if (options.full) yield* fullGeneration(generation, where);
        else if (generation.anon.mark !== "x" || generation.file.mark !== "x") {
          yield generationLine(generation, " ", " ", where);
        }
      }
    }
  }
}

function* fullGeneration(generation: LruGenGeneration, where: string): Generator<string> {
  const { seq, tiers, mmStats } = generation;
  yield generationLine(generation, generation.anon.mark, generation.file.mark, where);
  check(
    tiers.length === MAX_NR_TIERS,
    where,
    `has ${tiers.length} tiers in generation ${seq}, expected ${MAX_NR_TIERS}`,
  );
  for (const [tier, fields] of tiers.entries()) yield tierLine(tier, fields, where);
  if (mmStats.length > 0)
    yield " ".repeat(22) + mmStats.map((stat) => field(stat, where, "mmStats")).join("");
}

function generationLine(
  generation: LruGenGeneration,
  anonMark: string,
  fileMark: string,
  where: string,
): string {
  const { seq, ageMs, anon, file } = generation;
  return (
    wide(seq, where, "seq") +
    wide(ageMs, where, "ageMs") +
    wide(anon.value, where, "anon") +
    anonMark +
    wide(file.value, where, "file") +
    fileMark
  );
}

function tierLine(tier: number, { anon, file }: LruGenTier, where: string): string {
  const fields = [...anon, ...file].map((tierField) => field(tierField, where, `tier ${tier}`));
  return " ".repeat(12) + String(tier).padStart(10) + fields.join("");
}

function field({ value, mark }: LruGenField<string>, where: string, what: string): string {
  return wide(value, where, what) + mark;
}

/** A space and a right-aligned number of at least ten characters. */
function wide(value: number, where: string, what: string): string {
  return ` ${digits(value, where, what).padStart(10)}`;
}

function digits(value: number, where: string, what: string): string {
  check(
    Number.isSafeInteger(value) && value >= 0,
    where,
    `has ${what} = ${value}, expected an integer from 0 to 2^53 - 1`,
  );
  return String(value);
}

function checkPath(path: string): string {
  check(!path.includes("\n"), JSON.stringify(path), "has a line end in its path");
  return path;
}

function check(good: boolean, where: string, what: string): void {
  if (!good) throw new RangeError(`${where} ${what}`);
}
