import { catalogReasons, catalogVersions } from "./rules/catalog.ts";
import { drawerNames, fileSize, fixtureProvenance } from "./rules/files.ts";
import { leftOpen, nondeterminism, skippedTests } from "./rules/forbidden-code.ts";
import { hotBindings } from "./rules/hot-bindings.ts";
import { relativeLinks } from "./rules/links.ts";
import { lockstepVersions } from "./rules/lockstep.ts";
import { codeOwners, maintainerEntries } from "./rules/owners.ts";
import { packageParts } from "./rules/package-parts.ts";
import { pinnedVersions } from "./rules/pinned-versions.ts";
import { projectReferences, rootReferences } from "./rules/project-references.ts";
import { goldenCommands, readmeOpensWithExample } from "./rules/readmes.ts";
import { ruleCitations } from "./rules/rule-citations.ts";
import type { Rule } from "./repository.ts";

export { readRepository } from "./repository.ts";
export { examplesOf } from "./rules/readmes.ts";
export { workspacePackages } from "./workspace.ts";

/** Every rule of this repository, with the sentence that it enforces. */
export const RULES: readonly (readonly [string, Rule])[] = [
  ["one pnpm and one Node version, wherever they are named", pinnedVersions],
  ["versions come from the catalog or the workspace", catalogVersions],
  ["every choice in the catalog has a reason", catalogReasons],
  ["published packages share one version and move together", lockstepVersions],
  ["every package has its README, configs, description, licence and layer tag", packageParts],
  ["the root tsconfig builds every package and its tests", rootReferences],
  ["tsconfig references are the dependencies", projectReferences],
  ["every package README opens with an example", readmeOpensWithExample],
  ["relative links in Markdown lead somewhere", relativeLinks],
  ["golden files have a regeneration command in the package README", goldenCommands],
  ["every fixtures folder says where its files come from", fixtureProvenance],
  ["every package has a whole entry in MAINTAINERS", maintainerEntries],
  ["CODEOWNERS says what MAINTAINERS says", codeOwners],
  ["no file is longer than 400 lines", fileSize],
  ["no file or folder is named after a drawer", drawerNames],
  ["nothing is left open in the code", leftOpen],
  ["no test is skipped or singled out", skippedTests],
  ["packages have no clock and no chance of their own", nondeterminism],
  ["hot functions read no exported or imported constant", hotBindings],
  ["every cited rule id exists", ruleCitations],
];
