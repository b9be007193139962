import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { writeAtomic } from "@skillet/kit/files";
import { checkLegacyFolder } from "./check-legacy-folder.ts";
import { type LegacyWork, openLegacyWork } from "./legacy-work.ts";
import { packedFiles } from "./pack-skill.ts";
import { siteFolder } from "./site-folder.ts";
import { formatSiteIndex, readSiteIndex, type SiteEntry } from "./site-index.ts";
import type { SkillToPublish } from "./skill-to-publish.ts";

const ROOT = ".well-known/skills";
// Version 0.1 puts paths into URLs as they are: printable ASCII without what has a meaning there.
const PLAIN_PATH = /^[!-~]+$/;
const URL_CHARACTERS = /[\\?#[\]%]/;

/** The older half of a site, looked over: nothing of it was changed but what a killed publisher left. */
export interface LegacySite {
  /** Writes skills as plain files with an index of version 0.1; says which do not fit. */
  write(): Promise<readonly Diagnostic[]>;
}

/** Opens the part of a site for clients that know no other version, and refuses it where something foreign is in the way. */
export async function openLegacySite(options: {
  readonly skills: readonly SkillToPublish[];
  readonly directory: string;
  readonly otherSkills: "keep" | "remove";
}): Promise<LegacySite> {
  const { skills, directory, otherSkills } = options;
  const root = await siteFolder(directory, ROOT);
  const known = readSiteIndex(join(root, "index.json"), "0.1");
  const work = await openLegacyWork(root);
  const { placed } = work;
  try {
    for (const { name } of skills) await checkLegacyFolder(root, name, { entries: known.skills, placed });
  } catch (error) {
    // What it remembers is needed again only where something was under way.
    if (placed.size === 0) await work.finish();
    throw error;
  }
  const kept = otherSkills === "remove" ? { skills: [] } : known;
  return { write: () => writeLegacySite({ root, skills, kept, work }) };
}

async function writeLegacySite(options: {
  readonly root: string;
  readonly skills: readonly SkillToPublish[];
  readonly kept: ReturnType<typeof readSiteIndex>;
  readonly work: LegacyWork;
}): Promise<readonly Diagnostic[]> {
  const { root, skills, kept, work } = options;
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
  return {
    code: "legacy-index-left-out",
    severity: "warning",
    message: `${name} is not in the index of version 0.1, because ${JSON.stringify(path)} cannot stand in its URLs.`,
    file: path,
    hint: "Clients of version 0.2 get it; for older ones give the file a name of plain ASCII without spaces and \\ ? # [ ] %.",
  };
}
