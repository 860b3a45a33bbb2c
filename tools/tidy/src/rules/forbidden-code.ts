import { matches, type Repository, type Violation } from "../repository.ts";
import { parseSource, withoutComments } from "../source.ts";
import { typescriptFiles } from "../workspace.ts";

// The brackets keep this pattern from matching its own source.
const LEFT_OPEN = /\b(?:TOD[O]|FIXM[E]|XX[X])\b/g;

/** No reminders in the code: what is open is an issue, what is unfinished does not land. */
export function leftOpen(repository: Repository): Violation[] {
  return typescriptFiles(repository).flatMap((file) =>
    matches(file, repository.read(file) ?? "", LEFT_OPEN, ([word]) => `found ${word}: finish it`),
  );
}

const NOT_RUN =
  /\b(?:it|test|describe|suite|bench|context|ctx)(?:\.\w+)*?\.(?:skip|skipIf|runIf|todo|only|fails)\b/g;

/** Every test runs, and a run runs every test. */
export function skippedTests(repository: Repository): Violation[] {
  return typescriptFiles(repository)
    .filter((file) => file.includes("/test/"))
    .flatMap((file) =>
      matches(
        file,
        codeOf(repository, file),
        NOT_RUN,
        ([call]) => `found ${call}: every test runs, always`,
      ),
    );
}

const OUTSIDE_WORLD = /\bMath\.random\b|\bDate\.now\b|\bnew Date\b|\bperformance\.now\b/g;

/** The model has no clock and no chance but its seed: same config, same bytes. */
export function nondeterminism(repository: Repository): Violation[] {
  return typescriptFiles(repository)
    .filter((file) => /^packages\/[^/]+\/src\//.test(file))
    .flatMap((file) =>
      matches(
        file,
        codeOf(repository, file),
        OUTSIDE_WORLD,
        ([call]) => `found ${call}: time comes from the Clock, chance from the seed`,
      ),
    );
}

function codeOf(repository: Repository, file: string): string {
  return withoutComments(parseSource(file, repository.read(file) ?? ""));
}
