import type { Range } from "@skillet/kit/diagnostics";
import type { Located } from "@skillet/kit/located";
import { nearestName } from "@skillet/kit/nearest-name";
import { hasHidden, quoteName } from "@skillet/kit/text";
import { normaliseResourcePath } from "../../read/read-resource.ts";
import { MAX_SCRIPT_TIMEOUT_MS } from "../../run/check-script-call.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { cleanText } from "./clean-text.ts";
import type { DeclaredTool } from "./declared-toolset.ts";
import { readSchema } from "./read-schema.ts";
import {
  MAX_TOOL_ARGUMENT_CHARACTERS,
  MAX_TOOL_ARGUMENTS,
  MAX_TOOL_DESCRIPTION_CHARACTERS,
} from "./tool-limits.ts";
import type { ToolsetFaults } from "./toolset-faults.ts";

const KEYS = ["name", "description", "inputSchema", "outputSchema", "script", "args", "timeoutMs"] as const;
type Key = (typeof KEYS)[number];

/** Reads one tool of a toolset file; undefined when something that it needs is missing or wrong, which is reported. */
export function readTool(node: Located, faults: ToolsetFaults): DeclaredTool | undefined {
  if (node.kind !== "map") {
    faults.add(node.range, {
      ...FIELD,
      message: "A tool is not a map, so it is left out.",
      hint: HINTS.tool,
    });
    return undefined;
  }
  return new ToolReader(node, faults).read();
}

/** Warns about keys that nobody knows. */
export function warnUnknownKeys(
  node: Extract<Located, { kind: "map" }>,
  known: readonly string[],
  faults: ToolsetFaults,
): void {
  for (const { key, keyRange } of node.entries) {
    if (known.includes(key)) continue;
    const near = nearestName(key, known);
    faults.add(keyRange, {
      code: "toolset-unknown-key",
      severity: "warning",
      message: `There is no key ${quoteName(key)}; it has no effect.`,
      hint: near === undefined ? `The keys are ${known.join(", ")}.` : `Did you mean ${near}?`,
    });
  }
}

const FIELD = { code: "tool-field", severity: "error" } as const;

const HINTS: Readonly<Record<Key | "tool", string>> = {
  tool: "Write a map with name, description, inputSchema and script.",
  name: "Begin with a letter, and use at most 41 letters, digits, underscores and hyphens.",
  description: "Say in a sentence what the tool does and when to use it.",
  inputSchema: "Write a schema with type: object.",
  outputSchema: "Write a schema such as { type: object }.",
  script: "Name a file below scripts/, such as scripts/fill.py.",
  args: `Write a list of at most ${MAX_TOOL_ARGUMENTS} texts of at most ${MAX_TOOL_ARGUMENT_CHARACTERS} characters, none of them invisible.`,
  timeoutMs: `Write a whole number of milliseconds from 1 to ${MAX_SCRIPT_TIMEOUT_MS}.`,
};

const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,40}$/;

class ToolReader {
  readonly #node: Extract<Located, { kind: "map" }>;
  readonly #faults: ToolsetFaults;
  #isFaulty = false;

  constructor(node: Extract<Located, { kind: "map" }>, faults: ToolsetFaults) {
    this.#node = node;
    this.#faults = faults;
  }

  read(): DeclaredTool | undefined {
    warnUnknownKeys(this.#node, KEYS, this.#faults);
    const name = this.#read("name", "required", (node) => textOf(node, NAME));
    const description = this.#read("description", "required", (node) => this.#readDescription(node));
    const script = this.#read("script", "required", readScript);
    const input = this.#read("inputSchema", "optional", (node) => this.#readSchema(node, "inputSchema"));
    const outputSchema = this.#read("outputSchema", "optional", (node) =>
      this.#readSchema(node, "outputSchema"),
    );
    const args = this.#read("args", "optional", readArguments);
    const timeoutMs = this.#read("timeoutMs", "optional", readTimeout);
    if (this.#isFaulty || name === undefined || description === undefined || script === undefined)
      return undefined;
    const range = this.#valueOf("name")?.range;
    return {
      name,
      description,
      inputSchema: input ?? NO_INPUT,
      ...(outputSchema !== undefined && { outputSchema }),
      script,
      args: args ?? [],
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(range !== undefined && { range }),
    };
  }

  #read<Value>(
    key: Key,
    need: "required" | "optional",
    read: (node: Located) => Value | undefined,
  ): Value | undefined {
    const node = this.#valueOf(key);
    if (node === undefined) {
      if (need === "required") this.#fault(this.#node.range, `has no ${key}`, key);
      return undefined;
    }
    const value = read(node);
    if (value === undefined && !isSchema(key))
      this.#fault(node.range, `has a ${key} that cannot be used`, key);
    this.#isFaulty ||= value === undefined;
    return value;
  }

  #valueOf(key: Key): Located | undefined {
    return this.#node.entries.find((entry) => entry.key === key)?.value;
  }

  #fault(range: Range | undefined, problem: string, key: Key): void {
    this.#isFaulty = true;
    const message = `A tool ${problem}, so it is left out.`;
    this.#faults.add(range, { ...FIELD, message, hint: HINTS[key] });
  }

  #readDescription(node: Located): string | undefined {
    const text = cleanText(textOf(node) ?? "");
    const characters = [...text];
    if (characters.length <= MAX_TOOL_DESCRIPTION_CHARACTERS) return text === "" ? undefined : text;
    this.#faults.add(node.range, {
      code: "tool-description-long",
      severity: "warning",
      message: `The description has more than ${MAX_TOOL_DESCRIPTION_CHARACTERS} characters; the rest is cut off.`,
      hint: "Say less, and put the rest into the skill's text.",
    });
    return `${characters.slice(0, MAX_TOOL_DESCRIPTION_CHARACTERS - 1).join("")}…`;
  }

  #readSchema(node: Located, key: "inputSchema" | "outputSchema"): JsonSchema | undefined {
    const schema = readSchema(node, `The ${key}`, this.#faults);
    if (schema === undefined || key === "outputSchema" || schema.type === "object") return schema;
    this.#fault(node.range, `has an ${key} that is not of type object`, key);
    return undefined;
  }
}

// What is wrong with a schema, its own reader says.
function isSchema(key: Key): boolean {
  return key === "inputSchema" || key === "outputSchema";
}

// A tool without a schema takes nothing.
const NO_INPUT: JsonSchema = Object.freeze({
  type: "object",
  properties: Object.freeze({}),
  additionalProperties: false,
});

function textOf(node: Located, pattern?: RegExp): string | undefined {
  if (node.kind !== "scalar" || typeof node.value !== "string") return undefined;
  return pattern === undefined || pattern.test(node.value) ? node.value : undefined;
}

function readScript(node: Located): string | undefined {
  const path = textOf(node) ?? "";
  const isFine = path.startsWith("scripts/") && normaliseResourcePath(path) === path && !hasHidden(path);
  return isFine ? path : undefined;
}

function readArguments(node: Located): readonly string[] | undefined {
  if (node.kind !== "list" || node.items.length > MAX_TOOL_ARGUMENTS) return undefined;
  const texts = node.items.map((item) => textOf(item));
  const isFine = (text: string | undefined): text is string =>
    text !== undefined && text.length <= MAX_TOOL_ARGUMENT_CHARACTERS && !hasHidden(text);
  return texts.every(isFine) ? texts : undefined;
}

function readTimeout(node: Located): number | undefined {
  const value = node.kind === "scalar" ? node.value : undefined;
  const isFine =
    typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_SCRIPT_TIMEOUT_MS;
  return isFine ? value : undefined;
}
