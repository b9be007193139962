import { SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";
import type { Catalog } from "../../catalog/create-catalog.ts";
import type { Session } from "../session.ts";
import type { JsonSchema } from "../tools/schema/json-schema.ts";
import { renderFound, type SkillSearch } from "./render-found.ts";

/** The name of the tool, as catalogues give it. */
export const SEARCH_TOOL = "search_skills";

/** The tool by which a model finds skills that its catalogue does not list, in the shape that hosts hand to their SDK. */
export interface SearchSkillsTool {
  readonly name: "search_skills";
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Checks what a model wrote and searches the skills that the session may use. */
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
      const { query, limit } = checkInput(input);
      const found = await session.select(query, { limit });
      // A query is a model's: it may name what only people start, and cannot load that.
      return renderFound(found.filter(({ skill }) => session.hiddenFrom(skill, "model") === undefined));
    },
  };
}

const DESCRIPTION =
  "Searches all skills, also those that are not listed, and gives the names and descriptions of those that fit best. " +
  "Use it when none of the listed skills fits the task; then load the one that fits by its name.";

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;

/** A longer query is a document, of which only some is looked at anyway. */
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

function checkInput(input: unknown): { readonly query: string; readonly limit: number } {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw invalid("it is no object with `query`");
  const unknown = Object.keys(input).find((key) => !Object.hasOwn(INPUT_SCHEMA.properties, key));
  if (unknown !== undefined) throw invalid(`there is no property ${quoteName(unknown)}`);
  const fields = new Map<string, unknown>(Object.entries(input));
  const query = fields.get("query");
  const limit = fields.get("limit") ?? DEFAULT_LIMIT;
  if (typeof query !== "string") throw invalid("`query` is no text");
  if (query.trim() === "") throw invalid("`query` is empty; say in a few words what the task is about");
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1)
    throw invalid("`limit` is no whole number from 1 up");
  return { query: query.slice(0, MAX_QUERY_CHARACTERS), limit: Math.min(limit, MAX_LIMIT) };
}

function invalid(problem: string): SkilletError {
  const known = Object.keys(INPUT_SCHEMA.properties).join(", ");
  return new SkilletError(
    "tool-input-invalid",
    `The input of ${SEARCH_TOOL} was not taken: ${problem}. Pass ${known}.`,
    { data: { tool: SEARCH_TOOL } },
  );
}
