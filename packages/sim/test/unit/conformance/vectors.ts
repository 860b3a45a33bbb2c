import type { OracleResult } from "../../../src/dump/oracle-result.ts";

declare global {
  interface ImportMeta {
    /** Files by path, loaded by Vite. */
    glob(
      pattern: string,
      options: { query: "?raw"; import: "default"; eager: true },
    ): Record<string, string>;
  }
}

/** A scenario and what the kernel printed for it. */
export interface Vector {
  readonly name: string;
  readonly scenario: string;
  readonly fixture: string;
}

const texts = import.meta.glob(
  "../../../conformance/{scenarios,fixtures,qualitative}/*.{txt,json}",
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
);

function vectorOf([path, fixture]: [string, string]): Vector {
  const name = path.replace(/^.*\//, "").replace(/\.json$/, "");
  const scenarioPath = path.replace("/fixtures/", "/scenarios/").replace(/\.json$/, ".txt");
  return { name, scenario: texts[scenarioPath] as string, fixture };
}

/** Every conformance scenario, the qualitative ones included. */
export const VECTORS: readonly Vector[] = Object.entries(texts)
  .filter(([path]) => path.endsWith(".json"))
  .map(vectorOf);

/** What the kernel printed for the scenario called `name`. */
export function fixtureNamed(name: string): OracleResult {
  const vector = VECTORS.find((candidate) => candidate.name === name);
  if (vector === undefined) throw new Error(`no fixture ${name}`);
  return JSON.parse(vector.fixture) as OracleResult;
}
