import { expect, test } from "vitest";
import { readAgentPlugin } from "./agent-plugin.ts";

const SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const NEWER = "https://agent-plugins.org/schemas/1.1.0/plugin.schema.json";

const readText = (text: string) => readAgentPlugin(Buffer.from(text), "plugin.json");
const read = (fields: object) => readText(JSON.stringify({ $schema: SCHEMA, name: "kit", ...fields }));
const codes = (fields: object) => read(fields)?.diagnostics.map(({ code }) => code);

test("the fields of the specification are read, and its metadata is judged by type alone", () => {
  const full = {
    $schema: SCHEMA,
    name: "acme.tools",
    version: "not a version",
    description: "",
    author: { name: "A", email: "not an address", url: "not a URL" },
    homepage: "home",
    repository: "",
    license: "of my own",
    keywords: ["a", "a"],
    extensions: { "com.example.client": { anything: [1] } },
  };
  expect(read(full)).toEqual({ manifest: full, diagnostics: [] });
});

test.each(["a", "lint3r", "my-plugin", "acme.tools", "a.-b", "a".repeat(64)])("%s is a name", (name) => {
  expect(read({ name })?.manifest?.name).toBe(name);
});

test.each(
  [
    "",
    "A",
    "My-Plugin",
    "-a",
    "a-",
    ".a",
    "a.",
    "a--b",
    "a..b",
    "a_b",
    "a b",
    "a/b",
    "../a",
    "ä",
    "a\n",
    "user",
  ]
    .map((name): [unknown] => [name])
    .concat([["a".repeat(65)], [7], [null], [["a"]]]),
)("%j is not a name", (name) => {
  expect(read({ name })).toEqual({
    diagnostics: [
      expect.objectContaining({ code: "agent-plugin-invalid", severity: "error", range: expect.anything() }),
    ],
  });
});

test("a fault says where it is, what follows from it and what to write", () => {
  const text = `{\n  "$schema": "${SCHEMA}",\n  "name": "My-Plugin"\n}`;
  expect(readText(text)?.diagnostics).toEqual([
    {
      code: "agent-plugin-invalid",
      severity: "error",
      message:
        '`name` must be 1 to 64 lower-case letters, digits, dots and hyphens, without -- and .., with a letter or digit at each end, but is "My-Plugin", so nothing of this plugin is offered.',
      file: "plugin.json",
      range: { line: 3, column: 11 },
      hint: "Choose a name such as my-plugin.",
    },
  ]);
});

test.each([
  [{ version: 1 }],
  [{ author: "A" }],
  [{ author: { name: "A", phone: "1" } }],
  [{ author: { name: 1 } }],
  [{ keywords: "a" }],
  [{ keywords: [1] }],
  [{ extensions: { "com.example.client": 1 } }],
  [{ $schema: NEWER, icon: 1 }],
  [{ name: undefined }],
])("%j rejects the plugin", (fields) => {
  expect(read(fields)?.manifest).toBeUndefined();
  expect(codes(fields)).toEqual(["agent-plugin-invalid"]);
});

test("unknown fields are reported once and ignored, however many", () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, index]));
  const plugin = read({ ...many, skills: "./elsewhere", hooks: {}, displayName: "Kit" });
  expect(plugin?.manifest).toEqual({ $schema: SCHEMA, name: "kit" });
  expect(plugin?.diagnostics).toEqual([
    expect.objectContaining({ code: "agent-plugin-field-ignored", severity: "warning" }),
  ]);
  expect(plugin?.diagnostics[0]?.message).toContain("`x0`, `x1`, `x2`, `x3`, `x4`");
});

test("a manifest of nothing but unknown fields is not read to its end, and is rejected", () => {
  const many = Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`x${index}`, index]));
  const plugin = read(many);
  expect(plugin?.manifest).toBeUndefined();
  expect(plugin?.diagnostics.map(({ code }) => code)).toEqual([
    "agent-plugin-invalid",
    "agent-plugin-field-ignored",
  ]);
  expect(plugin?.diagnostics[1]?.message).toContain("and 1995 more");
});

test("a field's name cannot add lines, tags or colours to what is told about it", () => {
  const [told] = read({ "\u001b[31m\n</skills>": 1 })?.diagnostics ?? [];
  expect(told?.message).toMatch(/^`"\\u001b\[31m\\n\\u003c\/skills\\u003e"` is not a field/);
});

test("extensions that are not an object are reported and ignored", () => {
  expect(read({ extensions: false })?.manifest?.name).toBe("kit");
  expect(codes({ extensions: [] })).toEqual(["agent-plugin-field-ignored"]);
});

test("version 1.1 brings a display name and an icon, and a bad path of an icon harms nothing else", () => {
  const newer = { $schema: NEWER, displayName: "The Kit", icon: "./icon.png" };
  expect(read(newer)).toEqual({ manifest: { name: "kit", ...newer }, diagnostics: [] });
  for (const icon of [
    "icon.png",
    "./../icon.png",
    "https://example.com/icon.png",
    "./a\\..\\..\\b",
    "/icon",
  ]) {
    const plugin = read({ ...newer, icon });
    expect(plugin?.manifest?.name).toBe("kit");
    expect(plugin?.diagnostics.map(({ code }) => code)).toEqual(["agent-plugin-field-ignored"]);
  }
});

test.each([
  "https://agent-plugins.org/schemas/1.0.7/plugin.schema.json",
  "https://agent-plugins.org/schemas/1.1.3/plugin.schema.json",
])("%s is supported", ($schema) => {
  expect(read({ $schema })?.manifest?.name).toBe("kit");
});

test.each([
  "https://agent-plugins.org/schemas/1.2.0/plugin.schema.json",
  "https://agent-plugins.org/schemas/2.0.0/plugin.schema.json",
  "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
  "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json#",
  "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json\n",
  "http://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
  "https://www.agent-plugins.org/schemas/1.0.0/plugin.schema.json",
  "https://AGENT-PLUGINS.org/schemas/1.0.0/plugin.schema.json",
  "https://agent-plugins.org",
])("%j means this format in a form that is not supported, so the plugin is rejected", ($schema) => {
  expect(read({ $schema })?.manifest).toBeUndefined();
  expect(codes({ $schema })).toEqual(["agent-plugin-invalid"]);
});

test.each([
  "https://agent-plugins.org.example.com/schemas/1.0.0/plugin.schema.json",
  "https://example.com/agent-plugins.org/schemas/1.0.0/plugin.schema.json",
  "https://not-agent-plugins.org/schemas/1.0.0/plugin.schema.json",
  "https://agent-plugins.org@example.com/schemas/1.0.0/plugin.schema.json",
  "",
  7,
  undefined,
])("a plugin.json with the $schema %j belongs to another tool", ($schema) => {
  expect(read({ $schema })).toBeUndefined();
});

test.each([
  ["null", "null"],
  ["a list", `["${SCHEMA}"]`],
  ["no JSON", "{"],
  ["bytes that are not UTF-8", "\xff"],
])("a plugin.json with %s belongs to another tool", (_, text) => {
  expect(readAgentPlugin(Buffer.from(text, "latin1"), "plugin.json")).toBeUndefined();
});

test.each([
  ["is not JSON", `{"$schema":"${SCHEMA}",`],
  ["names a key twice", `{"$schema":"${SCHEMA}","name":"a","name":"b"}`],
  ["names its schema twice", `{"$schema":"https://example.com","$schema":"${SCHEMA}","name":"a"}`],
  ["is nested too deep", `{"$schema":"${SCHEMA}","name":"a","x":${"[".repeat(9_999)}${"]".repeat(9_999)}}`],
  ["is 10 MB", `{"$schema":"${SCHEMA}","name":"a","x":"${"x".repeat(10 * 1024 * 1024)}"}`],
])("a manifest of this format that %s is rejected", (_, text) => {
  expect(readText(text)).toEqual({
    diagnostics: [expect.objectContaining({ code: "agent-plugin-invalid", severity: "error" })],
  });
});

test("keys of a prototype are unknown fields like any other", () => {
  const text = `{"$schema":"${SCHEMA}","name":"kit","__proto__":{"version":"9"},"constructor":1,"extensions":{"__proto__":{}}}`;
  const manifest = readText(text)?.manifest;
  expect(manifest?.version).toBeUndefined();
  expect(Object.keys(manifest ?? {})).toEqual(["$schema", "name", "extensions"]);
  expect({}).not.toHaveProperty("version");
});
