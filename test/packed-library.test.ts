import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkTarballs, packAll, publishedPackages } from "../scripts/check-tarballs.mjs";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "skillet-library-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the tarballs that agent builders install are whole, type-checked for Node and for bundlers, without any SDK", () => {
  const packages = publishedPackages(root, ["@skillet/adapters"]);
  const tarballs = packAll(
    packages.map(({ path }) => path),
    join(folder, "tarballs"),
  );
  const entries = checkTarballs(root, tarballs, folder, packages);
  expect(entries).toEqual(
    expect.arrayContaining(["@skillet/core", "@skillet/adapters/anthropic", "@skillet/adapters/langchain"]),
  );
  const installed = (path: string) => readFileSync(join(folder, "place/node_modules/@skillet", path), "utf8");
  for (const file of ["core/dist/index.js", "adapters/dist/anthropic.js"]) {
    expect(installed(file)).toMatch(/\n\/\/# sourceMappingURL=/);
    const longest = Math.max(
      ...installed(file)
        .split("\n")
        .map(({ length }) => length),
    );
    expect(longest).toBeLessThan(1_000);
  }
  for (const { name, files } of tarballs)
    expect(
      files.map(({ path }) => path).filter((path) => /\.test\.|testing\//.test(path)),
      name,
    ).toEqual([]);
});
