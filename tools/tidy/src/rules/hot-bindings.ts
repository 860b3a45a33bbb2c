import type { Node } from "oxc-parser";

import { lineAt, type Repository, type Violation } from "../repository.ts";
import { parseSource, type Source } from "../source.ts";
import { boundNames, childrenOf, isFunction, isNode } from "../syntax.ts";
import { typescriptFiles } from "../workspace.ts";

/** The first line of a file whose loops must run at full speed. */
const MARK = "// @hot";

const UPPER_CASE = /^[A-Z][A-Z0-9_]*$/;

/**
 * In files marked `// @hot`, no function reads an exported or an imported constant: such a binding
 * costs a load and a check per read, about 3x on a flag update. A module-private copy costs nothing:
 * `const NR_GENS = MAX_NR_GENS;` at the top, outside any function.
 */
export function hotBindings(repository: Repository): Violation[] {
  return typescriptFiles(repository).flatMap((file) => {
    const text = repository.read(file) ?? "";
    if (text.split("\n", 1)[0]?.trim() !== MARK) return [];
    const source = parseSource(file, text);
    return slowReads(source).map(({ offset, name, kind }) => ({
      file,
      line: lineAt(text, offset),
      message: `a function reads the ${kind} constant ${name}: copy it to a module-private const`,
    }));
  });
}

type Traps = ReadonlyMap<string, "exported" | "imported">;

interface Read {
  readonly name: string;
  readonly kind: "exported" | "imported";
  readonly offset: number;
}

function slowReads({ program }: Source): Read[] {
  const traps = trapsOf(program.body);
  const reads: Read[] = [];
  const visit = (node: Node, active: Traps, inFunction: boolean): void => {
    if (node.type === "Identifier") {
      const kind = active.get(node.name);
      if (inFunction && kind !== undefined) {
        reads.push({ name: node.name, kind, offset: node.start });
      }
      return;
    }
    const enters = isFunction(node);
    const inner = enters ? without(active, boundNames(node)) : active;
    // A field's initial value runs at each construction, like code in the constructor.
    const deeper = inFunction || enters || node.type === "PropertyDefinition";
    for (const child of childrenOf(node)) visit(child, inner, deeper);
  };
  for (const statement of program.body) visit(statement, traps, false);
  return reads;
}

function without(traps: Traps, names: ReadonlySet<string>): Traps {
  return new Map([...traps].filter(([name]) => !names.has(name)));
}

/** The bindings that are slow to read from inside a function. */
function trapsOf(body: readonly Node[]): Traps {
  const traps = new Map<string, "exported" | "imported">();
  const constants = new Set(body.flatMap(constantNames));
  for (const statement of body) {
    if (statement.type === "ImportDeclaration" && statement.importKind !== "type") {
      for (const specifier of statement.specifiers) {
        const isValue = specifier.type === "ImportSpecifier" && specifier.importKind !== "type";
        if (isValue && UPPER_CASE.test(specifier.local.name)) {
          traps.set(specifier.local.name, "imported");
        }
      }
    }
    if (statement.type !== "ExportNamedDeclaration" || isNode(statement.source)) continue;
    if (statement.declaration !== null) {
      for (const name of constantNames(statement.declaration)) traps.set(name, "exported");
    }
    for (const { local } of statement.specifiers) {
      if (local.type === "Identifier" && constants.has(local.name))
        traps.set(local.name, "exported");
    }
  }
  return traps;
}

/** Names that a top-level `const` binds to something other than a function. */
function constantNames(statement: Node): string[] {
  if (statement.type !== "VariableDeclaration" || statement.kind !== "const") return [];
  return statement.declarations.flatMap(({ id, init }) =>
    id.type === "Identifier" && !(init !== null && isFunction(init)) ? [id.name] : [],
  );
}
