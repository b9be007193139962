import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CliError } from "../cli-error.ts";

/**
 * Replaces a file in one step, if it still holds what was read from it.
 *
 * A link is refused: what it leads to may belong to somebody else.
 */
export async function replaceFile(
  path: string,
  options: { readonly expected: Uint8Array; readonly content: Uint8Array },
): Promise<void> {
  const mode = await modeOfUnchanged(path, options.expected);
  const temporary = join(dirname(path), `.skillet-${randomBytes(8).toString("hex")}.tmp`);
  try {
    const handle = await open(temporary, "wx", mode);
    try {
      await handle.writeFile(options.content);
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw unwritable(path, error);
  }
}

async function modeOfUnchanged(path: string, expected: Uint8Array): Promise<number> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (stats.isFile() && stats.size === expected.length && (await handle.readFile()).equals(expected)) {
        return stats.mode & 0o777;
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unwritable(path, error);
  }
  throw new CliError("file-changed", `${path} changed while it was being repaired, so it was left alone.`, {
    hints: ["Run the command again."],
  });
}

function unwritable(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ELOOP") {
    return new CliError("link-refused", `${path} is a link, so it was not repaired.`, {
      hints: ["Run the command on the file that it leads to."],
    });
  }
  if (code === undefined || !["EACCES", "EPERM", "EROFS", "ENOSPC", "ENOENT"].includes(code)) return error;
  return new CliError("file-unwritable", `${path} could not be written (${code}).`, {
    hints: ["Check the permissions of the file and its folder, and the space on the disk."],
  });
}
