import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ParseSourceOptions } from "./parse-source.ts";
import type { Source } from "./source.ts";
import { isArchiveName, isPick } from "./source-tail.ts";

/**
 * Reads a path of this machine: a folder, an archive, a bare repository (`NAME.git`) or a SKILL.md.
 *
 * `@` and a name at the end pick a skill; a slash at the end says that the whole is the name of a folder.
 */
export function parseLocalSource(text: string, options: ParseSourceOptions): Source {
  const { written, pick } = splitPick(text);
  const picked = pick === undefined ? {} : { pick };
  const path = absolutePath(written, options);
  if (written.endsWith("/")) return { kind: "local", path, ...picked };
  if (isArchiveName(path)) return { kind: "archive", location: path, ...picked };
  const name = basename(path);
  if (/^skill\.md$/i.test(name)) return { kind: "local", path: dirname(path), ...picked };
  // What git could take for something else stays a folder.
  const isRepository = name.endsWith(".git") && name !== ".git" && !/[\\\p{C}]|\/-/u.test(path);
  if (isRepository) return { kind: "git", url: pathToFileURL(path).href, ...picked };
  return { kind: "local", path, ...picked };
}

/** Writes the path of a folder so that it is read as one again. */
export function showLocalPath(path: string): string {
  const name = basename(path);
  const isMistakable =
    /@|\s$/.test(name) || isArchiveName(name) || /^skill\.md$/i.test(name) || name.endsWith(".git");
  return isMistakable ? `${path}/` : path;
}

function splitPick(text: string): { readonly written: string; readonly pick?: string } {
  const at = text.lastIndexOf("@");
  const pick = text.slice(at + 1);
  // `tools@1.zip` is the name of an archive, not of a skill.
  if (at <= 0 || !isPick(pick)) return { written: text };
  return { written: text.slice(0, at), pick };
}

function absolutePath(written: string, { workspace, userHome }: ParseSourceOptions): string {
  if (written === "~" || written.startsWith("~/")) return resolve(userHome, `.${written.slice(1)}`);
  return resolve(workspace, written);
}
