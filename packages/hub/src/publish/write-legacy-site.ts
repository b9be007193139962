import { readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { writeAtomic } from "@skillet/kit/files";
import { lstatOrAbsent } from "../place/stage.ts";
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
): Promise<() => Promise<readonly Diagnostic[]>> {
  const root = await siteFolder(directory, ROOT);
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
  // First with the files of both versions: by that, all that a killed publisher leaves is known to be no one else's.
  const both = [...names].map((name) => {
    const files = new Set([...filesOf(index.skills, name), ...filesOf(placed, name)]);
    return { ...placed.find((entry) => entry.name === name), name, files: [...files] };
  });
  await writeIndex(both);
  const remove = (folder: string): Promise<void> => rm(join(root, folder), { recursive: true, force: true });
  for (const name of names) {
    // Whole before the old one goes; what a killed publisher leaves lies beside it, under a name that no skill has.
    for (const beside of [`.${name}.new`, `.${name}.old`]) await remove(beside);
    const files = fitting.find((skill) => skill.name === name)?.files ?? [];
    for (const { path, bytes } of files) {
      await siteFolder(root, dirname(`.${name}.new/${path}`));
      await writeAtomic(join(root, `.${name}.new`, path), bytes, { links: "refuse" });
    }
    // A file that the skill no longer has must not be served any more.
    await rename(join(root, name), join(root, `.${name}.old`)).catch(undefinedOn("ENOENT"));
    if (files.length > 0) await rename(join(root, `.${name}.new`), join(root, name));
    await remove(`.${name}.old`);
  }
  await writeIndex(placed);
  return diagnostics;
}

function leftOut({ name }: SkillToPublish, path: string): Diagnostic {
  const message = `${name} is not in the index of version 0.1, because ${JSON.stringify(path)} cannot stand in its URLs.`;
  const hint =
    "Clients of version 0.2 get it; for older ones give the file a name of plain ASCII without spaces and \\ ? # [ ] %.";
  return { code: "legacy-index-left-out", severity: "warning", message, file: path, hint };
}

// What `writeAtomic` leaves of a file when it is killed.
const LEFT_OVER = /^\.skillet-.+\.tmp$/;

/** Refuses to replace a folder of a site that holds any file which no index names: someone else put it there. */
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
