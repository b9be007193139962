import { cutText } from "@skillet/kit/text";
import { countTokens } from "../../catalog/catalog-budget.ts";
import { catalogEntry, escapeXml } from "../../catalog/catalog-forms.ts";
import type { Catalog } from "../../catalog/create-catalog.ts";
import type { SelectedSkill } from "../../selection.ts";
import { type JsonSchema, readToolInput, toolInputInvalid } from "../schema/check-against-schema.ts";
import type { Session } from "../session.ts";

export const SEARCH_TOOL = "search_skills";

/** The tool by which a model finds skills that its catalogue does not list, in the shape that hosts hand to their SDK. */
export interface SearchSkillsTool {
  readonly name: "search_skills";
  readonly description: string;
  readonly inputSchema: JsonSchema;
  execute(input: unknown): Promise<SkillSearch>;
}

/**
 * The tool that finds skills beyond a catalogue; undefined when the catalogue lists all there are.
 *
 * @example
 * const catalog = await session.catalogFor(messages);
 * const tool = searchSkillsTool(session, catalog);
 * if (tool !== undefined) tools.push(tool);
 */
export function searchSkillsTool(session: Session, catalog: Catalog): SearchSkillsTool | undefined {
  if (catalog.report.omitted === 0) return undefined;
  return {
    name: SEARCH_TOOL,
    description: DESCRIPTION,
    inputSchema: INPUT_SCHEMA,
    execute: async (input) => {
      const { query, limit } = readInput(input);
      const found = await session.select(query, { limit });
      // A model's query may name a skill that only people can start.
      return renderFound(found.filter(({ skill }) => session.mayUse(skill).obstacle === undefined));
    },
  };
}

const DESCRIPTION =
  "Searches all skills, also those that are not listed, and gives the names and descriptions of those that fit best. " +
  "Use it when none of the listed skills fits the task; then load the one that fits by its name.";

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;

/** A longer query is a document. */
const MAX_QUERY_CHARACTERS = 4096;

const INPUT_SCHEMA = {
  type: "object",
  properties: {
    query: {
      type: "string",
      minLength: 1,
      maxLength: MAX_QUERY_CHARACTERS,
      description:
        "What the task is about, in a few words, with file types and commands where there are any.",
    },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `How many at most; ${DEFAULT_LIMIT} unless given.`,
    },
  },
  required: ["query"],
  additionalProperties: false,
} as const;

function readInput(input: unknown): { readonly query: string; readonly limit: number } {
  const fields = readToolInput(SEARCH_TOOL, INPUT_SCHEMA, input);
  const invalid = (problem: string): Error => toolInputInvalid(SEARCH_TOOL, INPUT_SCHEMA.properties, problem);
  const query = fields.get("query");
  const limit = fields.get("limit") ?? DEFAULT_LIMIT;
  if (typeof query !== "string") throw invalid("`query` is not text");
  if (query.trim() === "") throw invalid("`query` is empty; say in a few words what the task is about");
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1)
    throw invalid("`limit` is not a whole number from 1 up");
  return { query: query.slice(0, MAX_QUERY_CHARACTERS), limit: Math.min(limit, MAX_LIMIT) };
}

/** A skill that a search found. */
export interface FoundSkill {
  /** Qualified: what it is loaded by. */
  readonly name: string;
  readonly description: string;
  /** How likely it is that the skill is wanted, between 0 and 1. */
  readonly score: number;
  readonly reasons: readonly string[];
}

/** The result of a search. */
export interface SkillSearch {
  readonly results: readonly FoundSkill[];
  /** The same for a model: escaped, so that no skill can write anything but its own entry. */
  readonly text: string;
}

/** An answer takes no more, whatever the skills say; one skill takes no more than its share of a usual answer. */
const MAX_TOKENS = 2000;
const MAX_DESCRIPTION_CHARACTERS = 400;
const MAX_REASONS = 3;
const MAX_REASON_CHARACTERS = 120;

export function renderFound(found: readonly SelectedSkill[]): SkillSearch {
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

/**
 * The schema of a tool's parameter that takes a skill's name: one of those listed while the catalogue lists all, else any
 * text, because a search finds names that are not in it; undefined when there are no skills.
 *
 * @example
 * const name = skillNameSchema(catalog);
 * const schema = name && { type: "object", properties: { name }, required: ["name"] };
 */
export function skillNameSchema({ report }: Catalog): JsonSchema | undefined {
  if (report.total === 0) return undefined;
  if (report.omitted > 0) return { type: "string", description: BEYOND };
  return { type: "string", enum: report.skills.map(({ name }) => name) };
}

const BEYOND = "The name of a skill exactly as it is listed or as search_skills gives it.";
