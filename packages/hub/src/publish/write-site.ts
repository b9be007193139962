import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes, treeDigestOf } from "@skillet/kit/digest";
import { errorCode, SkilletError, undefinedOn } from "@skillet/kit/errors";
import { readBoundedFile, withFileLock, writeAtomic } from "@skillet/kit/files";
import { parseJson } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { array, object, readDocument, type Schema, text } from "@skillet/kit/schema";
import { lstatOrAbsent } from "../place/stage.ts";
import { formatEnvelope } from "../signature/envelope.ts";
import type { SigningKey } from "../signature/key.ts";
import {
  checkSkillToPublish,
  packChecked,
  packedFiles,
  publishRefused,
  type SkillToPublish,
  signSkill,
} from "./skill-to-publish.ts";

const ROOT = ".well-known/agent-skills";

export interface WriteSiteOptions {
  readonly skills: readonly SkillToPublish[];
  readonly directory: string;
  readonly key?: SigningKey;
}

export interface WrittenSite {
  readonly index: string;
  readonly skills: readonly WrittenSkill[];
  readonly diagnostics: readonly Diagnostic[];
}

interface WrittenSkill {
  readonly name: string;
  readonly type: "skill-md" | "archive" | "plugin";
  readonly digest: Digest;
  readonly treeDigest: Digest;
  readonly files: readonly string[];
}

/**
 * Writes skills into a static site for any web server or CDN, with a well-known index of version 0.2; skills that are
 * already in the index stay.
 *
 * Every file except the indexes is named by its digest and never changes. The index is replaced last and atomically, so
 * that clients see either the old skills or the new ones. Older clients get an additional index of version 0.1.
 */
export async function writeSite(options: WriteSiteOptions): Promise<WrittenSite> {
  const { skills, directory } = options;
  const names = new Set<string>();
  for (const skill of skills) {
    checkSkillToPublish(skill);
    if (names.has(skill.name))
      throw publishRefused(skill.name, `${skill.name} was given twice`, "give each name once");
    names.add(skill.name);
  }
  try {
    const root = await siteFolder(directory, ROOT);
    // Two simultaneous publishers would each write an index without the other's skill.
    return await withFileLock(join(root, ".publish.lock"), () => writeLocked(options));
  } catch (error) {
    const code = errorCode(error);
    if (SkilletError.isInstance(error) || code === undefined) throw error;
    const message = `The site ${directory} could not be written (${code}); check the folder, its permissions and free space. The index of version 0.2 is as it was.`;
    throw new SkilletError("site-unwritable", message, { data: { directory, errno: code }, cause: error });
  }
}

async function writeLocked({ skills, directory, key }: WriteSiteOptions): Promise<WrittenSite> {
  const index = join(directory, ROOT, "index.json");
  const known = readSiteIndex(index, "0.2");
  // Version 0.1 lists files of skills only.
  const plain = skills.filter(({ kind }) => kind !== "plugin");
  const writeLegacy = await openLegacySite(plain, directory);
  const written: WrittenSkill[] = [];
  const entries: SiteEntry[] = [];
  for (const skill of skills) {
    const { entry, ...rest } = await writeSkill(skill, directory, key);
    entries.push(entry);
    written.push(rest);
  }
  const text = formatSiteIndex({ ...known, skills: [...known.skills, ...entries] }, "0.2");
  const diagnostics = await writeLegacy();
  await writeAtomic(index, text, { links: "refuse" });
  return { index, skills: written, diagnostics };
}

async function writeSkill(
  skill: SkillToPublish,
  directory: string,
  key: SigningKey | undefined,
): Promise<WrittenSkill & { readonly entry: SiteEntry }> {
  const { name, description, version, files } = skill;
  const treeDigest = treeDigestOf(files);
  const { type, bytes, extension } = artefactOf(skill);
  const digest = digestBytes(bytes);
  const url = `${name}/${hexOf(digest)}.${extension}`;
  const toWrite = [{ url, bytes }];
  if (key !== undefined) {
    const envelope = Buffer.from(formatEnvelope(signSkill(skill, key, treeDigest)));
    // Named by its own digest too: another key, or another statement, gives another file.
    toWrite.push({ url: `${url}.${hexOf(digestBytes(envelope)).slice(0, 16)}.sig.json`, bytes: envelope });
  }
  await siteFolder(directory, `${ROOT}/${name}`);
  const paths: string[] = [];
  for (const file of toWrite) paths.push(await writeOnce(join(directory, ROOT, file.url), file.bytes));
  const signatures = toWrite.slice(1).map((file) => file.url);
  const entry = {
    name,
    type,
    description,
    url,
    digest,
    treeDigest,
    ...(version && { version }),
    ...(signatures.length > 0 && { signatures }),
  };
  return { name, type, digest, treeDigest, files: paths, entry };
}

function artefactOf(skill: SkillToPublish): {
  readonly type: WrittenSkill["type"];
  readonly bytes: Uint8Array;
  readonly extension: string;
} {
  const [only, ...more] = skill.files;
  // An executable SKILL.md would lose its mode, and with it the tree's digest.
  if (more.length === 0 && only?.path === "SKILL.md" && only.mode === "644")
    return { type: "skill-md", bytes: only.bytes, extension: "md" };
  // Clients that do not know the type `plugin` skip the entry; in an archive they would look for a SKILL.md.
  const type = skill.kind === "plugin" ? "plugin" : "archive";
  return { type, bytes: packChecked(skill), extension: "tar.gz" };
}

/** Leaves an existing file alone, so that its timestamp does not change for caches and copies. */
async function writeOnce(path: string, bytes: Uint8Array): Promise<string> {
  if (!holds(path, bytes)) await writeAtomic(path, bytes, { links: "refuse" });
  return path;
}

function holds(path: string, bytes: Uint8Array): boolean {
  try {
    const present = readBoundedFile(path, { maxBytes: bytes.length });
    return present !== undefined && Buffer.compare(present, bytes) === 0;
  } catch (error) {
    if (SkilletError.isInstance(error) && error.code === "file-too-large") return false;
    throw error;
  }
}

function hexOf(digest: Digest): string {
  return digest.slice("sha256:".length);
}

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
// The limit of `findIndex`: nobody could install from a longer index.
const MAX_INDEX_BYTES = 16 * 1024 * 1024;

/** One skill in an index; keys written by other tools are kept. */
interface SiteEntry {
  readonly name: string;
  readonly [key: string]: unknown;
}

interface SiteIndex {
  readonly skills: readonly SiteEntry[];
  readonly [key: string]: unknown;
}

/** Reads a site's index; empty if there is none yet. An unreadable index is never replaced. */
function readSiteIndex(path: string, version: "0.1" | "0.2"): SiteIndex {
  const bytes = readBoundedFile(path, { maxBytes: MAX_INDEX_BYTES });
  if (bytes === undefined) return { skills: [] };
  const { value, faults } = readDocument(siteIndex, parseJson(bytes), { name: "the index" });
  if (value === undefined) throw malformed(path, faults[0]?.message ?? "it is not an index");
  if (value.$schema !== (version === "0.2" ? SCHEMA : undefined))
    throw malformed(path, `its $schema is not that of version ${version}`);
  return value;
}

// Keeps keys for clients of other versions.
const siteIndex = object<{ readonly skills: readonly SiteEntry[] }>({
  skills: array(object<Pick<SiteEntry, "name">>({ name: text })) as Schema<readonly SiteEntry[]>,
}) as Schema<SiteIndex>;

/** Formats an index: sorted by name, the last entry of a name wins; refuses an index too long to be read. */
function formatSiteIndex(index: SiteIndex, version: "0.1" | "0.2"): string {
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
 * A site is often in a repository, whose links lead wherever its author wanted: nothing is written through
 * them. The site's own directory, which the user named, may be a link.
 */
async function siteFolder(directory: string, path: string): Promise<string> {
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
    const stats = await lstat(folder);
    if (stats.isSymbolicLink()) {
      const message = `${folder} is a link, and nothing is written through links of a site; put a folder there, or name the place that it leads to as the site.`;
      throw new SkilletError("site-link-refused", message, { data: { folder } });
    }
    // A file in the way is reported like any other fault that keeps the site from being written.
    if (!stats.isDirectory()) throw error;
  }
}

const LEGACY_ROOT = ".well-known/skills";
// Version 0.1 puts paths into URLs unencoded: printable ASCII without characters that have a meaning there.
const PLAIN_PATH = /^[!-~]+$/;
const URL_CHARACTERS = /[\\?#[\]%]/;

/** Opens the part of a site for clients of version 0.1 only, and refuses if foreign files are in the way. */
async function openLegacySite(
  skills: readonly SkillToPublish[],
  directory: string,
): Promise<() => Promise<readonly Diagnostic[]>> {
  const root = await siteFolder(directory, LEGACY_ROOT);
  const index = readSiteIndex(join(root, "index.json"), "0.1");
  for (const { name } of skills) await checkLegacyFolder(join(root, name), filesOf(index.skills, name));
  return () => writeLegacySite(root, skills, index);
}

async function writeLegacySite(
  root: string,
  skills: readonly SkillToPublish[],
  index: ReturnType<typeof readSiteIndex>,
): Promise<readonly Diagnostic[]> {
  const names = new Set(skills.map(({ name }) => name));
  const others = index.skills.filter(({ name }) => !names.has(name));
  const [fitting, diagnostics]: [SkillToPublish[], Diagnostic[]] = [[], []];
  for (const skill of skills) {
    const unfit = skill.files.find(({ path }) => !PLAIN_PATH.test(path) || URL_CHARACTERS.test(path));
    if (unfit === undefined) fitting.push(skill);
    else diagnostics.push(leftOut(skill, unfit.path));
  }
  const writeIndex = async (entries: readonly SiteEntry[]): Promise<void> => {
    const text = formatSiteIndex({ ...index, skills: [...others, ...entries] }, "0.1");
    await writeAtomic(join(root, "index.json"), text, { links: "refuse" });
  };
  const placed = fitting.map(({ name, description, files }): SiteEntry => {
    return { name, description, files: packedFiles(files).map(({ path }) => path) };
  });
  // Written first with the files of both versions: then everything that a killed publisher leaves is known to be ours.
  const both = [...names].map((name) => {
    const files = new Set([...filesOf(index.skills, name), ...filesOf(placed, name)]);
    return { ...placed.find((entry) => entry.name === name), name, files: [...files] };
  });
  await writeIndex(both);
  const remove = (folder: string): Promise<void> => rm(join(root, folder), { recursive: true, force: true });
  for (const name of names) {
    // Complete before the old folder goes; a killed publisher leaves files only under a name that no skill has.
    for (const beside of [`.${name}.new`, `.${name}.old`]) await remove(beside);
    const files = fitting.find((skill) => skill.name === name)?.files ?? [];
    for (const { path, bytes } of files) {
      await siteFolder(root, dirname(`.${name}.new/${path}`));
      await writeAtomic(join(root, `.${name}.new`, path), bytes, { links: "refuse" });
    }
    // A file that was removed from the skill must no longer be served.
    await rename(join(root, name), join(root, `.${name}.old`)).catch(undefinedOn("ENOENT"));
    if (files.length > 0) await rename(join(root, `.${name}.new`), join(root, name));
    await remove(`.${name}.old`);
  }
  await writeIndex(placed);
  return diagnostics;
}

function leftOut({ name }: SkillToPublish, path: string): Diagnostic {
  const message = `${name} is not in the index of version 0.1, because ${JSON.stringify(path)} is not allowed in its URLs.`;
  const hint =
    "Clients of version 0.2 get it; for older ones give the file a name of plain ASCII without spaces and \\ ? # [ ] %.";
  return { code: "legacy-index-left-out", severity: "warning", message, file: path, hint };
}

// Left behind when `writeAtomic` is killed.
const LEFT_OVER = /^\.skillet-.+\.tmp$/;

/** Refuses to replace a folder of a site that contains a file which no index names: someone else put it there. */
async function checkLegacyFolder(folder: string, listed: readonly unknown[]): Promise<void> {
  const stats = await lstatOrAbsent(folder);
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw foreign(folder, "is not a folder");
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    const isKnown = LEFT_OVER.test(entry.name) || listed.includes(path.replaceAll("\\", "/"));
    if (!entry.isDirectory() && !isKnown)
      throw foreign(folder, `holds ${JSON.stringify(path)}, which the index does not name`);
  }
}

function filesOf(entries: readonly SiteEntry[], name: string): readonly unknown[] {
  const files = entries.findLast((entry) => entry.name === name)?.files;
  return Array.isArray(files) ? files : [];
}

function foreign(folder: string, what: string): SkilletError {
  const message = `${folder} would be replaced, but it ${what}. Nothing was published; move what is yours elsewhere, or remove it, then try again.`;
  return new SkilletError("site-folder-foreign", message, { data: { folder } });
}
