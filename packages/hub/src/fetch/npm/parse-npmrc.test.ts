import fc from "fast-check";
import { expect, test } from "vitest";
import { parseNpmrc } from "./parse-npmrc.ts";

test("keys, comments, quotes and variables are read as npm does", () => {
  const text = [
    "; comment",
    "# comment = 1",
    "registry = https://r.test/",
    '@a:registry="https://a.test/npm"',
    `//a.test/npm/:_authToken=\${TOKEN}`,
    `//b.test/:_authToken=\${UNSET}`,
    "registry=https://last.test/\r",
    "flag",
    "empty=",
    "__proto__=x",
  ].join("\n");
  expect([...parseNpmrc(text, { TOKEN: "secret" })]).toEqual([
    ["registry", "https://last.test/"],
    ["@a:registry", "https://a.test/npm"],
    ["//a.test/npm/:_authToken", "secret"],
    ["__proto__", "x"],
  ]);
});

test("what is written is read, and the last value of a key counts", () => {
  const word = fc.stringMatching(/^[a-z0-9:/@._-]{1,20}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word)), (pairs) => {
      const text = pairs.map(([key, value]) => `${key} = ${value}`).join("\n");
      expect(parseNpmrc(text, {})).toEqual(new Map(pairs));
    }),
  );
});
