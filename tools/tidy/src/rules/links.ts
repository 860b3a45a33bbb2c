import path from "node:path";

import { matches, type Repository, type Violation } from "../repository.ts";

/** `[text](target)`, without the part after `#`. */
const LINK = /\]\(([^)#\s]+)[^)\s]*\)/g;

/** Every relative link in a Markdown file leads to a file or a folder of the repository. */
export function relativeLinks(repository: Repository): Violation[] {
  const folders = new Set(repository.paths.flatMap(foldersOf));
  const exists = (target: string): boolean =>
    repository.read(target) !== undefined || folders.has(target);
  return repository.paths
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) => {
      const links = matches(file, repository.read(file) ?? "", LINK, ([, target = ""]) => target);
      return links
        .filter(({ message: target }) => !/^[a-z]+:/.test(target))
        .filter(({ message: target }) => !exists(path.posix.join(path.posix.dirname(file), target)))
        .map(({ line, message: target }) => ({ file, line, message: `${target} leads nowhere` }));
    });
}

/** Every folder above the file. */
function foldersOf(file: string): string[] {
  const segments = file.split("/");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/"));
}
