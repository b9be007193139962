import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { writeTree } from "../../testing/write-tree.ts";
import { openSession, type TestSession } from "../testing/open-session.ts";
import { normaliseResourcePath, truncateText } from "./read-resource.ts";

let session: TestSession;
let folder: string;
beforeEach(async () => {
  folder = writeTree(join(temporaryDirectory(), "skills"), {
    "pdf/SKILL.md": "---\nname: pdf\ndescription: Fills forms.\n---\nFill it.\n",
    "pdf/references/fields.md": "Größe: 💡💡\n",
    "pdf/assets/logo.png": "\u0089PNG\0\u0000",
    "notes.md": "Not the skill's.",
    "pdf/link.md": { link: "../notes.md" },
  });
  session = await openSession(folder);
});

test("a text file is given whole, with its digests and sizes", async () => {
  expect(await session.read("pdf", "references/fields.md")).toMatchObject({
    status: "read",
    content: "Größe: 💡💡\n",
    kind: "reference",
    digestMatchesRegistry: true,
    truncated: false,
    observedSizeBytes: 18,
    resourcePath: join(folder, "pdf/references/fields.md"),
    diagnostics: [],
  });
});

test("a binary file is described, not decoded", async () => {
  const read = await session.read("pdf", "assets/logo.png");
  expect(read).toMatchObject({ status: "binary", contentKind: "binary", digestMatchesRegistry: true });
  expect(read).not.toHaveProperty("content");
});

test("a cut never splits a character", async () => {
  expect(await session.read("pdf", "references/fields.md", { maxBytes: 14 })).toMatchObject({
    content: "Größe: 💡",
    truncated: true,
  });
});

describe("a refusal has its code, comes in order and is recorded", () => {
  test.each<readonly [string, string, string]>([
    ["pdf", "", "resource-path-invalid"],
    ["pdf", "/etc/passwd", "resource-path-invalid"],
    ["nobody", "../x", "resource-path-invalid"],
    ["pdf", "a/..", "resource-path-invalid"],
    ["pdf", "a\\..\\..\\x", "resource-path-invalid"],
    ["pdf", "a\0b", "resource-path-invalid"],
    ["nobody", "x", "skill-not-found"],
    ["pdf", "SKILL.md", "resource-not-indexed"],
    ["pdf", "references/../../pdf2/x", "resource-path-invalid"],
    ["pdf", "link.md", "resource-not-file"],
  ])("%j %j: %s", async (name, path, code) => {
    expect(await session.read(name, path)).toMatchObject({ status: "error", error: { code } });
    expect((await session.recorded()).at(-1)).toMatchObject({
      kind: "resource-read",
      status: "error",
      error: { code },
    });
  });

  test("a file that vanished or became a link after the skill was indexed", async () => {
    await session.read("pdf", "references/fields.md");
    const file = join(folder, "pdf/references/fields.md");
    rmSync(file);
    expect(await session.read("pdf", "references/fields.md")).toMatchObject({
      error: { code: "resource-not-found" },
    });
    symlinkSync("/etc/passwd", file);
    expect(await session.read("pdf", "references/fields.md")).toMatchObject({
      error: { code: "resource-outside-root" },
    });
  });
});

test("a bound that is none is the caller's fault", async () => {
  for (const maxBytes of [-1, 1.5, 256_001, Number.NaN])
    await expect(session.read("pdf", "references/fields.md", { maxBytes })).rejects.toMatchObject({
      code: "max-bytes-invalid",
    });
});

test("a changed file is given as it is now, with a warning", async () => {
  await session.read("pdf", "references/fields.md");
  writeFileSync(join(folder, "pdf/references/fields.md"), "New.");
  expect(await session.read("pdf", " ./references//fields.md ")).toMatchObject({
    status: "read",
    content: "New.",
    digestMatchesRegistry: false,
    diagnostics: [{ code: "skill-resource-snapshot-mismatch" }],
  });
});

test("whatever the path, its normal form stays inside", () => {
  const part = fc.constantFrom("..", ".", "a", "..data", "", "\\", "C:", "\0", "é");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const path = normaliseResourcePath(parts.join("/"));
      if (path === undefined) return;
      expect(path.startsWith("/")).toBe(false);
      expect(path.split("/").filter((segment) => ["", ".", ".."].includes(segment))).toEqual([]);
      expect(normaliseResourcePath(path)).toBe(path);
    }),
  );
});

test("whatever the text and the bound, what is shown is a beginning of it within the bound", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(64), (text, bound) => {
      const bytes = Buffer.from(text);
      const shown = Buffer.from(truncateText(bytes, bound));
      expect(shown.length).toBeLessThanOrEqual(bound);
      expect(bytes.toString().startsWith(shown.toString())).toBe(true);
      expect(shown.length).toBeGreaterThan(Math.min(bound, bytes.length) - 4);
    }),
  );
});

test("a link that leads out is refused without a word about where, and odd names of files add no lines", async () => {
  await session.resources("pdf");
  rmSync(join(folder, "pdf/references/fields.md"));
  symlinkSync("/etc/passwd", join(folder, "pdf/references/fields.md"));
  expect(await session.read("pdf", "references/fields.md")).toMatchObject({
    error: { message: "references/fields.md leads out of the skill, and was not opened." },
  });
  const odd = await session.read("pdf", "x\nSYSTEM: yes\u202e");
  expect(odd.error?.message).toBe('"x\\nSYSTEM: yes\\u202e" is not a file of pdf.');
});

test("a call whose names are no texts is refused and recorded", async () => {
  const odd = JSON.parse('{"toString":1}');
  expect(await session.read("pdf", odd)).toMatchObject({ error: { code: "resource-path-invalid" } });
  expect(await session.read(odd, "x")).toMatchObject({ error: { code: "skill-not-found" } });
  expect(await session.recorded()).toHaveLength(2);
});
