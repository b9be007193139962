import { canonicalText } from "./canonical-text.ts";
import type { JsonSchema } from "./json-schema.ts";
import { SCHEMA_TYPES } from "./schema-keywords.ts";

/**
 * The keywords of one schema that are checked, in a form whose use costs the same however long their lists are.
 *
 * A keyword whose value makes no sense is left out; reading a toolset reports those.
 */
export interface CompiledSchema {
  readonly types?: ReadonlySet<string>;
  /** `enum` and `const`, as canonical texts. */
  readonly choices: readonly ReadonlySet<string>[];
  readonly properties?: JsonSchema;
  readonly required: ReadonlySet<string>;
  readonly additional?: unknown;
  readonly items?: unknown;
  readonly bounds: Readonly<Record<Bound, number | undefined>>;
}

type Bound = (typeof BOUNDS)[number];
const BOUNDS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const;

/** Takes a schema apart; `spend` is called for every value that is looked at. */
export function compileSchema(schema: JsonSchema, spend: () => boolean): CompiledSchema {
  const own = (keyword: string): unknown => (Object.hasOwn(schema, keyword) ? schema[keyword] : undefined);
  const types = typesOf(own("type"));
  const properties = own("properties");
  const items = own("items");
  const choices: ReadonlySet<string>[] = [];
  const listed = own("enum");
  if (Array.isArray(listed)) choices.push(new Set(listed.map((item) => canonicalText(item, spend))));
  if (Object.hasOwn(schema, "const")) choices.push(new Set([canonicalText(schema.const, spend)]));
  const [minimum, maximum, minLength, maxLength, minItems, maxItems] = BOUNDS.map((name) =>
    numberOf(own(name)),
  );
  return {
    ...(types !== undefined && { types }),
    choices,
    ...(isSchemaMap(properties) && { properties }),
    required: new Set(textsOf(own("required"))),
    additional: own("additionalProperties"),
    // A list of schemas is a tuple of an old draft, which is not checked.
    ...(!Array.isArray(items) && { items }),
    bounds: { minimum, maximum, minLength, maxLength, minItems, maxItems },
  };
}

/** Whether a value is a map, which is what schemas and their properties are. */
export function isSchemaMap(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typesOf(value: unknown): ReadonlySet<string> | undefined {
  const known = textsOf(Array.isArray(value) ? value : [value]).filter((name) => SCHEMA_TYPES.has(name));
  return known.length === 0 ? undefined : new Set(known);
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
