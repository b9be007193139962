import { parseSkill } from "@skillet/core";
import { FIELD_NAMES, fieldSpellings } from "@skillet/core/internal";
import type { JsonObject } from "@skillet/kit/json";

/** For hovers in editors; what may stand in a key is found out from the parser. */
const SUMMARIES: Readonly<Record<string, string>> = {
  name: "The folder's name: lower-case letters, digits and single hyphens.",
  description: "What the skill does, when to use it, and when not. A model chooses by it alone.",
  license: "The licence, or the file that holds it.",
  compatibility: "For people: versions, systems and clients that it needs.",
  metadata: "Anything else, as text.",
  "allowed-tools": "Tools that it may use without asking, with spaces between them: Bash(git log:*) Read",
  "disallowed-tools": "Tools that it must not use.",
  "when-to-use": "More about when to use it, such as messages that call for it.",
  "argument-hint": "What is shown after /name: [file] [format]",
  arguments: "Names of the arguments, which $name stands for in the body.",
  "disable-model-invocation": "true: only people start it.",
  "user-invocable": "false: only models start it.",
  context: "fork: it runs in a conversation of its own.",
  agent: "The kind of agent that a fork runs in.",
  paths: "Patterns of files; it is offered only where one of them is at hand.",
  triggers: "Keywords, verbs or patterns that should bring it up.",
  platforms: "Systems that it works on: macos, linux, windows",
  tags: "Words to find it by.",
};

/** Several of one type, because keys that take a map look for their own names in it. */
const TYPES: Readonly<Record<string, readonly unknown[]>> = {
  string: ["text"],
  boolean: [true, false],
  array: [["text"]],
  object: [{ text: "text" }, { name: "text" }, { keywords: ["text"] }],
};

/**
 * A JSON schema of a SKILL.md header. What each key takes is found out by asking the parser, in strict mode, so that an
 * editor accepts what `skillet validate` accepts.
 */
export function frontmatterSchema(): JsonObject {
  const fields = FIELD_NAMES.map((name) => [name, fieldSchema(name)] as const);
  const others = fields.flatMap(([name, schema]) => {
    const spellings = fieldSpellings(name).filter((spelling) => spelling !== name);
    return spellings.length === 0 ? [] : [[`^(?:${spellings.join("|")})$`, schema] as const];
  });
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "The header of a SKILL.md",
    type: "object",
    required: ["name", "description"],
    properties: Object.fromEntries(fields),
    // Other spellings of the same keys: they are checked, but not offered for completion.
    patternProperties: Object.fromEntries(others),
    additionalProperties: false,
  };
}

function fieldSchema(name: string): JsonObject {
  const probes = Object.entries(TYPES).flatMap(([type, values]) =>
    values.map((value) => ({ type, ...probe(name, value) })),
  );
  const accepted = probes.filter(({ fault }) => fault === undefined);
  const effective = accepted.filter(({ hasEffect }) => hasEffect);
  const choices = / is not (\w+(?: or \w+)+), /.exec(probes[0]?.fault ?? "")?.[1]?.split(" or ");
  const isChoice = effective.length === 0 && choices !== undefined;
  const taken = effective.length > 0 || isChoice ? effective : accepted;
  const found = [...new Set(taken.map(({ type }) => type))];
  const isAny = found.length === Object.keys(TYPES).length;
  // Any scalar can be read as text, but it is text that is meant.
  const types = isAny ? [] : found.filter((type) => type !== "boolean" || !found.includes("string"));
  const [limit] = [100, 2_000].flatMap(
    (length) => /\bat most (\d+)\b/.exec(probe(name, "a".repeat(length)).fault ?? "")?.[1] ?? [],
  );
  return {
    ...(SUMMARIES[name] !== undefined && { description: SUMMARIES[name] }),
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(isChoice && { enum: choices }),
    ...(limit !== undefined && { maxLength: Number(limit) }),
    ...(name === "name" && { pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" }),
  };
}

function probe(name: string, value: unknown): { readonly fault?: string; readonly hasEffect: boolean } {
  const read = (header: JsonObject) => {
    const lines = Object.entries(header).map(([key, item]) => `${key}: ${JSON.stringify(item)}`);
    return parseSkill(`---\n${lines.join("\n")}\n---\nProbe.\n`, { mode: "strict" });
  };
  const plain = { name: "probe", description: "A probe." };
  const { manifest, diagnostics } = read({ ...plain, [name]: value });
  const fault = diagnostics.find(({ severity }) => severity !== "info")?.message;
  const hasEffect = JSON.stringify(manifest) !== JSON.stringify(read(plain).manifest);
  return fault === undefined ? { hasEffect } : { fault, hasEffect };
}
