import { quoteName } from "@skillet/kit/text";
import { checkEntryPath, findCollisions } from "../check-entry-path.ts";
import type { EntryReading, IndexPlace } from "./parse-index.ts";
import { readNameAndDescription } from "./read-name-and-description.ts";

// What version 0.1 lets a path be made of.
const PLAIN = /^[\x21-\x7e]+$/;
const FORBIDDEN = /[\\?#[\]]/;

/** Reads one entry of an index of version 0.1. */
export function readFilesEntry(entry: Readonly<Record<string, unknown>>, place: IndexPlace): EntryReading {
  const named = readNameAndDescription(entry);
  if ("fault" in named) return named;
  const { files } = entry;
  if (!Array.isArray(files) || files.length === 0) return { fault: missingFiles(entry) };
  if (files.length > place.limits.maxSkillFiles)
    return { fault: `lists more than ${place.limits.maxSkillFiles} files` };
  const paths: string[] = [];
  for (const path of files as readonly unknown[]) {
    const fault = checkPath(path);
    if (fault !== undefined || typeof path !== "string")
      return {
        fault: `lists the file ${quoteName(String(path).slice(0, 200))}, which ${fault ?? "is no text"}`,
      };
    paths.push(path);
  }
  if (!paths.includes("SKILL.md")) return { fault: 'lists "files" without SKILL.md' };
  const collision = findCollisions(paths);
  if (collision !== undefined) return { fault: `lists "files" of which ${collision}` };
  return {
    ...named,
    kind: "files",
    files: paths.map((path) => ({ path, url: urlOf(path, { name: named.name, place }) })),
  };
}

function missingFiles(entry: Readonly<Record<string, unknown>>): string {
  return Object.hasOwn(entry, "url") || Object.hasOwn(entry, "digest")
    ? 'has "url" or "digest" in an index without "$schema"; version 0.2 needs it'
    : 'has no "files"';
}

function checkPath(path: unknown): string | undefined {
  if (typeof path !== "string") return "is no text";
  if (!PLAIN.test(path) || FORBIDDEN.test(path))
    return "has characters other than printable ASCII, or one of \\ ? # [ ]";
  // Checked as a server would decode it, too.
  return checkEntryPath(path) ?? (path.includes("%") ? checkDecoded(path) : undefined);
}

function checkDecoded(path: string): string | undefined {
  try {
    return checkEntryPath(decodeURIComponent(path));
  } catch (error) {
    if (error instanceof URIError) return "has a percent sign that encodes nothing";
    throw error;
  }
}

function urlOf(path: string, { name, place }: { readonly name: string; readonly place: IndexPlace }): string {
  return new URL(`${name}/${path.split("/").map(encodeURIComponent).join("/")}`, place.url).href;
}
