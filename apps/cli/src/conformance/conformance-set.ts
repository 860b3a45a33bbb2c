import path from "node:path";
import { fileURLToPath } from "node:url";
import { checkScenario, type OracleResult, parseScenario, type Scenario } from "@lrugen/sim";
import { listFiles, readText } from "../arguments/files.ts";
import { InputError } from "../input-error.ts";

/** A scenario and what a kernel printed for it; null: there is none. */
export interface ConformancePair {
  readonly name: string;
  readonly scenario: Scenario | null;
  readonly fixture: OracleResult | null;
}

/** The set that comes with @lrugen/sim. */
export function ownConformanceDirectory(): string {
  const manifest = fileURLToPath(import.meta.resolve("@lrugen/sim/package.json"));
  return path.join(path.dirname(manifest), "conformance");
}

/**
 * Reads `scenarios/*.txt` and `fixtures/*.json` of a directory and pairs them by name.
 * @param shown what the user calls the directory, for messages
 * @throws InputError or ScenarioError for a directory without scenarios or a file that is malformed
 */
export function readConformanceSet(directory: string, shown: string): ConformancePair[] {
  const folders = listFiles(directory, shown, "");
  const namesIn = (folder: string, extension: string): string[] =>
    folders.includes(folder)
      ? listFiles(path.join(directory, folder), `${shown}/${folder}`, extension)
      : [];
  const scenarios = new Set(namesIn("scenarios", ".txt"));
  const fixtures = new Set(namesIn("fixtures", ".json"));
  if (scenarios.size === 0) {
    throw new InputError(`${shown}: found no scenarios/*.txt, expected at least one`);
  }
  return [...new Set([...scenarios, ...fixtures])].toSorted().map((name) => ({
    name,
    scenario: scenarios.has(name) ? readScenario(directory, shown, name) : null,
    fixture: fixtures.has(name) ? readFixture(directory, shown, name) : null,
  }));
}

function readScenario(directory: string, shown: string, name: string): Scenario {
  const file = `scenarios/${name}.txt`;
  const text = readText(path.join(directory, file), `${shown}/${file}`);
  const scenario = parseScenario(text, `${shown}/${file}`);
  checkScenario(scenario);
  return scenario;
}

function readFixture(directory: string, shown: string, name: string): OracleResult {
  const file = `fixtures/${name}.json`;
  const text = readText(path.join(directory, file), `${shown}/${file}`);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InputError(`${shown}/${file}: found no JSON: ${reason.replaceAll("\n", " ")}`);
  }
  if (!isOracleResult(document)) {
    throw new InputError(`${shown}/${file}: found no result, expected {"steps": [{"cmd": …}, …]}`);
  }
  return document;
}

/** As far as it must be to be compared: whatever else differs is a difference. */
function isOracleResult(document: unknown): document is OracleResult {
  return (
    isRecord(document) &&
    Array.isArray(document["steps"]) &&
    document["steps"].every((step) => isRecord(step) && typeof step["cmd"] === "string")
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
