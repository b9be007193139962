import { cutText, quoteName } from "@skillet/kit/text";
import { canonicalText } from "./canonical-text.ts";
import { type CompiledSchema, compileSchema, isSchemaMap } from "./compile-schema.ts";
import type { JsonSchema } from "./json-schema.ts";

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
