import { readdirSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkEntryPath } from "./entry-path.ts";
import { fetchContextFor } from "./http/testing/fetch-context-for.ts";
import { serve, serveFiles } from "./http/testing/serve.ts";
import { resolveSource } from "./open-source.ts";
import { findReferences, openSkillFileSource } from "./skill-file.ts";
import type { ResolvedOf } from "./source.ts";

const SKILL =
  "# Skill\n\nRead [forms](references/forms.md), run `scripts/fill.py`, see [gone](references/gone.md).\n";
const FILES = {
  "/s/SKILL.md": SKILL,
  "/s/references/forms.md": "forms",
  "/s/scripts/fill.py": "print()",
  "/s/other.md": "x",
};

test("a SKILL.md comes with the files that it refers to, and with no others", async () => {
  const { origin, host, asked } = await serveFiles(FILES);
  const context = fetchContextFor([host]);
  const source = { kind: "skill-file", url: `${origin}/s/SKILL.md` } as const;
  const opened = await openSkillFileSource(source, context);
  expect(opened.entries.map(({ path }) => path)).toEqual([
    "SKILL.md",
    "references/forms.md",
    "scripts/fill.py",
  ]);
  expect(opened.diagnostics).toMatchObject([{ code: "reference-missing", severity: "warning" }]);
  expect(asked).toEqual([
    "/s/SKILL.md",
    "/s/references/forms.md",
    "/s/references/gone.md",
    "/s/scripts/fill.py",
  ]);
  expect(await resolveSource(source, context, opened.resolved)).toEqual(opened.resolved);
  expect(readdirSync(context.home)).toEqual([]);
});

test("the pin covers the files that it refers to", async () => {
  const files = { ...FILES };
  const { origin, host } = await serveFiles(files);
  const context = fetchContextFor([host]);
  const source = { kind: "skill-file", url: `${origin}/s/SKILL.md` } as const;
  const { resolved } = await openSkillFileSource(source, context);
  const expected = resolved as ResolvedOf<"skill-file">;
  await openSkillFileSource(source, context, expected);
  files["/s/scripts/fill.py"] = "evil()";
  await expect(openSkillFileSource(source, context, expected)).rejects.toMatchObject({
    code: "digest-mismatch",
  });
});

test("a reference that leads out of the folder ends it before anything else is asked for", async () => {
  const { origin, host, asked } = await serveFiles({
    "/s/SKILL.md": "[a](references/a.md) [b](../../admin/secret.md)",
    "/s/references/a.md": "x",
  });
  const source = { kind: "skill-file", url: `${origin}/s/SKILL.md` } as const;
  await expect(openSkillFileSource(source, fetchContextFor([host]))).rejects.toMatchObject({
    code: "reference-refused",
    message: expect.stringContaining("../../admin/secret.md") as string,
  });
  expect(asked).toEqual(["/s/SKILL.md"]);
});

test("a reference that another site answers is refused", async () => {
  const other = await serveFiles({ "/a.md": "x" });
  const { origin, host } = await serve((request, response) => {
    if (request.url === "/SKILL.md") response.end("[a](references/a.md)");
    else response.writeHead(302, { location: `${other.origin}/a.md` }).end();
  });
  const context = fetchContextFor([host, other.host]);
  await expect(
    openSkillFileSource({ kind: "skill-file", url: `${origin}/SKILL.md` }, context),
  ).rejects.toMatchObject({
    code: "reference-refused",
  });
});

test("too many references, and files that are too large together, end it", async () => {
  const many = Array.from({ length: 201 }, (_, index) => `references/${index}.md`).join(" ");
  const { origin, host } = await serveFiles({
    "/many": many,
    "/large": "references/a.md",
    "/references/a.md": "x".repeat(90),
  });
  const context = fetchContextFor([host], { limits: { maxSkillBytes: 100 } });
  const open = (path: string): Promise<unknown> =>
    openSkillFileSource({ kind: "skill-file", url: `${origin}${path}` }, context);
  await expect(open("/many")).rejects.toMatchObject({ code: "reference-refused" });
  await expect(open("/large")).rejects.toMatchObject({ code: "http-too-large" });
});

test("a server that fails in the middle ends it", async () => {
  const { origin, host } = await serve((request, response) => {
    if (request.url === "/SKILL.md") response.end("[a](references/a.md)");
    else response.writeHead(500, { "content-length": 0 }).end();
  });
  await expect(
    openSkillFileSource({ kind: "skill-file", url: `${origin}/SKILL.md` }, fetchContextFor([host])),
  ).rejects.toMatchObject({ code: "http-status" });
});

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

test("other sites, anchors, roots, other folders and SKILL.md itself are not references", () => {
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
