import { parseSkill } from "@skillet/core";
import { FIELD_NAMES } from "@skillet/core/internal";
import type { JsonObject } from "@skillet/kit/json";
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

test.each(FIELD_NAMES)("the parser, asked in strict mode, takes for %s what the schema says", (name) => {
  const { description: _, pattern: __, ...said } = schema.properties[name] ?? {};
  expect(said).toEqual(probedSchema(name));
});

/** Several of one type, because keys that take a map look for their own names in it. */
const TYPES: Readonly<Record<string, readonly unknown[]>> = {
  string: ["text"],
  boolean: [true, false],
  array: [["text"]],
  object: [{ text: "text" }, { name: "text" }, { keywords: ["text"] }],
};

function probedSchema(name: string): JsonObject {
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
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(isChoice && { enum: choices }),
    ...(limit !== undefined && { maxLength: Number(limit) }),
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
