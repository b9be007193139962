import { constants } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";

const MAX_SENT_FILES = 20_000;
const MAX_SENT_BYTES = 512 * 1024 * 1024;

/** Every file of a staged copy, one after the other; links are told, not followed. */
export async function* stagedFiles(directory: string): AsyncGenerator<TreeFile> {
  const folders = [""];
  let files = 0;
  let bytes = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(directory, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        folders.push(path);
        continue;
      }
      const file = await readTreeFile(directory, path);
      files += 1;
      bytes += file.bytes.length;
      if (files > MAX_SENT_FILES || bytes > MAX_SENT_BYTES) throw tooLarge(directory);
      yield file;
    }
  }
}

async function readTreeFile(directory: string, path: string): Promise<TreeFile> {
  const place = join(directory, path);
  if ((await lstat(place)).isSymbolicLink())
    return { path, mode: "120000", bytes: Buffer.from(await readlink(place)) };
  // Without O_NONBLOCK a FIFO in the place of a file would be waited for without end.
  const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > MAX_SENT_BYTES) throw tooLarge(directory);
    return { path, mode: (stats.mode & 0o100) === 0 ? "644" : "755", bytes: await handle.readFile() };
  } finally {
    await handle.close();
  }
}

function tooLarge(directory: string): SkilletError {
  return new SkilletError(
    "sandbox-unavailable",
    `The staged skill in ${directory} cannot be sent: it has more than ${MAX_SENT_FILES} files or ${MAX_SENT_BYTES} bytes, ` +
      "or something that is no file. Run it in a local sandbox.",
    { data: { directory } },
  );
}
