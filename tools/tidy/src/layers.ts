/**
 * The layer of each package: it may import only from lower ones. turbo's boundaries enforce that
 * from the tags in each package's turbo.json; this table says which tag is right.
 */
const LAYERS: Readonly<Record<string, number>> = {
  hardware: 0,
  "mm-core": 1,
  formats: 1,
  paging: 2,
  mglru: 3,
  "classic-lru": 3,
  "lru-cache": 3,
  kvm: 3,
  sim: 4,
  workloads: 5,
  report: 5,
};

/**
 * The turbo tag that the package in `directory` must carry, or undefined when the table has no
 * layer for it.
 */
export function expectedTag(directory: string): string | undefined {
  const [folder, name = ""] = directory.split("/");
  if (folder === "apps") return "app";
  if (folder === "tools") return "tool";
  const layer = LAYERS[name];
  return layer === undefined ? undefined : `layer:${layer}`;
}
