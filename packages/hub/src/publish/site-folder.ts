import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";

/**
 * Makes a folder of a site, and refuses links on the way to it.
 *
 * A site often lies in a repository, whose links lead where whoever wrote them wanted: nothing is written through them.
 * The site's own directory is what a person named, and may be one.
 */
export async function siteFolder(directory: string, path: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  let folder = directory;
  for (const part of path.split("/")) {
    folder = join(folder, part);
    await makeFolder(folder);
  }
  return folder;
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    if ((await lstat(folder)).isSymbolicLink()) throw linked(folder);
    // A file in the way is the same fault as any other that keeps the site from being written.
    if (!(await lstat(folder)).isDirectory()) throw error;
  }
}

function linked(folder: string): SkilletError {
  const message = `${folder} is a link, and nothing is written through links of a site; put a folder there, or name the place that it leads to as the site.`;
  return new SkilletError("site-link-refused", message, { data: { folder } });
}
