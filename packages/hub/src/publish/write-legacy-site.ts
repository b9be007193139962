import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { writeAtomic } from "@skillet/kit/files";
import { lstatOrAbsent } from "../place/stage.ts";
import { packedFiles, type SkillToPublish } from "./skill-to-publish.ts";
import { formatSiteIndex, readSiteIndex, type SiteEntry, siteFolder } from "./write-site.ts";

const ROOT = ".well-known/skills";
// Folders of skills wait here while they change places; it exists only while something is under way.
const WORK = ".skillet-publish";
// Version 0.1 puts paths into URLs as they are: printable ASCII without what has a meaning there.
const PLAIN_PATH = /^[!-~]+$/;
const URL_CHARACTERS = /[\\?#[\]%]/;

/** Opens the part of a site for clients that only know version 0.1, and refuses it where something foreign is in the way. */
export async function openLegacySite(
  skills: readonly SkillToPublish[],
  directory: string,
): Promise<() => Promise<readonly Diagnostic[]>> {
  const root = await siteFolder(directory, ROOT);
  const index = readSiteIndex(join(root, "index.json"), "0.1");
  const placed = await resumeWork(root);
  try {
    for (const { name } of skills) await checkLegacyFolder(root, name, { entries: index.skills, placed });
  } catch (error) {
    // The names of placed folders are needed again only where something was under way.
    if (placed.size === 0) await endWork(root);
    throw error;
  }
  return () => writeLegacySite(root, skills, index);
}

/** Returns the names of folders that a killed publisher had placed before an index named them. */
async function resumeWork(root: string): Promise<ReadonlySet<string>> {
  const fresh = await siteFolder(root, `${WORK}/new`);
  const old = await siteFolder(root, `${WORK}/old`);
  const placed = await siteFolder(root, `${WORK}/placed`);
  await rm(fresh, { recursive: true });
  for (const name of await readdir(old))
    if ((await lstatOrAbsent(join(root, name))) === undefined)
      await rename(join(old, name), join(root, name));
  return new Set(await readdir(placed));
}

function endWork(root: string): Promise<void> {
  return rm(join(root, WORK), { recursive: true, force: true });
}

async function writeLegacySite(
  root: string,
  skills: readonly SkillToPublish[],
  index: ReturnType<typeof readSiteIndex>,
): Promise<readonly Diagnostic[]> {
  const names = new Set(skills.map(({ name }) => name));
  const diagnostics: Diagnostic[] = [];
  const entries: SiteEntry[] = index.skills.filter(({ name }) => !names.has(name));
  for (const skill of skills) {
    const unfit = skill.files.find(({ path }) => !PLAIN_PATH.test(path) || URL_CHARACTERS.test(path));
    if (unfit === undefined) entries.push(await placeSkill(root, skill));
    else diagnostics.push(leftOut(skill, unfit.path));
  }
  const text = formatSiteIndex({ ...index, skills: entries }, "0.1");
  await writeAtomic(join(root, "index.json"), text, { links: "refuse" });
  await endWork(root);
  return diagnostics;
}

async function placeSkill(root: string, { name, description, files }: SkillToPublish): Promise<SiteEntry> {
  const work = join(root, WORK);
  const [fresh, old] = [join(work, "new", name), join(work, "old", name)];
  const packed = packedFiles(files);
  for (const { path, bytes } of packed) {
    const file = join(fresh, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  // Whole folders change places: a file that the skill no longer has must not be served any more.
  await rm(old, { recursive: true, force: true });
  await writeFile(join(work, "placed", name), "");
  await rename(join(root, name), old).catch(undefinedOn("ENOENT"));
  await rename(fresh, join(root, name));
  return { name, description, files: packed.map(({ path }) => path) };
}

function leftOut({ name }: SkillToPublish, path: string): Diagnostic {
  const message = `${name} is not in the index of version 0.1, because ${JSON.stringify(path)} cannot stand in its URLs.`;
  const hint =
    "Clients of version 0.2 get it; for older ones give the file a name of plain ASCII without spaces and \\ ? # [ ] %.";
  return { code: "legacy-index-left-out", severity: "warning", message, file: path, hint };
}

/** Refuses to replace a folder of a site that holds any file which no index names: someone else put it there. */
async function checkLegacyFolder(
  root: string,
  name: string,
  known: { readonly entries: readonly SiteEntry[]; readonly placed: ReadonlySet<string> },
): Promise<void> {
  const folder = join(root, name);
  const stats = await lstatOrAbsent(folder);
  if (stats === undefined || (stats.isDirectory() && known.placed.has(name))) return;
  if (!stats.isDirectory()) throw foreign(folder, "is not a folder");
  const listed = new Set(known.entries.filter((entry) => entry.name === name).flatMap(filesOf));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name)
      .slice(folder.length + 1)
      .replaceAll("\\", "/");
    if (!listed.has(path))
      throw foreign(folder, `holds ${JSON.stringify(path)}, which the index does not name`);
  }
}

function filesOf({ files }: SiteEntry): readonly unknown[] {
  return Array.isArray(files) ? files : [];
}

function foreign(folder: string, what: string): SkilletError {
  const message = `${folder} would be replaced, but it ${what}. Nothing was published; move what is yours elsewhere, or remove it, then try again.`;
  return new SkilletError("site-folder-foreign", message, { data: { folder } });
}
