import { oncePer } from "@skillet/kit/async";
import { fieldOf, isJsonObject } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { cutText, quoteName } from "@skillet/kit/text";
import { countCodePoints } from "../../catalog/text-scale.ts";

/** A JSON Schema as a skill wrote it; `checkAgainstSchema` says how much of it is checked. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export interface SchemaProblem {
  /** A JSON pointer to the value, such as `/fields/0/name`; empty for the whole value. */
  readonly at: string;
  readonly message: string;
}

export const SCHEMA_TYPES: ReadonlySet<string> = new Set(
  "array boolean integer null number object string".split(" "),
);

/** Keywords that only describe. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(
  "$comment $defs $id $schema default definitions deprecated description examples format readOnly title writeOnly".split(
    " ",
  ),
);

// More would not help a model, and a long list is one more way to fill its context.
const MAX_PROBLEMS = 20;
const MAX_DEPTH = 64;
const MAX_POINTER_CHARACTERS = 200;
const MAX_CHOICES_CHARACTERS = 300;

/**
 * Checks a JSON value against the part of JSON Schema that can be checked in time linear in the value: type,
 * properties, required, additionalProperties, items, enum, const, minimum, maximum, minLength, maxLength,
 * minItems and maxItems. A `pattern` is not evaluated, because it could run forever; nor are combinations and
 * references. A keyword with a nonsensical value is skipped; reading a toolset reports it. Never throws.
 * Callers bound the value: output of a model or a script is cut off long before this.
 */
export function checkAgainstSchema(value: unknown, schema: JsonSchema): readonly SchemaProblem[] {
  const check = new SchemaCheck();
  check.look(value, schema);
  return check.problems;
}

/** The keywords of a schema that are lists, in a form whose lookups cost the same whatever their length. */
interface CompiledSchema {
  readonly types: ReadonlySet<string>;
  /** `enum` and `const`, as canonical texts. */
  readonly choices: readonly ReadonlySet<string>[];
  readonly required: ReadonlySet<string>;
}

class SchemaCheck {
  readonly problems: SchemaProblem[] = [];
  readonly #compiled = oncePer(compileSchema);
  readonly #path: (string | number)[] = [];

  look(value: unknown, schema: unknown): void {
    if (this.#isOver()) return;
    if (schema === false) this.#add("is not allowed here");
    if (!isJsonObject(schema)) return;
    if (this.#path.length > MAX_DEPTH) this.#add(`is nested more than ${MAX_DEPTH} deep`);
    else this.#lookInto(value, schema);
  }

  #lookInto(value: unknown, schema: JsonSchema): void {
    const { types, choices, required } = this.#compiled(schema);
    const isFit = types.has(typeOf(value)) || (types.has("integer") && Number.isInteger(value));
    if (types.size > 0 && !isFit) {
      this.#add(`must be ${[...types].map(articled).join(" or ")}, but is ${articled(typeOf(value))}`);
      return;
    }
    for (const choice of choices)
      if (!choice.has(canonicalText(value)))
        this.#add(`must be ${choice.size === 1 ? "" : "one of "}${listChoices(choice)}`);
    if (typeof value === "number") this.#checkBounds(schema, ["minimum", "maximum"], () => value);
    else if (typeof value === "string")
      this.#checkBounds(schema, ["minLength", "maxLength"], () => countCodePoints(value), "characters");
    else if (Array.isArray(value)) this.#lookAtList(value, schema);
    else if (typeof value === "object" && value !== null) this.#lookAtMap(value, schema, required);
  }

  #checkBounds(
    schema: JsonSchema,
    [low, high]: readonly [string, string],
    measure: () => number,
    unit?: string,
  ): void {
    const [least, most] = [numberOf(fieldOf(schema, low)), numberOf(fieldOf(schema, high))];
    if (least === undefined && most === undefined) return;
    const amount = measure();
    const must = unit === undefined ? "must be" : "must have";
    const end = unit === undefined ? "" : ` ${unit}, but has ${amount}`;
    if (least !== undefined && !(amount >= least)) this.#add(`${must} at least ${least}${end}`);
    if (most !== undefined && !(amount <= most)) this.#add(`${must} at most ${most}${end}`);
  }

  #lookAtList(value: readonly unknown[], schema: JsonSchema): void {
    this.#checkBounds(schema, ["minItems", "maxItems"], () => value.length, "items");
    const items = fieldOf(schema, "items");
    // A list of schemas is a tuple in an old draft, which is not checked.
    if (items === undefined || Array.isArray(items)) return;
    for (const [index, item] of value.entries()) {
      if (this.#isOver()) return;
      this.#lookBelow(index, item, items);
    }
  }

  #lookAtMap(value: object, schema: JsonSchema, required: ReadonlySet<string>): void {
    for (const key of required) {
      if (this.#isOver()) return;
      if (!Object.hasOwn(value, key)) this.#add(`lacks ${quoteName(key)}`);
    }
    const properties = fieldOf(schema, "properties");
    const additional = fieldOf(schema, "additionalProperties");
    for (const [key, item] of Object.entries(value)) {
      if (this.#isOver()) return;
      // Own keys only: a schema that does not name `constructor` says nothing about it.
      if (isJsonObject(properties) && Object.hasOwn(properties, key))
        this.#lookBelow(key, item, properties[key]);
      else if (additional !== undefined) this.#lookBelow(key, item, additional);
    }
  }

  #lookBelow(key: string | number, value: unknown, schema: unknown): void {
    this.#path.push(key);
    this.look(value, schema);
    this.#path.pop();
  }

  #isOver(): boolean {
    return this.problems.length >= MAX_PROBLEMS;
  }

  #add(message: string): void {
    if (this.#isOver()) return;
    const pointer = this.#path.map((part) => `/${escapeKey(String(part))}`).join("");
    const isLong = pointer.length > MAX_POINTER_CHARACTERS;
    this.problems.push({ at: isLong ? `${cutText(pointer, MAX_POINTER_CHARACTERS)}…` : pointer, message });
  }
}

function compileSchema(schema: JsonSchema): CompiledSchema {
  const type = fieldOf(schema, "type");
  const listed = fieldOf(schema, "enum");
  const choices = [
    ...(Array.isArray(listed) ? [listed] : []),
    ...(Object.hasOwn(schema, "const") ? [[schema.const]] : []),
  ];
  return {
    types: new Set(textsOf(Array.isArray(type) ? type : [type]).filter((name) => SCHEMA_TYPES.has(name))),
    choices: choices.map((values) => new Set(values.map((item) => canonicalText(item)))),
    required: new Set(textsOf(fieldOf(schema, "required"))),
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isFinite(value) ? "number" : "number that JSON does not have";
  return typeof value;
}

function articled(type: string): string {
  if (type === "null" || type === "undefined") return type;
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function listChoices(choices: ReadonlySet<string>): string {
  const text = [...choices].join(", ");
  return text.length > MAX_CHOICES_CHARACTERS ? `${cutText(text, MAX_CHOICES_CHARACTERS)}…` : text;
}

function escapeKey(key: string): string {
  return cutText(key, MAX_POINTER_CHARACTERS).replaceAll("~", "~0").replaceAll("/", "~1");
}

/** A text that is the same for two JSON values exactly if they are equal. */
function canonicalText(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) return "…";
  const inner = (item: unknown): string => canonicalText(item, depth + 1);
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inner).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([left], [right]) => compareByteOrder(left, right));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${inner(item)}`).join(",")}}`;
  }
  // 0 and -0 are one number in JSON; values outside JSON only need to differ from those in it.
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return `<${typeof value}>`;
}

/** Removes nulls that the schema does not allow: OpenAI's strict mode sends them for optional fields. */
export function withoutNulls(value: unknown, schema: unknown): unknown {
  // Per schema, not per value: an enum may be as long as the list that it is checked against.
  const refusing = oncePer(nullRefusing);
  const clean = (item: unknown, part: unknown, depth: number): unknown => {
    if (!isJsonObject(part) || depth > MAX_DEPTH) return item;
    if (Array.isArray(item)) return item.map((inner) => clean(inner, fieldOf(part, "items"), depth + 1));
    const properties = fieldOf(part, "properties");
    if (!isJsonObject(item) || !isJsonObject(properties)) return item;
    const entries = Object.entries(item).filter(([key, inner]) => inner !== null || !refusing(part).has(key));
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, clean(inner, fieldOf(properties, key), depth + 1)]),
    );
  };
  return clean(value, schema, 0);
}

/** The optional properties that may not be null. */
function nullRefusing(schema: JsonSchema): ReadonlySet<string> {
  const { required } = compileSchema(schema);
  const refuses = ([key, part]: readonly [string, unknown]): boolean =>
    !required.has(key) && checkAgainstSchema(null, part as JsonSchema).length > 0;
  const refusing = Object.entries(fieldOf(schema, "properties") ?? {}).filter(refuses);
  return new Set(refusing.map(([key]) => key));
}

export function listProblems(what: string, problems: readonly SchemaProblem[]): string {
  // The pointer consists of the value's own keys, which must not add lines, tags or invisible text.
  const lines = problems.map(
    ({ at, message }) => `- ${at === "" ? "the whole value" : quoteName(at)} ${message}`,
  );
  return [`${what} does not fit the tool's schema:`, ...lines].join("\n");
}
