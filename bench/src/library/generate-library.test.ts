import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { generateLibrary, type Library } from "./generate-library.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "skillet-library-"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("the same seed gives the same files, another seed others", () => {
  const first = readTree(generate("first", { count: 60, seed: 1 }).root);
  expect(readTree(generate("second", { count: 60, seed: 1 }).root)).toEqual(first);
  expect(readTree(generate("third", { count: 60, seed: 2 }).root)).not.toEqual(first);
});

test("the mix has the shares that the speed targets are set for", () => {
  const { mix } = generate("library", { count: 2000, seed: 1 });
  const share = (trait: Parameters<typeof mix.get>[0]): number => (mix.get(trait) ?? 0) / 2000;
  expect(share("flow map")).toBeGreaterThan(0.4);
  expect(share("needs repair (unquoted colon)")).toBeGreaterThan(0.05);
  expect(share("no frontmatter")).toBeGreaterThan(0.03);
  expect(share("no frontmatter")).toBeLessThan(0.06);
  expect(share("subfolders")).toBeGreaterThan(0.2);
});

test("what the mix counts is in the files", () => {
  const library = generate("library", { count: 500, seed: 3 });
  const texts = library.skills.map(({ path }) => readFileSync(path, "utf8"));
  const count = (pattern: RegExp): number => texts.filter((text) => pattern.test(text)).length;
  expect(count(/^\uFEFF?---\r?\n/)).toBe(500 - (library.mix.get("no frontmatter") ?? 0));
  expect(count(/^metadata:\s+\{/m)).toBe(library.mix.get("flow map"));
  expect(count(/^description: [A-Z\P{ASCII}][^\n]*: /mu)).toBe(
    library.mix.get("needs repair (unquoted colon)"),
  );
  expect(count(/\r\n/)).toBe(library.mix.get("CRLF"));
  expect(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBe(library.bytes);
});

function generate(name: string, options: { count: number; seed: number }): Library {
  return generateLibrary({ root: join(directory, name), ...options });
}

function readTree(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      return [path.slice(root.length), readFileSync(path, "utf8")];
    }),
  );
}
