import { SkilletError } from "@skillet/kit/errors";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSource } from "./parse-source.ts";
import { type Source, showSource } from "./source.ts";
import { isArchiveName } from "./source-text.ts";

const PLACES = { workspace: "/desk", userHome: "/home/me" };

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,12}$/).filter((text) => !/\.git$/i.test(text));
const owner = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9-]{0,12}$/);
const pick = fc.stringMatching(/^[a-z0-9][a-z0-9:._-]{0,12}$/).filter((text) => !isArchiveName(text));
const segment = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
  .filter(
    (text) => !/[/\\\p{C}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}/u.test(text) && text.trim() === text,
  )
  .filter((text) => text !== "." && text !== "..");
const folder = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const ref = fc
  .stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_@%#+.-]{0,8}(?:\/[A-Za-z0-9_][A-Za-z0-9_@%#+-]{0,8})?$/)
  .filter((text) => !/\.\.|\.$|\.\/|\.lock(?:\/|$)/.test(text));
const host = fc.stringMatching(/^[a-z]{1,8}\.example$/);
const url = fc.oneof(
  fc.tuple(owner, name).map(([owner, repository]) => `https://github.com/${owner}/${repository}`),
  fc.tuple(host, name).map(([at, path]) => `https://${at}/${path}.git`),
  fc.tuple(host, name).map(([at, path]) => `https://${at}/x/${path}`),
);
const anyUrl = fc.oneof(
  url,
  fc.tuple(host, name).map(([at, path]) => `git@${at}:${path}`),
  fc.tuple(host, name).map(([at, path]) => `ssh://git@${at}:2222/${path}`),
  name.map((path) => `file:///srv/${path}`),
);
const path = folder.map((text) => `/${text}`);
const picked = { pick: fc.option(pick, { nil: undefined }) };

const source: fc.Arbitrary<Source> = fc
  .oneof(
    fc.record({
      kind: fc.constant("git"),
      url: anyUrl,
      ref: fc.option(ref, { nil: undefined }),
      folder: fc.option(folder, { nil: undefined }),
      ...picked,
    }),
    fc.record({
      kind: fc.constant("git"),
      url,
      refAndFolder: folder.filter((text) => !text.startsWith("-")),
      ...picked,
    }),
    fc.record({ kind: fc.constant("local"), path, ...picked }),
    fc.record({
      kind: fc.constant("archive"),
      location: fc.oneof(
        path.map((text) => `${text}.zip`),
        fc.tuple(host, name).map(([at, file]) => `https://${at}/${file}.tar.gz`),
      ),
      ...picked,
    }),
    fc.record({ kind: fc.constant("skill-file"), url: host.map((at) => `https://${at}/SKILL.md`) }),
    fc.record({
      kind: fc.constant("well-known"),
      base: fc
        .tuple(host, fc.option(name))
        .map(([at, part]) => `https://${at}${part === null ? "" : `/${part}`}`),
      ...picked,
    }),
    fc.record({
      kind: fc.constant("npm"),
      name: fc.stringMatching(/^(?:@[a-z]{1,5}\/)?[a-z][a-z0-9._-]{0,9}$/),
      version: fc.option(fc.stringMatching(/^[0-9]\.[0-9]\.[0-9](?:-beta\.[0-9])?$/), { nil: undefined }),
      ...picked,
    }),
    fc.record({
      kind: fc.constant("oci"),
      registry: host.map((at) => `${at}:5000`),
      repository: fc.stringMatching(/^[a-z]{1,5}\/[a-z]{1,5}$/),
      tag: fc.option(fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,9}$/), { nil: undefined }),
      digest: fc.option(fc.stringMatching(/^sha256:[0-9a-f]{64}$/), { nil: undefined }),
      ...picked,
    }),
  )
  .map(withoutUndefined);

test("what was shown is read as the same source", () => {
  fc.assert(
    fc.property(source, (one) => {
      expect(parseSource(showSource(one), PLACES)).toEqual(one);
    }),
    { numRuns: 2_000 },
  );
});

test("whatever is read at all is shown in one form, which is read as the same", () => {
  const part = fc.constantFrom(
    ...[
      "owner",
      "repo",
      "/",
      "//",
      "#",
      "@",
      "main",
      "pdf",
      ".git",
      ".zip",
      "https://",
      "github.com",
      "git@",
    ],
    ...[
      "host.example",
      ":",
      "tree",
      "-",
      "-/tree/",
      "%40",
      "%",
      "~",
      ".",
      "..",
      "npm:",
      "oci://",
      "file://",
      "ssh://",
    ],
    ...["well-known:", "git:", "?", "path=", "SKILL.md", " ", "_git", "blob", "\\", "é"],
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 9 }), (parts) => {
      const read = readOrRefuse(parts.join(""));
      if (read === undefined) return;
      const shown = showSource(read);
      expect(parseSource(shown, { workspace: "/elsewhere", userHome: "/other" })).toEqual(read);
      expect(showSource(parseSource(shown, PLACES))).toBe(shown);
    }),
    { numRuns: 5_000 },
  );
});

test("any text is read or refused in words", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      readOrRefuse(text);
    }),
    { numRuns: 2_000 },
  );
});

function readOrRefuse(text: string): Source | undefined {
  try {
    return parseSource(text, PLACES);
  } catch (error) {
    if (SkilletError.isInstance(error) && error.code.startsWith("source-")) return undefined;
    throw error;
  }
}

function withoutUndefined(value: object): Source {
  return Object.fromEntries(
    Object.entries(value).filter(([, one]) => one !== undefined),
  ) as unknown as Source;
}
