import { compareByteOrder } from "@skillet/kit/order";
import { cutText, quoteName } from "@skillet/kit/text";

/** One thing in which a value does not fit a schema. */
export interface SchemaProblem {
  /** A JSON pointer to the value: `/fields/0/name`; empty for the whole. */
  readonly at: string;
  readonly message: string;
}

// A model learns nothing from more, and a long list is one more way to fill its context.
const MAX_PROBLEMS = 20;
const MAX_DEPTH = 64;
const MAX_POINTER_CHARACTERS = 200;
const MAX_CHOICES_CHARACTERS = 300;
// Values and schemas are trees and bounded where they come in; this holds for whatever else is passed.
const MAX_STEPS = 1_000_000;
const TOO_LARGE = "is too large to be checked";

/**
 * Checks a JSON value against the part of JSON Schema that can be checked in time linear in the value.
 *
 * That part is type, properties, required, additionalProperties, items, enum, const, minimum, maximum, minLength,
 * maxLength, minItems and maxItems. A `pattern` is not evaluated, because one can be written that never ends; nor are
 * combinations and references. Never throws.
 */
export function checkAgainstSchema(value: unknown, schema: JsonSchema): readonly SchemaProblem[] {
  const check = new SchemaCheck();
  check.look(value, schema);
  return check.problems;
}

class SchemaCheck {
  readonly problems: SchemaProblem[] = [];
  readonly #compiled = new Map<JsonSchema, CompiledSchema>();
  readonly #path: (string | number)[] = [];
  #steps = 0;

  look(value: unknown, schema: unknown): void {
    if (this.#isOver()) return;
    if (schema === false) this.#add("is not allowed here");
    if (!isSchemaMap(schema)) return;
    if (!this.#spend()) this.#add(TOO_LARGE);
    else if (this.#path.length > MAX_DEPTH) this.#add(`is nested more than ${MAX_DEPTH} deep`);
    else this.#lookInto(value, this.#compile(schema));
  }

  #lookInto(value: unknown, compiled: CompiledSchema): void {
    const { types, choices } = compiled;
    if (types !== undefined && !hasType(value, types)) {
      this.#add(`must be ${listTypes(types)}, but is ${articled(typeOf(value))}`);
      return;
    }
    for (const choice of choices) {
      if (!choice.has(canonicalText(value, this.#spend)))
        this.#add(`must be ${choice.size === 1 ? "" : "one of "}${listChoices(choice)}`);
    }
    // Two texts that were both broken off may look the same.
    if (this.#steps > MAX_STEPS) this.#add(TOO_LARGE);
    if (typeof value === "number") this.#lookAtNumber(value, compiled);
    else if (typeof value === "string") this.#lookAtText(value, compiled);
    else if (Array.isArray(value)) this.#lookAtList(value, compiled);
    else if (typeof value === "object" && value !== null) this.#lookAtMap(value, compiled);
  }

  #lookAtNumber(value: number, { bounds: { minimum, maximum } }: CompiledSchema): void {
    if (minimum !== undefined && !(value >= minimum)) this.#add(`must be at least ${minimum}`);
    if (maximum !== undefined && !(value <= maximum)) this.#add(`must be at most ${maximum}`);
  }

  #lookAtText(value: string, { bounds: { minLength, maxLength } }: CompiledSchema): void {
    if (minLength === undefined && maxLength === undefined) return;
    const length = countCodePoints(value);
    if (minLength !== undefined && length < minLength)
      this.#add(`must have at least ${minLength} characters, but has ${length}`);
    if (maxLength !== undefined && length > maxLength)
      this.#add(`must have at most ${maxLength} characters, but has ${length}`);
  }

  #lookAtList(value: readonly unknown[], { items, bounds: { minItems, maxItems } }: CompiledSchema): void {
    if (minItems !== undefined && value.length < minItems)
      this.#add(`must have at least ${minItems} items, but has ${value.length}`);
    if (maxItems !== undefined && value.length > maxItems)
      this.#add(`must have at most ${maxItems} items, but has ${value.length}`);
    if (items === undefined) return;
    for (const [index, item] of value.entries()) {
      if (this.#isOver()) return;
      this.#lookBelow(index, item, items);
    }
  }

  #lookAtMap(value: object, { required, properties, additional }: CompiledSchema): void {
    for (const key of required) {
      if (this.#isOver()) return;
      if (!Object.hasOwn(value, key)) this.#add(`lacks ${quoteName(key)}`);
    }
    for (const [key, item] of Object.entries(value)) {
      if (this.#isOver()) return;
      // Own keys only: a property called `constructor` is nobody's but the schema's.
      if (properties !== undefined && Object.hasOwn(properties, key))
        this.#lookBelow(key, item, properties[key]);
      else if (additional !== undefined) this.#lookBelow(key, item, additional);
    }
  }

  #lookBelow(key: string | number, value: unknown, schema: unknown): void {
    this.#path.push(key);
    this.look(value, schema);
    this.#path.pop();
  }

  #compile(schema: JsonSchema): CompiledSchema {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const compiled = compileSchema(schema, this.#spend);
    this.#compiled.set(schema, compiled);
    return compiled;
  }

  #spend = (): boolean => {
    this.#steps += 1;
    return this.#steps <= MAX_STEPS;
  };

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

function hasType(value: unknown, types: ReadonlySet<string>): boolean {
  return types.has(typeOf(value)) || (types.has("integer") && Number.isInteger(value));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isFinite(value) ? "number" : "number that JSON does not have";
  return typeof value;
}

function listTypes(types: ReadonlySet<string>): string {
  return [...types].map(articled).join(" or ");
}

function articled(type: string): string {
  if (type === "null" || type === "undefined") return type;
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function listChoices(choices: ReadonlySet<string>): string {
  const text = [...choices].join(", ");
  return text.length > MAX_CHOICES_CHARACTERS ? `${cutText(text, MAX_CHOICES_CHARACTERS)}…` : text;
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function escapeKey(key: string): string {
  return cutText(key, MAX_POINTER_CHARACTERS).replaceAll("~", "~0").replaceAll("/", "~1");
}

/** A text that two JSON values share exactly when they are equal; `spend` says whether there is still work to give. */
function canonicalText(value: unknown, spend: () => boolean, depth = 0): string {
  if (!spend() || depth > MAX_DEPTH) return "…";
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((item) => canonicalText(item, spend, depth + 1)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([left], [right]) => compareByteOrder(left, right));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalText(item, spend, depth + 1)}`).join(",")}}`;
  }
  // 0 and -0 are one number in JSON; what JSON has no word for only has to be told from what it has.
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return `<${typeof value}>`;
}

/**
 * The keywords of one schema that are checked, in a form whose use costs the same however long their lists are.
 *
 * A keyword whose value makes no sense is left out; reading a toolset reports those.
 */
interface CompiledSchema {
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
function compileSchema(schema: JsonSchema, spend: () => boolean): CompiledSchema {
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
function isSchemaMap(value: unknown): value is JsonSchema {
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

/** A JSON Schema as a skill wrote it; what of it is checked here, `checkAgainstSchema` says. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Problems as lines for a model, each with the place in the value. */
export function listProblems(what: string, problems: readonly SchemaProblem[]): string {
  // The place is made of the value's own keys: none may add lines, tags or invisible text.
  const lines = problems.map(
    ({ at, message }) => `- ${at === "" ? "the whole value" : quoteName(at)} ${message}`,
  );
  return [`${what} does not fit the tool's schema:`, ...lines].join("\n");
}

/** The names that `type` can have. */
export const SCHEMA_TYPES: ReadonlySet<string> = new Set([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

/** Keywords that describe and restrict nothing. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  "$comment",
  "$defs",
  "$id",
  "$schema",
  "default",
  "definitions",
  "deprecated",
  "description",
  "examples",
  "format",
  "readOnly",
  "title",
  "writeOnly",
]);
