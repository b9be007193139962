import { parseSkill, type Skill, type Snapshot } from "@skillet/core";
import { digestBytes } from "@skillet/kit/digest";

/** A skill as discovery would find it, made from a name, a description and further header lines. */
export function makeSkill(name: string, description: string, more: readonly string[] = []): Skill {
  const text = [
    "---",
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    ...more,
    "---",
    "",
  ].join("\n");
  const { manifest, body } = parseSkill(text, { directoryName: name });
  if (manifest === undefined) throw new Error("This text is not a skill.");
  return {
    name,
    qualifiedName: name,
    scope: "user",
    origin: "local",
    kind: "skill",
    path: `/skills/${name}/SKILL.md`,
    directory: `/skills/${name}`,
    directoryName: name,
    source: { id: "memory", folder: name, file: "SKILL.md" },
    digest: digestBytes(Buffer.from(text)),
    manifest,
    state: "enabled",
    missing: [],
    bodyCharacters: body.length,
    alsoAt: [],
    diagnostics: [],
  };
}

export function makeSnapshot(skills: readonly Skill[]): Snapshot {
  return { version: "sha256:test", roots: [], skills, diagnostics: [] };
}

/** Skills about everyday topics that have little in common. */
export const OTHERS: readonly Skill[] = [
  makeSkill("spreadsheets", "Read and write spreadsheets. Use for xlsx files, formulas and pivot tables."),
  makeSkill("release-notes", "Write release notes from the commits since the last tag."),
  makeSkill("video-cutter", "Cut and join videos with ffmpeg, and take their sound."),
  makeSkill("recipes", "Plan meals and write recipes with a shopping list."),
  makeSkill("kubernetes", "Look into clusters with kubectl: pods that crash, logs and rollouts."),
];
