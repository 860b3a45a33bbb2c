import { formatCount } from "@lrugen/report";
import type { PatchChange, PatchEffect } from "@lrugen/workloads";

/** Patch by patch, what differs from the patches before it. */
export function patchesText(patches: readonly PatchEffect[]): string {
  return patches
    .map(({ patch, feature, title, changes }) => {
      const lines =
        changes.length === 0
          ? ["nothing that the model counts: it prepares other patches, or is about cost"]
          : changes.map(changeText);
      return `${patch}. ${title}\n   ${feature}\n${lines.map((line) => `   - ${line}\n`).join("")}`;
    })
    .join("");
}

function changeText({ what, seq, agings, before, after }: PatchChange): string {
  const change = `${what}: ${valueText(before)} -> ${valueText(after)}`;
  if (seq === null) return `ten pages, ${change}`;
  const where = agings === 1 ? `gen ${seq}` : `gen ${seq}, and ${agings - 1} more agings`;
  return `${change} (${where})`;
}

function valueText(value: PatchChange["before"]): string {
  if (value === null) return "none";
  return typeof value === "number" ? formatCount(value) : value;
}
