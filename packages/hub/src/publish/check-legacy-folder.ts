import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import type { SiteEntry } from "./site-index.ts";

/** Refuses to replace a folder of a site that holds anything which no index names: somebody else put it there. */
export async function checkLegacyFolder(
  root: string,
  name: string,
  known: { readonly entries: readonly SiteEntry[]; readonly placed: ReadonlySet<string> },
): Promise<void> {
  const folder = join(root, name);
  const kind = await kindOf(folder);
  if (kind === "missing" || (kind === "folder" && known.placed.has(name))) return;
  if (kind === "other") throw foreign(folder, "is no folder");
  const listed = new Set(known.entries.filter((entry) => entry.name === name).flatMap(filesOf));
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of found) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name)
      .slice(folder.length + 1)
      .replaceAll("\\", "/");
    if (!listed.has(path))
      throw foreign(folder, `holds ${JSON.stringify(path)}, which the index does not name`);
  }
}

async function kindOf(path: string): Promise<"missing" | "folder" | "other"> {
  try {
    return (await lstat(path)).isDirectory() ? "folder" : "other";
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return "missing";
  }
}

function filesOf({ files }: SiteEntry): readonly unknown[] {
  return Array.isArray(files) ? files : [];
}

function foreign(folder: string, what: string): SkilletError {
  const message = `${folder} would be replaced, but it ${what}. Nothing was published; move what is yours elsewhere, or remove it, then try again.`;
  return new SkilletError("site-folder-foreign", message, { data: { folder } });
}
