import { lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Diagnostic, errorCode, writeAtomic } from "@skillet/core";
import { packedFiles } from "./packed-files.ts";
import { formatSiteIndex, readSiteIndex, type SiteEntry } from "./site-index.ts";
import type { SkillToPublish } from "./skill-to-publish.ts";

const ROOT = ".well-known/skills";
// No skill has such a name.
const NEW = ".new-";
const OLD = ".old-";
// Version 0.1 puts paths into URLs as they are: printable ASCII without what has a meaning there.
const PLAIN_PATH = /^[!-~ ]+$/;
const URL_CHARACTERS = /[\\?#[\]%]/;

/** Writes skills as plain files with an index of version 0.1, for clients that know no other; says which do not fit. */
export async function writeLegacySite(options: {
  readonly skills: readonly SkillToPublish[];
  readonly directory: string;
  readonly otherSkills: "keep" | "remove";
}): Promise<readonly Diagnostic[]> {
  const root = join(options.directory, ROOT);
  const index = join(root, "index.json");
  await mkdir(root, { recursive: true });
  await recover(root);
  const known = options.otherSkills === "remove" ? { skills: [] } : readSiteIndex(index, "0.1");
  const names = new Set(options.skills.map(({ name }) => name));
  const diagnostics: Diagnostic[] = [];
  const entries: SiteEntry[] = known.skills.filter(({ name }) => !names.has(name));
  for (const skill of options.skills) {
    const unfit = skill.files.find(({ path }) => !PLAIN_PATH.test(path) || URL_CHARACTERS.test(path));
    if (unfit === undefined) entries.push(await writeSkill(root, skill));
    else diagnostics.push(leftOut(skill, unfit.path));
  }
  await writeAtomic(index, formatSiteIndex({ ...known, skills: entries }, "0.1"), { links: "refuse" });
  return diagnostics;
}

/** Finishes what a publisher that was killed left behind: a folder that was moved away comes back or goes. */
async function recover(root: string): Promise<void> {
  for (const left of await readdir(root)) {
    if (left.startsWith(OLD)) await moveUnlessTaken(join(root, left), join(root, left.slice(OLD.length)));
    if (left.startsWith(OLD) || left.startsWith(NEW))
      await rm(join(root, left), { recursive: true, force: true });
  }
}

async function writeSkill(root: string, { name, description, files }: SkillToPublish): Promise<SiteEntry> {
  const [target, staged, old] = [join(root, name), join(root, `${NEW}${name}`), join(root, `${OLD}${name}`)];
  const packed = packedFiles(files);
  for (const { path, bytes } of packed) {
    await mkdir(dirname(join(staged, path)), { recursive: true });
    await writeFile(join(staged, path), bytes);
  }
  // Whole folders change places: a file that the skill no longer has must not be served any more.
  await moveUnlessMissing(target, old);
  await rename(staged, target);
  await rm(old, { recursive: true, force: true });
  return { name, description, files: packed.map(({ path }) => path) };
}

async function moveUnlessMissing(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

async function moveUnlessTaken(from: string, to: string): Promise<void> {
  try {
    await lstat(to);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    await rename(from, to);
  }
}

function leftOut({ name }: SkillToPublish, path: string): Diagnostic {
  return {
    code: "legacy-index-left-out",
    severity: "warning",
    message: `${name} is not in the index of version 0.1, because ${JSON.stringify(path)} cannot stand in its URLs.`,
    file: path,
    hint: "Clients of version 0.2 get it; for older ones give the file a name of plain ASCII without \\ ? # [ ] %.",
  };
}
