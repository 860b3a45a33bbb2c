// Installs the pinned dependencies, Node 24 among them, or does nothing when that is already done.
// Plain JavaScript without dependencies: it runs on whatever Node >= 20 the machine has.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const stamp = path.join(root, "node_modules", ".lrugen-setup");

/** @returns {string[]} the files, from the root, that decide what is installed */
function inputs() {
  const manifests = ["packages", "apps", "tools"].flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .toSorted()
      .map((name) => path.join(folder, name, "package.json")),
  );
  return ["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml", ...manifests];
}

/** @returns {string} a digest of the inputs and of the kind of machine */
function fingerprint() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const file of inputs()) {
    const full = path.join(root, file);
    if (existsSync(full)) hash.update(`${file}\n`).update(readFileSync(full));
  }
  return hash.digest("hex");
}

/** Ends with one line when neither the registry nor the machine has a Node that runs TypeScript. */
function requireModernNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const modern = major > 22 || (major === 22 && minor >= 18);
  if (modern || existsSync(path.join(root, "node_modules", ".bin", "node"))) return;
  console.error(
    `setup: Node ${process.versions.node} found, expected >= 22.18: ` +
      `no Node for ${process.platform}-${process.arch} is pinned, so the machine must bring it`,
  );
  process.exit(1);
}

const wanted = fingerprint();
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  const { packageManager } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  // Everything goes to stderr: a verb's output is alone on stdout.
  const { status } = spawnSync("npx", ["-y", packageManager, "install", "--frozen-lockfile"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, wanted);
}
requireModernNode();
