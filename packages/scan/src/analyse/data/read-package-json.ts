import { type DataNode, entriesOf, valueAt } from "./data-node.ts";
import type { DataWriter } from "./data-writer.ts";
import { npmDependency } from "./npm-dependency.ts";

/** Reads a package.json: commands that npm runs, by itself or when asked, and what it installs. */
export function readPackageJson(writer: DataWriter, root: DataNode): void {
  for (const { key, keyStart, value } of entriesOf(valueAt(root, "scripts"))) {
    if (value.kind !== "scalar") continue;
    writer.addText("shell", value);
    if (!LIFECYCLE.has(key)) continue;
    writer.addAct({ type: "install-hook", hook: key, command: value.text }, keyStart, value.end);
  }
  for (const group of DEPENDENCY_GROUPS) {
    for (const { key, keyStart, value } of entriesOf(valueAt(root, group)).slice(0, MAX_DEPENDENCIES)) {
      if (value.kind === "scalar") writer.addAct(npmDependency(key, value.text), keyStart, value.end);
    }
  }
}

/** Run by `npm install`, of the package itself or of one that depends on it. */
const LIFECYCLE: ReadonlySet<string> = new Set([
  "preinstall",
  "install",
  "postinstall",
  "preprepare",
  "prepare",
  "postprepare",
  "prepublish",
  "dependencies",
]);
const DEPENDENCY_GROUPS = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
  "overrides",
  "resolutions",
];
const MAX_DEPENDENCIES = 500;
