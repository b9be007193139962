import { chownSync, readdirSync } from "node:fs";
import { join } from "node:path";

const ORDINARY_USER = 65_534;

/** Runs an action as a user who is subject to permissions, unlike root. Gives that user the folders. */
export async function asOrdinaryUser<Result>(
  folders: readonly string[],
  action: () => Promise<Result>,
): Promise<Result> {
  if (process.getuid?.() !== 0) return action();
  for (const folder of folders) giveAway(folder);
  process.setegid?.(ORDINARY_USER);
  process.seteuid?.(ORDINARY_USER);
  try {
    return await action();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

function giveAway(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    chownSync(join(entry.parentPath, entry.name), ORDINARY_USER, ORDINARY_USER);
  chownSync(path, ORDINARY_USER, ORDINARY_USER);
}
