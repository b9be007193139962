import type { Range } from "@skillet/kit/diagnostics";
import type { Located } from "@skillet/kit/located";
import { hasHidden, quoteName } from "@skillet/kit/text";
import type { JsonSchema } from "../schema/json-schema.ts";
import { ANNOTATIONS, SCHEMA_TYPES } from "../schema/schema-keywords.ts";
import { isProse, plainJson } from "./plain-json.ts";
import { MAX_SCHEMA_CHARACTERS } from "./tool-limits.ts";
import type { ToolsetFaults } from "./toolset-faults.ts";

/**
 * Reads the schema of a tool; undefined when it is wrong, for then a model's host might refuse all tools over it.
 *
 * Keywords that are not checked here stay in it for the model, and are named once each.
 */
export function readSchema(node: Located, what: string, faults: ToolsetFaults): JsonSchema | undefined {
  const walk = new SchemaWalk(what, faults);
  walk.look(node);
  const odd = findOddNumber(node);
  if (odd !== undefined)
    walk.fault(odd.range, "has a number that JSON does not have", "Write a finite number.");
  const hiding = findHidden(node);
  if (hiding !== undefined) walk.fault(hiding.range, "has characters that nobody sees", VISIBLE);
  if (walk.isFaulty || node.kind !== "map") return undefined;
  const schema = plainJson(node) as JsonSchema;
  if (JSON.stringify(schema).length <= MAX_SCHEMA_CHARACTERS) return schema;
  walk.fault(
    node.range,
    `has more than ${MAX_SCHEMA_CHARACTERS} characters`,
    "Leave out what a model need not know.",
  );
  return undefined;
}

class SchemaWalk {
  readonly #what: string;
  readonly #faults: ToolsetFaults;
  readonly #unchecked = new Set<string>();
  isFaulty = false;

  constructor(what: string, faults: ToolsetFaults) {
    this.#what = what;
    this.#faults = faults;
  }

  look(node: Located): void {
    if (node.kind === "map")
      for (const { key, keyRange, value } of node.entries) this.#lookAtKeyword(key, value, keyRange);
    else {
      const problem = "has something else where a schema should be";
      this.fault(node.range, problem, "Write a map such as { type: string }.");
    }
  }

  fault(range: Range | undefined, problem: string, hint: string): void {
    this.isFaulty = true;
    this.#faults.add(range, {
      code: "tool-schema",
      severity: "error",
      message: `${this.#what} ${problem}, so the tool is left out.`,
      hint,
    });
  }

  #lookAtKeyword(key: string, value: Located, range: Range | undefined): void {
    const rule = RULES.get(key);
    if (rule !== undefined) {
      if (!rule.fits(value)) this.fault(value.range, `has a value of ${key} that makes no sense`, rule.hint);
    } else if (key === "items" && value.kind === "list") this.#note(key, range);
    else if (key === "items" || key === "additionalProperties") this.#lookAtSubschema(value);
    else if (!ANNOTATIONS.has(key)) this.#note(key, range);
    if (key === "properties" && value.kind === "map")
      for (const property of value.entries) this.#lookAtSubschema(property.value);
  }

  #lookAtSubschema(node: Located): void {
    if (typeof scalarOf(node) !== "boolean") this.look(node);
  }

  #note(key: string, range: Range | undefined): void {
    if (this.#unchecked.has(key)) return;
    this.#unchecked.add(key);
    this.#faults.add(range, {
      code: "tool-schema-unchecked",
      severity: "info",
      message: `${this.#what} has ${quoteName(key)}, which models are told but which is not checked here.`,
      hint: "Let the script check it.",
    });
  }
}

interface Rule {
  readonly hint: string;
  fits(value: Located): boolean;
}

const NUMBER: Rule = { hint: "Write a number.", fits: (value) => typeof scalarOf(value) === "number" };
const COUNT: Rule = {
  hint: "Write a whole number from 0.",
  fits: (value) => Number.isInteger(scalarOf(value)) && Number(scalarOf(value)) >= 0,
};
const RULES: ReadonlyMap<string, Rule> = new Map([
  ["type", { hint: `Write one or more of ${[...SCHEMA_TYPES].join(", ")}; "null" in quotes.`, fits: isType }],
  ["properties", { hint: "Write a map of names and schemas.", fits: ({ kind }) => kind === "map" }],
  ["required", { hint: "Write a list of names.", fits: isNames }],
  [
    "enum",
    { hint: "Write a list of values.", fits: (value) => value.kind === "list" && value.items.length > 0 },
  ],
  ["const", { hint: "Write a value.", fits: () => true }],
  ["minimum", NUMBER],
  ["maximum", NUMBER],
  ["minLength", COUNT],
  ["maxLength", COUNT],
  ["minItems", COUNT],
  ["maxItems", COUNT],
]);

const VISIBLE = "Take the control and invisible characters out of its names and values.";

// Names, choices, defaults and examples cannot be cleaned without meaning something else; prose is.
function findHidden(node: Located, key?: string): { readonly range: Range | undefined } | undefined {
  if (node.kind === "scalar") {
    const isFine = typeof node.value !== "string" || isProse(key) || !hasHidden(node.value);
    return isFine ? undefined : { range: node.range };
  }
  if (node.kind === "list") return firstOf(node.items, (item) => findHidden(item));
  return firstOf(node.entries, ({ key: name, keyRange, value }) =>
    hasHidden(name) || /[\n\t]/.test(name) ? { range: keyRange } : findHidden(value, name),
  );
}

function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

// YAML has infinities and a number that is none.
function findOddNumber(node: Located): Located | undefined {
  if (node.kind === "scalar")
    return typeof node.value === "number" && !Number.isFinite(node.value) ? node : undefined;
  return firstOf(node.kind === "list" ? node.items : node.entries.map(({ value }) => value), findOddNumber);
}

function scalarOf(node: Located): string | number | boolean | null | undefined {
  return node.kind === "scalar" ? node.value : undefined;
}

function isType(node: Located): boolean {
  if (node.kind === "list")
    return node.items.length > 0 && node.items.every((item) => isType(item) && item.kind === "scalar");
  const name = scalarOf(node);
  return typeof name === "string" && SCHEMA_TYPES.has(name);
}

function isNames(node: Located): boolean {
  return node.kind === "list" && node.items.every((item) => typeof scalarOf(item) === "string");
}
