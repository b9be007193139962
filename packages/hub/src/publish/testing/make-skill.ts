import type { TreeFile } from "@skillet/core";
import type { SkillToPublish } from "../skill-to-publish.ts";

/** A file of text. */
export function textFile(path: string, text: string, mode: "644" | "755" = "644"): TreeFile {
  return { path, mode, bytes: Buffer.from(text) };
}

/** A skill with a script, or with SKILL.md alone. */
export function makeSkill(name: string, more: readonly TreeFile[] = []): SkillToPublish {
  const description = `Does what ${name} is for. Use when it is asked for.`;
  const files = [
    ...more,
    textFile("SKILL.md", `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n`),
  ];
  return { name, description, files };
}

/** The script that most skills of tests have. */
export const SCRIPT: TreeFile = textFile("scripts/run.sh", "#!/bin/sh\necho hi\n", "755");
