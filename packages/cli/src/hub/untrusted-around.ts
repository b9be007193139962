import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import { findProjectRoot, readTrust, trustOf } from "@skillet/core";
import { canonicalPath } from "@skillet/kit/files";

/**
 * The project that a folder lies in and nobody trusts, so that it cannot count as the user's own; undefined where there is none.
 *
 * Projects are what the workspace belongs to, and any repository around the folder; whatever lies in them may have come
 * with a clone.
 */
export function untrustedAround(
  path: string,
  options: { readonly home: string; readonly userHome: string; readonly workspace: string },
): string | undefined {
  const folder = canonicalPath(path);
  const userHome = canonicalPath(options.userHome);
  const workspace = findProjectRoot(canonicalPath(options.workspace), userHome);
  const around = findProjectRoot(folder, userHome).root;
  const projects = [
    ...(workspace.folders.length > 0 && isInside(folder, workspace.root) ? [workspace.root] : []),
    ...(existsSync(join(around, ".git")) ? [around] : []),
  ];
  const store = readTrust(options.home);
  return projects.find((root) => !trustOf(store, root).trusted);
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}
