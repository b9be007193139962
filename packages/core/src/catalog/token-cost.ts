import type { Skill } from "../registry/skill.ts";
import { countTokens } from "./count-tokens.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { renderEntryXml } from "./render-catalog-xml.ts";

/** About what a skill costs a model: its lines in the catalogue, and its instructions once loaded. */
export function tokenCost(skill: Skill): { readonly catalog: number; readonly body: number } {
  return {
    catalog: countTokens(`${renderEntryXml(skill)}\n`),
    body: estimateTokens(skill.bodyCharacters),
  };
}
