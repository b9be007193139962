import { isJsonObject } from "@skillet/kit/json";
import { type Reading, type Schema, scalar } from "@skillet/kit/schema";
import { hasHidden, removeHidden } from "@skillet/kit/text";
import { ANNOTATIONS, type JsonSchema, SCHEMA_TYPES } from "../../schema/check-against-schema.ts";

// For one schema, as JSON; models pay for it in every request.
const MAX_SCHEMA_CHARACTERS = 16 * 1024;

/** A faulty schema drops its tool, since hosts may refuse all tools over it. Notes unchecked keywords. */
export const toolSchema: Schema<JsonSchema> = (value, reading) => {
  const before = reading.faults.length;
  lookAtSchema(value, reading);
  const schema = plainJson(value, reading) as JsonSchema;
  if (reading.faults.slice(before).some(({ severity }) => severity !== "info")) return undefined;
  if (JSON.stringify(schema).length <= MAX_SCHEMA_CHARACTERS) return schema;
  const hint = "leave out what a model need not know";
  return reading.fault(`has more than ${MAX_SCHEMA_CHARACTERS} characters`, { hint });
};

function lookAtSchema(value: unknown, reading: Reading): undefined {
  if (!isJsonObject(value)) return reading.refuse(value, "a schema", "write a map such as { type: string }");
  for (const [key, item] of Object.entries(value)) {
    const rule = RULES.get(key);
    if (rule !== undefined) reading.inside(key, rule, item);
    else if ((key === "items" && !Array.isArray(item)) || key === "additionalProperties")
      reading.inside(key, lookAtSubschema, item);
    else if (!ANNOTATIONS.has(key))
      reading.faultAt(key, "is told to models but not checked here", {
        code: "tool-schema-unchecked",
        severity: "info",
        part: "key",
        hint: "let the script check it",
      });
  }
}

const lookAtSubschema: Schema<never> = (value, reading) =>
  typeof value === "boolean" ? undefined : lookAtSchema(value, reading);

function rule(hint: string, fits: (value: unknown) => boolean): Schema<unknown> {
  return scalar("a value that the keyword takes", (value) => (fits(value) ? [value] : undefined), hint);
}

const NUMBER = rule("write a number", (value) => typeof value === "number");
const COUNT = rule("write a whole number from 0", (value) => Number.isInteger(value) && Number(value) >= 0);
const PROPERTIES: Schema<unknown> = (value, reading) => {
  if (!isJsonObject(value)) return reading.refuse(value, "a map", "write a map of names and schemas");
  for (const [name, item] of Object.entries(value)) reading.inside(name, lookAtSubschema, item);
};

const RULES: ReadonlyMap<string, Schema<unknown>> = new Map([
  ["type", rule(`write one or more of ${[...SCHEMA_TYPES].join(", ")}; "null" in quotes`, isType)],
  ["properties", PROPERTIES],
  ["required", rule("write a list of names", isNames)],
  ["enum", rule("write a list of values", (value) => Array.isArray(value) && value.length > 0)],
  ["const", rule("write a value", () => true)],
  ["minimum", NUMBER],
  ["maximum", NUMBER],
  ["minLength", COUNT],
  ["maxLength", COUNT],
  ["minItems", COUNT],
  ["maxItems", COUNT],
]);

function isType(value: unknown): boolean {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  return names.length > 0 && names.every((name) => typeof name === "string" && SCHEMA_TYPES.has(name));
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

const VISIBLE = { hint: "take the control and invisible characters out of names and values" };

// The schema as plain, frozen JSON. Titles and descriptions are text for a model, so they are cleaned; that
// would alter other strings. Keys come from the skill, so maps have no prototype.
function plainJson(value: unknown, reading: Reading): unknown {
  const key = reading.path.at(-1);
  if (typeof key === "string" && (hasHidden(key) || /[\n\t]/.test(key)))
    return reading.fault("has invisible characters", { part: "key", ...VISIBLE });
  if (typeof value === "string") {
    if (key === "description" || key === "title") return cleanText(value);
    return hasHidden(value) ? reading.fault("has invisible characters", VISIBLE) : value;
  }
  // YAML has infinities and NaN.
  if (typeof value === "number" && !Number.isFinite(value))
    return reading.fault("is a number that JSON does not have", { hint: "write a finite number" });
  const before = reading.faults.length;
  // One such fault is enough; thousands would leave no room for the faults of the next tool.
  const inside = (at: string | number, item: unknown): unknown =>
    reading.faults.length > before ? undefined : reading.inside(at, plainJson, item);
  if (Array.isArray(value)) return Object.freeze(value.map((item, index) => inside(index, item)));
  if (!isJsonObject(value)) return value;
  const result: Record<string, unknown> = Object.create(null);
  for (const [name, item] of Object.entries(value)) result[name] = inside(name, item);
  return Object.freeze(result);
}

/** Puts a text on one line and removes everything invisible. */
export function cleanText(text: string): string {
  return removeHidden(text.replaceAll(/\s+/g, " ")).replaceAll(/ {2,}/g, " ").trim();
}
