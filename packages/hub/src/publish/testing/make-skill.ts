import type { TreeFile } from "@skillet/core";
import type { SkillToPublish } from "../skill-to-publish.ts";

export function textFile(path: string, text: string, mode: "644" | "755" = "644"): TreeFile {
  return { path, mode, bytes: Buffer.from(text) };
}

/** A skill with SKILL.md alone, or with further files. */
export function makeSkill(name: string, more: readonly TreeFile[] = []): SkillToPublish {
  const description = `Does what ${name} is for. Use when it is asked for.`;
  const files = [
    ...more,
    textFile("SKILL.md", `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n`),
  ];
  return { name, description, files };
}

/** The script of most test skills. */
export const SCRIPT: TreeFile = textFile("scripts/run.sh", "#!/bin/sh\necho hi\n", "755");
