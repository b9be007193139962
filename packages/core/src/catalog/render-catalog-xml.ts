import type { Skill } from "../registry/skill.ts";
import { catalogEntry } from "./catalog-entry.ts";
import { XML_FORM } from "./xml-form.ts";

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
  const { start, separator, end } = XML_FORM;
  return `${start}${offered.map(renderEntryXml).join(separator)}${end}`;
}

/** One skill's lines in the reference form. */
export function renderEntryXml(skill: Skill): string {
  const { before, descriptionStart, escapeText, descriptionEnd, after } = XML_FORM;
  const entry = catalogEntry(skill);
  return `${before(entry)}${descriptionStart}${escapeText(entry.description)}${descriptionEnd}${after(entry)}`;
}
