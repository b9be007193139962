import type { Skill } from "../registry/skill.ts";
import { escapeXml } from "./escape-xml.ts";

/**
 * The reference form of the catalogue: what a model is told about the skills it may load.
 *
 * Skills that only a user may invoke are left out. No skills give an empty text, so that a prompt has no section about nothing.
 *
 * @example
 * const section = renderCatalogXml(skills.list());
 */
export function renderCatalogXml(skills: readonly Skill[]): string {
  const offered = skills.filter(({ manifest }) => manifest.invocation.model);
  if (offered.length === 0) return "";
  return ["<available_skills>", ...offered.map(renderEntryXml), "</available_skills>"].join("\n");
}

/** One skill's lines in the reference form. */
export function renderEntryXml(skill: Skill): string {
  const { description } = skill.manifest;
  return [
    "<skill>",
    "<name>",
    escapeXml(skill.qualifiedName),
    "</name>",
    "<description>",
    escapeXml(description),
    "</description>",
    "<location>",
    escapeXml(skill.path),
    "</location>",
    "</skill>",
  ].join("\n");
}
