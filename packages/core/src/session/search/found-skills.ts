import { cutText } from "@skillet/kit/text";
import { countTokens } from "../../catalog/catalog-budget.ts";
import { catalogEntry, escapeXml } from "../../catalog/catalog-forms.ts";
import type { SelectedSkill } from "../../selection.ts";

export const SEARCH_TOOL = "search_skills";

/** A skill that a search found. */
export interface FoundSkill {
  /** Qualified: what it is loaded by. */
  readonly name: string;
  readonly description: string;
  /** How likely it is that the skill is wanted, between 0 and 1. */
  readonly score: number;
  readonly reasons: readonly string[];
}

/** An answer takes no more, whatever the skills say; one skill takes no more than its share of a usual answer. */
const MAX_TOKENS = 2000;
const MAX_DESCRIPTION_CHARACTERS = 400;
const MAX_REASONS = 3;
const MAX_REASON_CHARACTERS = 120;

/** The text is for a model: escaped, so that no skill can write anything but its own entry. */
export function renderFound(found: readonly SelectedSkill[]): {
  readonly results: readonly FoundSkill[];
  readonly text: string;
} {
  if (found.length === 0) return { results: [], text: NOTHING };
  const results: FoundSkill[] = [];
  const entries: string[] = [];
  let tokens = 0;
  for (const one of found) {
    const result = describe(one);
    const entry = renderEntry(result);
    tokens += countTokens(entry);
    // A name must be whole to be of use: one that leaves no room for the others ends the answer.
    if (tokens > MAX_TOKENS) break;
    results.push(result);
    entries.push(entry);
  }
  const left = found.length - results.length;
  if (left > 0) entries.push(`<omitted>\n${left} more did not fit; search for less at a time.\n</omitted>`);
  return { results, text: `<found_skills>\n${entries.join("\n")}\n</found_skills>` };
}

const NOTHING =
  "<found_skills>\nNo skill fits. Go on without one, or search again with other words.\n</found_skills>";

function describe({ skill, score, reasons }: SelectedSkill): FoundSkill {
  const { name, description } = catalogEntry(skill);
  return {
    name,
    description: cut(description, MAX_DESCRIPTION_CHARACTERS),
    score: Math.round(score * 100) / 100,
    reasons: reasons.slice(0, MAX_REASONS).map((reason) => cut(reason, MAX_REASON_CHARACTERS)),
  };
}

function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${cutText(text, maxCharacters).trimEnd()}…`;
}

function renderEntry({ name, description, score, reasons }: FoundSkill): string {
  return [
    "<skill>",
    `<name>\n${escapeXml(name)}\n</name>`,
    `<description>\n${escapeXml(description)}\n</description>`,
    `<match>\n${escapeXml([`${Math.round(score * 100)} %`, ...reasons].join("; "))}\n</match>`,
    "</skill>",
  ].join("\n");
}
