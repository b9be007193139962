import { join } from "node:path";
import { temporaryDirectory } from "../../../../../kit/src/testing/temporary-directory.ts";
import { type OpenSkillsOptions, openSkills } from "../../../open-skills.ts";
import { MemorySource } from "../../../source/memory-source.ts";
import { writeTree } from "../../../testing/write-tree.ts";
import type { Skills } from "../../../workspace/skills.ts";

const TOPICS =
  "invoice calendar kernel sourdough chess volcano telescope rugby ballet orchard glacier harbour ledger mosaic".split(
    " ",
  );
const VERBS = "audit compare convert draft export inspect migrate plan review schedule".split(" ");

export function skillText(name: string, description: string, header = "", body = "Do it."): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n${header}---\n\n${body}\n`;
}

/** This many skills on various topics, none of them what tests search for. */
export function generateSkills(count: number): Record<string, string> {
  const files: Record<string, string> = {};
  for (let number = 0; number < count; number += 1) {
    const topic = TOPICS[number % TOPICS.length] ?? "";
    const verb = VERBS[Math.floor(number / TOPICS.length) % VERBS.length] ?? "";
    const name = `${verb}-${topic}-${number}`;
    files[`${name}/SKILL.md`] = skillText(
      name,
      `${verb} ${topic} records of series ${number}. Use when somebody wants to ${verb} a ${topic} and its numbers have to be right before the next meeting of the board.`,
    );
  }
  return files;
}

/** Opens skills that exist in memory only; `config` is the user's configuration. */
export async function openMemory(
  files: Readonly<Record<string, string>>,
  options: OpenSkillsOptions & { readonly config?: string } = {},
): Promise<Skills> {
  const { config = "", userHome = temporaryDirectory(), ...rest } = options;
  const home = join(userHome, ".skillet");
  writeTree(home, { "config.yaml": config });
  return openSkills({
    workspace: userHome,
    home,
    userHome,
    roots: [],
    sources: [new MemorySource(files)],
    environment: { PATH: "/usr/bin:/bin" },
    organisationDirectory: join(userHome, "organisation"),
    bundledDirectory: false,
    cacheDirectory: false,
    ...rest,
  });
}
