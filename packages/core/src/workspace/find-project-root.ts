import { dirname, resolve } from "node:path";
import { resolveLinks } from "@skillet/kit/files";
import { statusOf } from "../source/local/status-of.ts";

// Deeper nesting than any checkout; ends the climb on odd mounts.
const MAX_LEVELS = 64;

/** The repository a folder lies in, and every folder from it down to there, nearest first. */
export interface ProjectFolders {
  readonly root: string;
  readonly folders: readonly string[];
}

/**
 * Climbs from a folder to the nearest one with a `.git`; without one the folder is its own project.
 *
 * The user's home is never a project: its skills are the user's, also when dotfiles are kept in git.
 */
export function findProjectRoot(workspace: string, userHome: string): ProjectFolders {
  const start = folderOf(resolve(workspace));
  const folders: string[] = [];
  let current = start;
  for (let level = 0; level < MAX_LEVELS && current !== userHome; level++) {
    folders.push(current);
    if (statusOf(`${current}/.git`) !== undefined) return { root: current, folders };
    const parent = dirname(current);
    if (parent === current) break;
    current = parent;
  }
  return { root: start, folders: start === userHome ? [] : [start] };
}

function folderOf(path: string): string {
  const target = resolveLinks(path);
  return target !== undefined && statusOf(target)?.isFile() === true ? dirname(path) : path;
}
