import type { Node } from "oxc-parser";

/** Whether a value found in a syntax tree is a node of it. */
export function isNode(value: unknown): value is Node {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
  );
}

/** Whether the node is a function of any kind; a method's function is a FunctionExpression. */
export function isFunction(node: Node): boolean {
  return (
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression"
  );
}

/** Fields that hold types, which are erased, or labels. */
const NOT_VALUES: ReadonlySet<string> = new Set([
  "typeAnnotation",
  "returnType",
  "typeParameters",
  "typeArguments",
  "superTypeArguments",
  "implements",
  "label",
]);

/** TypeScript syntax that wraps a value: `x as T`, `x!`, `x satisfies T`. */
const VALUE_WRAPPERS: ReadonlySet<string> = new Set([
  "TSAsExpression",
  "TSNonNullExpression",
  "TSSatisfiesExpression",
]);

/** The nodes directly below that can read a value: no types, no member names, no labels. */
export function childrenOf(node: Node): Node[] {
  if (node.type.startsWith("TS") && !VALUE_WRAPPERS.has(node.type)) return [];
  return Object.entries(node).flatMap(([field, value]) => {
    if (NOT_VALUES.has(field) || isPlainName(node, field)) return [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.filter(isNode);
  });
}

/** Whether the field holds a name that is looked up in an object, not in a scope. */
function isPlainName(node: Node, field: string): boolean {
  switch (node.type) {
    case "MemberExpression":
      return field === "property" && !node.computed;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      return field === "key" && !node.computed;
    default:
      return false;
  }
}

/** Every name that the function binds: its parameters and what it declares, at any depth. */
export function boundNames(node: Node): ReadonlySet<string> {
  const names = new Set<string>();
  const bind = (target: Node): void => {
    if (target.type === "Identifier") names.add(target.name);
    // A default value is no binding, and neither is a key.
    else if (target.type === "AssignmentPattern") bind(target.left);
    else for (const child of childrenOf(target)) bind(child);
  };
  const visit = (inner: Node): void => {
    if (inner.type === "VariableDeclarator") bind(inner.id);
    if ("params" in inner && Array.isArray(inner.params)) inner.params.filter(isNode).forEach(bind);
    childrenOf(inner).forEach(visit);
  };
  visit(node);
  return names;
}
