import type { Catalog } from "../../catalog/create-catalog.ts";
import type { JsonSchema } from "../tools/schema/json-schema.ts";

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
