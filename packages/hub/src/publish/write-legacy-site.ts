import type { Stats } from "node:fs";
import { lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { writeAtomic } from "@skillet/kit/files";
import { packedFiles, type SkillToPublish } from "./skill-to-publish.ts";
import { formatSiteIndex, readSiteIndex, type SiteEntry, siteFolder } from "./write-site.ts";

const ROOT = ".well-known/skills";
// Version 0.1 puts paths into URLs as they are: printable ASCII without what has a meaning there.
const PLAIN_PATH = /^[!-~]+$/;
const URL_CHARACTERS = /[\\?#[\]%]/;

/** Opens the part of a site for clients that only know version 0.1, and refuses it where something foreign is in the way. */
export async function openLegacySite(
  skills: readonly SkillToPublish[],
  directory: string,
  otherSkills: "keep" | "remove",
): Promise<() => Promise<readonly Diagnostic[]>> {
  const root = await siteFolder(directory, ROOT);
  const known = readSiteIndex(join(root, "index.json"), "0.1");
  const work = await openLegacyWork(root);
  const { placed } = work;
  try {
    for (const { name } of skills) await checkLegacyFolder(root, name, { entries: known.skills, placed });
  } catch (error) {
    // Its memory is needed again only where something was under way.
    if (placed.size === 0) await work.finish();
    throw error;
  }
  const kept = otherSkills === "remove" ? { skills: [] } : known;
  return () => writeLegacySite(root, skills, kept, work);
}

async function writeLegacySite(
  root: string,
  skills: readonly SkillToPublish[],
  kept: ReturnType<typeof readSiteIndex>,
  work: LegacyWork,
): Promise<readonly Diagnostic[]> {
  const names = new Set(skills.map(({ name }) => name));
  const diagnostics: Diagnostic[] = [];
  const entries: SiteEntry[] = kept.skills.filter(({ name }) => !names.has(name));
  for (const skill of skills) {
    const unfit = skill.files.find(({ path }) => !PLAIN_PATH.test(path) || URL_CHARACTERS.test(path));
    if (unfit === undefined) entries.push(await writeSkill(work, skill));
    else diagnostics.push(leftOut(skill, unfit.path));
  }
  const index = formatSiteIndex({ ...kept, skills: entries }, "0.1");
  await writeAtomic(join(root, "index.json"), index, { links: "refuse" });
  await work.finish();
  return diagnostics;
}

async function writeSkill(
  work: LegacyWork,
  { name, description, files }: SkillToPublish,
): Promise<SiteEntry> {
  const packed = packedFiles(files);
  for (const { path, bytes } of packed) {
    const file = join(work.stagePath(name), path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  await work.place(name);
  return { name, description, files: packed.map(({ path }) => path) };
}

function leftOut({ name }: SkillToPublish, path: string): Diagnostic {
  const message = `${name} is not in the index of version 0.1, because ${JSON.stringify(path)} cannot stand in its URLs.`;
  const hint =
    "Clients of version 0.2 get it; for older ones give the file a name of plain ASCII without spaces and \\ ? # [ ] %.";
  return { code: "legacy-index-left-out", severity: "warning", message, file: path, hint };
}

const FOLDER = ".skillet-publish";

/** The folder where folders of a site wait while they change places; it exists only while something is under way. */
interface LegacyWork {
  /** Names of folders that a publisher who was killed had placed, before an index named them. */
  readonly placed: ReadonlySet<string>;
  stagePath(name: string): string;
  place(name: string): Promise<void>;
  finish(): Promise<void>;
}

/** Opens it below a folder of a site; folders that a killed publisher had moved away come back first. */
async function openLegacyWork(root: string): Promise<LegacyWork> {
  const [fresh, old, placed] = [
    await siteFolder(root, `${FOLDER}/new`),
    await siteFolder(root, `${FOLDER}/old`),
    await siteFolder(root, `${FOLDER}/placed`),
  ];
  await rm(fresh, { recursive: true });
  for (const name of await readdir(old))
    if ((await lstatOrAbsent(join(root, name))) === undefined)
      await rename(join(old, name), join(root, name));
  return {
    placed: new Set(await readdir(placed)),
    stagePath: (name) => join(fresh, name),
    place: async (name) => {
      // Whole folders change places: a file that the skill no longer has must not be served any more.
      await rm(join(old, name), { recursive: true, force: true });
      await writeFile(join(placed, name), "");
      await rename(join(root, name), join(old, name)).catch(undefinedOn("ENOENT"));
      await rename(join(fresh, name), join(root, name));
    },
    finish: () => rm(join(root, FOLDER), { recursive: true, force: true }),
  };
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
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
    const listedAs = path.replaceAll("\\", "/");
    if (!listed.has(listedAs))
      throw foreign(folder, `holds ${JSON.stringify(listedAs)}, which the index does not name`);
  }
}

async function lstatOrAbsent(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(undefinedOn("ENOENT"));
}

function filesOf({ files }: SiteEntry): readonly unknown[] {
  return Array.isArray(files) ? files : [];
}

function foreign(folder: string, what: string): SkilletError {
  const message = `${folder} would be replaced, but it ${what}. Nothing was published; move what is yours elsewhere, or remove it, then try again.`;
  return new SkilletError("site-folder-foreign", message, { data: { folder } });
}
