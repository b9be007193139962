import { existsSync } from "node:fs";
import { SkilletError } from "@skillet/kit/errors";
import { CliError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { loadInstalling } from "../load-beside.ts";
import { withHub } from "./with-hub.ts";

export interface LockState {
  readonly file: string;
  readonly project: boolean;
  /** Skills whose files changed since the install. */
  readonly drifted: readonly string[];
  /** Skills that had a newer version when their source was last checked. */
  readonly outdated: readonly string[];
}

/** Reads the user's lock and the project's without asking sources; unreadable locks are left to `doctor`. */
export async function readLocks(context: CommandContext): Promise<readonly LockState[]> {
  const found: LockState[] = [];
  const { locks, project } = openWorkspace(context);
  for (const isProject of [false, true]) {
    const file = isProject ? locks.project : locks.user;
    if ((isProject && project === undefined) || !existsSync(file)) continue;
    try {
      await withHub(context, { project: isProject }, async ({ hub, home }) => {
        const changed = (await hub.verify([])).filter(({ drift }) => drift.length > 0);
        found.push({
          file,
          project: isProject,
          drifted: changed.map(({ name }) => name),
          outdated: loadInstalling().knownOutdated(home, hub.lockFile, await hub.list()),
        });
        return 0;
      });
    } catch (error) {
      if (!SkilletError.isInstance(error) && !(error instanceof CliError)) throw error;
    }
  }
  return found;
}
