import { FIELD_NAMES, fieldSpellings } from "@skillet/core/internal";
import { type JsonObject, present } from "@skillet/kit/json";

/** Editors show these on hover. */
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

const named = (type: unknown, names: string): readonly (readonly [string, unknown])[] =>
  names.split(" ").map((name) => [name, type] as const);

/** The types of keys that do not take a text or a list of texts; a test compares them with what the parser accepts. */
const TYPES: ReadonlyMap<string, unknown> = new Map([
  ...named("boolean", "disable-model-invocation user-invocable background"),
  ...named("object", "metadata prerequisites setup credential-destinations"),
  ...named(["string", "object"], "author"),
  ...named(undefined, "hooks triggers context required-environment-variables"),
  ...named("string", "name description license version homepage compatibility allowed-tools"),
  ...named("string", "model effort agent shell display-name"),
]);

const MORE: Readonly<Record<string, JsonObject>> = {
  name: { maxLength: 64, pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" },
  description: { maxLength: 1024 },
  compatibility: { maxLength: 500 },
  context: { enum: ["inline", "fork"] },
};

/** A JSON schema for the header of a SKILL.md: editors accept what `skillet validate` accepts. */
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
    // Other spellings of the same keys are checked, but not suggested for completion.
    patternProperties: Object.fromEntries(others),
    additionalProperties: false,
  };
}

function fieldSchema(name: string): JsonObject {
  const type = TYPES.has(name) ? TYPES.get(name) : ["string", "array"];
  return present({ description: SUMMARIES[name], type, ...MORE[name] });
}
