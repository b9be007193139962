import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { parseJson } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { array, object, readDocument, type Schema, text } from "@skillet/kit/schema";
import { publishRefused } from "./skill-to-publish.ts";

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
// As much as `findIndex` reads: nobody could install from a longer one.
const MAX_INDEX_BYTES = 16 * 1024 * 1024;

/** One skill in an index; what another tool wrote into it is kept. */
export interface SiteEntry {
  readonly name: string;
  readonly [key: string]: unknown;
}

interface SiteIndex {
  readonly skills: readonly SiteEntry[];
  readonly [key: string]: unknown;
}

/** Reads a site's index; empty where there is none yet. One that cannot be read is never replaced. */
export function readSiteIndex(path: string, version: "0.1" | "0.2"): SiteIndex {
  const bytes = readBoundedFile(path, { maxBytes: MAX_INDEX_BYTES });
  if (bytes === undefined) return { skills: [] };
  const { value, faults } = readDocument(siteIndex, parseJson(bytes), { name: "the index" });
  if (value === undefined) throw malformed(path, faults[0]?.message ?? "it is not an index");
  if (value.$schema !== (version === "0.2" ? SCHEMA : undefined))
    throw malformed(path, `its $schema is not that of version ${version}`);
  return value;
}

// What clients of other versions know stays as it is.
const siteIndex = object<{ readonly skills: readonly SiteEntry[] }>({
  skills: array(object<Pick<SiteEntry, "name">>({ name: text })) as Schema<readonly SiteEntry[]>,
}) as Schema<SiteIndex>;

/** The text of an index: of entries with one name the last counts, in byte order of name; one too long to be read is refused. */
export function formatSiteIndex(index: SiteIndex, version: "0.1" | "0.2"): string {
  const byName = new Map(index.skills.map((entry) => [entry.name, entry]));
  const skills = [...byName.values()].sort((left, right) => compareByteOrder(left.name, right.name));
  const whole = { ...(version === "0.2" && { $schema: SCHEMA }), ...index, skills };
  const text = `${JSON.stringify(whole, null, 2)}\n`;
  const size = Buffer.byteLength(text);
  if (size <= MAX_INDEX_BYTES) return text;
  const what = `the index of version ${version} would have ${size} bytes, and clients read ${MAX_INDEX_BYTES}`;
  throw publishRefused(index.skills.at(-1)?.name ?? "", what, "publish into another site");
}

function malformed(path: string, what: string): SkilletError {
  const message = `The index ${path} cannot be read: ${what}. Nothing was changed; repair it, or remove it to publish afresh.`;
  return new SkilletError("site-index-malformed", message, { data: { path } });
}

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
