import { parseSkill } from "@skillet/core";
import { FIELD_NAMES } from "@skillet/core/internal";
import { expect, test } from "vitest";
import { frontmatterSchema } from "./frontmatter-schema.ts";

const schema = frontmatterSchema() as {
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly patternProperties: Readonly<Record<string, unknown>>;
};

test("the schema has every key that the parser reads, and says what each takes", () => {
  expect(Object.keys(schema.properties)).toEqual(FIELD_NAMES);
  const { name, description, compatibility, context, hooks, author, metadata } = schema.properties;
  expect({ name, context, hooks }).toMatchObject({
    name: { type: "string", maxLength: 64 },
    context: { enum: ["inline", "fork"] },
    hooks: {},
  });
  expect([description, compatibility].map((one) => one?.maxLength)).toEqual([1024, 500]);
  expect([author, metadata].map((one) => one?.type)).toEqual([["string", "object"], "object"]);
  expect(schema.properties["disable-model-invocation"]?.type).toBe("boolean");
  expect(schema.properties["allowed-tools"]?.type).toBe("string");
  expect(schema.properties.tags?.type).toEqual(["string", "array"]);
});

test("other spellings of a key are checked like it", () => {
  expect(schema.patternProperties["^(?:when_to_use|whenToUse)$"]).toEqual(schema.properties["when-to-use"]);
});

test("what the schema rejects, validation reports", () => {
  const faults = (line: string) =>
    parseSkill(`---\nname: a\ndescription: A.\n${line}\n---\nA\n`, { mode: "strict" }).diagnostics.filter(
      ({ severity }) => severity !== "info",
    );
  for (const line of [
    "context: elsewhere",
    "user-invocable: perhaps",
    "allowed-tools: [Read]",
    "colour: red",
  ])
    expect(faults(line)).toHaveLength(1);
  for (const line of ["context: fork", "user-invocable: false", "allowed-tools: Read", "tags: [a]"])
    expect(faults(line)).toEqual([]);
});
