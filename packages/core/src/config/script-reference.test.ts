import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseScriptReference } from "./script-reference.ts";
import { attempt, createPlace, failureOf } from "./testing/config-place.ts";

test.each([
  ["pdf:scripts/fill.py", { skill: "pdf", path: "scripts/fill.py" }],
  ["user:pdf:scripts/a/b c.py", { skill: "user:pdf", path: "scripts/a/b c.py" }],
  ["größe/kind:scripts/..data", { skill: "größe/kind", path: "scripts/..data" }],
])("%s names a script", (text, reference) => {
  expect(parseScriptReference(text)).toEqual(reference);
});

test.each([
  "",
  "pdf",
  "pdf:",
  ":scripts/x",
  "pdf:scripts",
  "pdf:scripts/",
  "pdf:scripts//x",
  "pdf:scripts/./x",
  "pdf:scripts/../x",
  "pdf:./scripts/x",
  "pdf:/scripts/x",
  "pdf:references/x",
  "pdf:scripts\\x",
  "pdf:scripts/*",
  "pdf:scripts/?.sh",
  "*:scripts/x",
  "pdf:scripts/x ",
  " pdf:scripts/x",
  "pdf::scripts/x",
  "pdf:scripts/x\n",
  `pdf:scripts/${"x".repeat(5000)}`,
])("%j names none", (text) => {
  expect(parseScriptReference(text)).toBeUndefined();
});

test("whatever is read can be written back as it was, and leads below scripts/ only", () => {
  const part = fc.constantFrom("scripts", "..", ".", "a", "", ":", "/", "*", " ", "\\", "é");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const text = `pdf:scripts/${parts.join("/")}`;
      const reference = parseScriptReference(text);
      if (reference === undefined) return;
      expect(`${reference.skill}:${reference.path}`).toBe(text);
      expect(reference.path).toMatch(/^scripts\/./);
      expect(reference.path.split("/").filter((one) => ["", ".", ".."].includes(one))).toEqual([]);
    }),
  );
});

describe("a profile", () => {
  test.each(["scripts", "hostScripts"])("names exact scripts in %s, or the place is told", (key) => {
    const place = createPlace();
    place.user(`profiles:\n  ci:\n    ${key}:\n      - pdf:scripts/fill.py\n      - pdf:scripts/*\n`);
    const error = failureOf(() => place.load());
    expect(error.data.problems).toEqual([
      expect.objectContaining({
        file: place.userFile,
        line: 5,
        column: 9,
        message: `\`profiles.ci.${key}.1\` must be exactly \`skill:scripts/path\`, but is "pdf:scripts/*"`,
      }),
    ]);
  });

  test("of a project has no say", () => {
    const place = createPlace();
    place.project("profiles: { ci: { hostScripts: ['pdf:scripts/fill.py'] } }\n");
    expect(attempt(() => place.load({ projectTrusted: true }).config.profiles)).toEqual({});
  });
});
