import { isJsonObject } from "@skillet/kit/json";
import type { JsonSchema } from "../schema/check-against-schema.ts";

/** A type of JSON Schema. */
export type JsonTypeName = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

/** A JSON Schema as plain data; an alias, not an interface, so that it fits the types of every SDK. */
export type PlainSchema = {
  type?: JsonTypeName | JsonTypeName[];
  title?: string;
  description?: string;
  properties?: Record<string, PlainSchema>;
  required?: string[];
  additionalProperties?: boolean | PlainSchema;
  items?: PlainSchema;
  anyOf?: PlainSchema[];
  enum?: (string | number | boolean | null)[];
  const?: string | number | boolean | null;
} & { [bound in "minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems"]?: number };

/** The schema of a tool's input. */
export type ObjectSchema = PlainSchema & { type: "object"; properties: Record<string, PlainSchema> };

// OpenAI refuses deeper schemas.
const MAX_STRICT_DEPTH = 10;
const KEPT: ReadonlySet<string> = new Set("type title description enum const".split(" "));
/** The others only restrict further, which the tool itself still checks. */
const KNOWN: ReadonlySet<string> = new Set([
  ...KEPT,
  ...(
    "properties required additionalProperties items $comment $id $schema default deprecated examples format minimum maximum exclusiveMinimum exclusiveMaximum " +
    "multipleOf minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties readOnly writeOnly"
  ).split(" "),
]);

/**
 * A schema in OpenAI's strict form: every property required, optional ones nullable, no others allowed, and
 * without the keywords that it refuses. Undefined if that would change its meaning, as for an open map.
 */
export function strictSchema(schema: ObjectSchema): ObjectSchema | undefined {
  return strict(schema, 0) as ObjectSchema | undefined;
}

function strict(schema: unknown, depth: number): PlainSchema | undefined {
  if (!isJsonObject(schema) || depth > MAX_STRICT_DEPTH) return undefined;
  const keywords = Object.keys(schema);
  const types = typesOf(schema);
  if (!keywords.every((keyword) => KNOWN.has(keyword)) || types.length === 0) return undefined;
  const kept = keywords.filter((keyword) => KEPT.has(keyword)).map((keyword) => [keyword, schema[keyword]]);
  const isList = types.includes("array");
  const items = isList ? strict(schema.items, depth + 1) : {};
  const map = types.includes("object") ? strictMap(schema, depth) : {};
  if (items === undefined || map === undefined) return undefined;
  const type = types.length > 1 ? [...types] : (types[0] ?? "null");
  return { ...Object.fromEntries(kept), type, ...(isList && { items }), ...map };
}

function strictMap(
  { properties, additionalProperties = false, required }: JsonSchema,
  depth: number,
): PlainSchema | undefined {
  if (!isJsonObject(properties) || additionalProperties !== false) return undefined;
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const entries: (readonly [string, PlainSchema])[] = [];
  for (const [name, value] of Object.entries(properties)) {
    const property = strict(value, depth + 1);
    if (property === undefined) return undefined;
    entries.push([name, needed.delete(name) ? property : nullable(property)]);
  }
  // A closed schema cannot require a property that it does not describe.
  if (needed.size > 0) return undefined;
  const names = entries.map(([name]) => name);
  return { properties: Object.fromEntries(entries), required: names, additionalProperties: false };
}

function typesOf({ type, enum: choices, const: only }: JsonSchema): readonly JsonTypeName[] {
  if (type !== undefined) return [type as JsonTypeName | JsonTypeName[]].flat();
  const values: readonly unknown[] = Array.isArray(choices) ? choices : only === undefined ? [] : [only];
  return [...new Set(values.map((value) => (value === null ? "null" : (typeof value as JsonTypeName))))];
}

function nullable(schema: PlainSchema): PlainSchema {
  const { type = [], const: only, enum: choices, ...rest } = schema;
  const values = choices ?? (only === undefined ? undefined : [only]);
  const types = [type].flat();
  if (types.includes("null")) return schema;
  return {
    ...rest,
    type: [...types, "null"],
    ...(values && { enum: values.includes(null) ? values : [...values, null] }),
  };
}
