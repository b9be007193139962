import fc from "fast-check";
import { expect, test } from "vitest";
import { checkEntryPath } from "../check-entry-path.ts";
import { findReferences } from "./find-references.ts";

test("files below the usual folders are found in links, definitions, prose and code", () => {
  const text = [
    'See [forms](references/forms.md#part) and [more](./FORMS.md "title"), then run `scripts/fill.py`.',
    "Use assets/logo.png. Or (examples/a/b.txt), ./templates/x.html, [spaced](<references/a%20b.md>).",
    "[late]: references/late.md",
    "```sh\npython scripts/other.py --in ../input.csv\n```",
  ].join("\n");
  expect(findReferences(text)).toEqual({
    paths: [
      "FORMS.md",
      "assets/logo.png",
      "examples/a/b.txt",
      "references/a b.md",
      "references/forms.md",
      "references/late.md",
      "scripts/fill.py",
      "scripts/other.py",
      "templates/x.html",
    ],
  });
});

test("other sites, anchors, roots, other folders and SKILL.md itself are no references", () => {
  const text =
    "[a](https://x.test/references/a.md) [b](#references/b.md) [c](/references/c.md) [d](docs/d.md) [e](SKILL.md) [f](mailto:references/f.md) my-scripts/g.py https://x.test/scripts/h.py scripts/";
  expect(findReferences(text)).toEqual({ paths: [] });
});

test("of two spellings of one file the first is taken", () => {
  expect(findReferences("[a](references/A.md) [b](references/a.md)").paths).toEqual(["references/A.md"]);
});

test.each([
  "[a](../secret.md)",
  "[a](references/../../secret.md)",
  "[a](references/%2e%2e/secret.md)",
  "[a](references/..%2fsecret.md)",
  "[a](..\\secret.md)",
  "run scripts/../../../etc/passwd",
  "[a]: ../secret.md",
])("%s leads out, and then nothing is to be fetched", (text) => {
  expect(findReferences(text)).toMatchObject({ paths: [], refused: expect.stringContaining("..") as string });
});

test("no text gives a path that cannot be a file of a skill", () => {
  const word = fc.constantFrom(
    "](",
    ")",
    "references/",
    "scripts/",
    "../",
    "..",
    "%2e",
    "\\",
    "a.md",
    "\n",
    "[a]:",
    " ",
    "\0",
    ":",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 4 })), { maxLength: 30 }), (words) => {
      const { paths } = findReferences(words.join(""));
      expect(paths.filter((path) => checkEntryPath(path) !== undefined)).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test("long text without a reference is read in one go", () => {
  expect(
    findReferences(`${"](".repeat(200_000)}${"[".repeat(200_000)}${"references/".repeat(50_000)}`).paths
      .length,
  ).toBeLessThan(60_000);
});
