import { basename, dirname, resolve } from "node:path";
import type { Snapshot } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";

/** What discovery says about a file or folder of that name or path; for names that no loaded skill has. */
export function findFailures(snapshot: Snapshot, name: string, workspace: string): readonly Diagnostic[] {
  const path = name.includes("/") ? resolve(workspace, name) : undefined;
  return snapshot.diagnostics.filter(({ file }) => {
    const folder = dirname(file);
    if (path !== undefined) return file === path || folder === path;
    // A command is named by its file, and a folder that may not be entered is the file itself.
    return basename(folder) === name || basename(file) === name || basename(file) === `${name}.md`;
  });
}
