import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_HUB_LIMITS } from "../hub-limits.ts";
import { checkEntryPath } from "./entry-path.ts";
import { parseIndex } from "./skill-index.ts";

const URL_OF_INDEX = "https://site.test/docs/.well-known/agent-skills/index.json";
const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const DIGEST = `sha256:${"a".repeat(64)}`;
const ENTRY = { name: "pdf", type: "archive", description: "Reads PDFs.", url: "pdf.tar.gz", digest: DIGEST };

const parse = (document: unknown): ReturnType<typeof parseIndex> =>
  parseIndex(Buffer.from(typeof document === "string" ? document : JSON.stringify(document)), {
    url: URL_OF_INDEX,
    limits: DEFAULT_HUB_LIMITS,
  });
const parseEntry = (entry: unknown, $schema: string | undefined = SCHEMA): unknown => {
  const parsed = parse({ $schema, skills: [entry] });
  return "fault" in parsed
    ? parsed
    : { entries: parsed.entries, messages: parsed.diagnostics.map(({ message }) => message) };
};

test("an index of version 0.2 gives its entries with absolute addresses; unknown fields do not matter", () => {
  const skills = [ENTRY, { ...ENTRY, name: "md", type: "skill-md", url: "/skills/md/SKILL.md", extra: 1 }];
  expect(parse({ $schema: SCHEMA, skills, more: true })).toEqual({
    entries: [
      {
        type: "archive",
        name: "pdf",
        description: "Reads PDFs.",
        url: "https://site.test/docs/.well-known/agent-skills/pdf.tar.gz",
        digest: DIGEST,
      },
      {
        type: "skill-md",
        name: "md",
        description: "Reads PDFs.",
        url: "https://site.test/skills/md/SKILL.md",
        digest: DIGEST,
      },
    ],
    diagnostics: [],
  });
});

test("an index without a schema is one of version 0.1", () => {
  const skills = [{ name: "pdf", description: "Reads PDFs.", files: ["SKILL.md", "references/a+b.md"] }];
  expect(parse({ skills })).toEqual({
    entries: [
      {
        type: "files",
        name: "pdf",
        description: "Reads PDFs.",
        files: [
          { path: "SKILL.md", url: "https://site.test/docs/.well-known/agent-skills/pdf/SKILL.md" },
          {
            path: "references/a+b.md",
            url: "https://site.test/docs/.well-known/agent-skills/pdf/references/a%2Bb.md",
          },
        ],
      },
    ],
    diagnostics: [],
  });
});

test.each([
  ["a page for people", "<!doctype html>", "index-invalid"],
  ["bytes that are not UTF-8", "\ufffd", "index-invalid"],
  ["a list", [], "index-invalid"],
  ["no skills", { $schema: SCHEMA }, "index-invalid"],
  ["skills that are not a list", { skills: {} }, "index-invalid"],
  [
    "a later schema",
    { $schema: "https://schemas.agentskills.io/discovery/0.3.0/schema.json", skills: [] },
    "index-schema-unknown",
  ],
  ["another schema", { $schema: "https://evil.test/0.2.0/schema.json", skills: [] }, "index-schema-unknown"],
  ["a schema that is not text", { $schema: 2, skills: [] }, "index-schema-unknown"],
])("%s is not processed", (_, document, code) => {
  expect(parse(document)).toMatchObject({ fault: { code } });
});

test.each([
  ["must be an object", "pdf"],
  ["has no `name`", { ...ENTRY, name: undefined }],
  ["`name` must be at most 64", { ...ENTRY, name: "PDF" }],
  ["`name` must be at most 64", { ...ENTRY, name: "../pdf" }],
  ["`name` must be at most 64", { ...ENTRY, name: "a--b" }],
  ["`name` must be at most 64", { ...ENTRY, name: "a".repeat(65) }],
  ["`description` must be text of 1 to 1024", { ...ENTRY, description: " " }],
  ["`description` must be text of 1 to 1024", { ...ENTRY, description: "a".repeat(1025) }],
  ["has no `type`", { ...ENTRY, type: undefined }],
  ["has no `url`", { ...ENTRY, url: undefined }],
  ["is not a URL", { ...ENTRY, url: "http://[" }],
  ["on another site", { ...ENTRY, url: "https://cdn.test/pdf.tar.gz" }],
  ["on another site", { ...ENTRY, url: "//cdn.test/pdf.tar.gz" }],
  ["on another site", { ...ENTRY, url: "http://site.test/pdf.tar.gz" }],
  ["on another site", { ...ENTRY, url: "file:///etc/passwd" }],
  ["credentials", { ...ENTRY, url: "https://u:p@site.test/pdf.tar.gz" }],
  ["climbs", { ...ENTRY, url: "../../pdf.tar.gz" }],
  ["climbs", { ...ENTRY, url: "a/%2e%2e/pdf.tar.gz" }],
  ["climbs", { ...ENTRY, url: "a%2fpdf.tar.gz" }],
  ["climbs", { ...ENTRY, url: "a\\pdf.tar.gz" }],
  ["has no `digest`", { ...ENTRY, digest: undefined }],
  ["but the key `sha256`", { ...ENTRY, digest: undefined, sha256: "a".repeat(64) }],
  ["64 hexadecimal", { ...ENTRY, digest: "a".repeat(64) }],
  ["64 hexadecimal", { ...ENTRY, digest: `sha256:${"A".repeat(64)}` }],
  ["64 hexadecimal", { ...ENTRY, digest: `sha512:${"a".repeat(128)}` }],
])("an entry that %s is left out, and the fault is named", (reason, entry) => {
  expect(parseEntry(entry)).toEqual({ entries: [], messages: [expect.stringContaining(reason)] });
});

test.each([
  ["has no `files`", {}],
  ["does not list SKILL.md", { files: [] }],
  ['without "$schema"', { url: "a.zip", digest: DIGEST }],
  ["does not list SKILL.md", { files: ["README.md"] }],
  ["must be text", { files: ["SKILL.md", 1] }],
  ["is absolute", { files: ["SKILL.md", "/etc/passwd"] }],
  ["..", { files: ["SKILL.md", "../../secret"] }],
  ["..", { files: ["SKILL.md", "%2e%2e/secret"] }],
  ["printable ASCII", { files: ["SKILL.md", "a\\b"] }],
  ["printable ASCII", { files: ["SKILL.md", "a?b"] }],
  ["printable ASCII", { files: ["SKILL.md", "a#b"] }],
  ["printable ASCII", { files: ["SKILL.md", "é"] }],
  ["printable ASCII", { files: ["SKILL.md", "a b"] }],
  ["encodes nothing", { files: ["SKILL.md", "a%zz"] }],
  ["there twice", { files: ["SKILL.md", "SKILL.md"] }],
  ["case", { files: ["SKILL.md", "skill.md"] }],
  ["more than", { files: Array.from({ length: 2001 }, (_, index) => `f${index}`) }],
])("an entry of version 0.1 that %s is left out, and the fault is named", (reason, more) => {
  const parsed = parse({ skills: [{ name: "pdf", description: "x", ...more }] });
  expect(parsed).toMatchObject({
    entries: [],
    diagnostics: [
      { code: "index-entry-invalid", severity: "error", message: expect.stringContaining(reason) as string },
    ],
  });
});

test("an unknown type is skipped with a warning, a second entry of a name with an error; the rest stays", () => {
  const skills = [{ ...ENTRY, type: "container" }, ENTRY, { ...ENTRY, url: "other.zip" }];
  expect(parse({ $schema: SCHEMA, skills })).toMatchObject({
    entries: [{ name: "pdf", url: expect.stringContaining("pdf.tar.gz") as string }],
    diagnostics: [
      { code: "index-type-unknown", severity: "warning" },
      { code: "index-entry-invalid", message: 'skills[2] ("pdf") is there twice; it is left out' },
    ],
  });
});

test("keys of the prototype are not fields", () => {
  expect(
    parse(`{"skills":[{"__proto__":{"name":"pdf","description":"x","files":["SKILL.md"]}}]}`),
  ).toMatchObject({
    entries: [],
  });
});

test("no index gives an address on another site or a path that cannot be a file", () => {
  const word = fc.oneof(
    fc.constantFrom("SKILL.md", "..", "/", "%2e%2e", "\\", "a", "//b.test", "https:", "?", "#", "@"),
    fc.string(),
  );
  const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(""));
  const entry = fc.record({
    name: fc.constantFrom("a", "b"),
    description: fc.constant("x"),
    type: fc.constant("archive"),
    url: text,
    digest: fc.constant(DIGEST),
    files: fc.array(text).map((files) => ["SKILL.md", ...files]),
  });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 3 }), fc.constantFrom(SCHEMA, undefined), (skills, $schema) => {
      const parsed = parse({ $schema, skills });
      for (const found of "fault" in parsed ? [] : parsed.entries) {
        const files = found.type === "files" ? found.files : [{ path: "SKILL.md", url: found.url }];
        for (const { path, url } of files) {
          expect(checkEntryPath(path)).toBeUndefined();
          expect(url).toMatch(
            found.type === "files"
              ? /^https:\/\/site\.test\/docs\/\.well-known\/agent-skills\/[ab]\//
              : /^https:\/\/site\.test\//,
          );
        }
      }
    }),
    { numRuns: 1000 },
  );
});
