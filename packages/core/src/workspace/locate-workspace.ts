import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, resolveLinks } from "@skillet/kit/files";
import { type FolderTrust, readTrust, trustOf } from "../trust/trust-store.ts";
import { findProjectRoot } from "./find-project-root.ts";

/** The project that a workspace lies in. */
export interface Project {
  readonly root: string;
  readonly trusted: boolean;
}

/** A workspace: its project, what is trusted there, and the folders in which skills are looked for. */
export interface LocatedWorkspace {
  /** Absent when the workspace is the user's home folder. */
  readonly project: Project | undefined;
  readonly trust: FolderTrust;
  readonly folders: readonly string[];
}

/** Finds the project of a workspace and whether the user trusts it. */
export function locateWorkspace(options: {
  readonly workspace: string;
  readonly userHome: string;
  readonly home: string;
}): LocatedWorkspace {
  if (resolveLinks(options.workspace) === undefined)
    throw new SkilletError(
      "workspace-not-found",
      `There is no folder ${JSON.stringify(options.workspace)} that can be reached; pass a workspace that exists.`,
      {
        data: { workspace: options.workspace },
      },
    );
  const { root, folders } = findProjectRoot(
    canonicalPath(options.workspace),
    canonicalPath(options.userHome),
  );
  const trust = trustOf(readTrust(options.home), root);
  const project = folders.length === 0 ? undefined : { root, trusted: trust.trusted };
  return { project, trust, folders };
}
