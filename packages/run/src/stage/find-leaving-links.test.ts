import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findLeavingLinks } from "./tree-writer.ts";

const part = fc.constantFrom("a", "b", "c", "..", ".", "");
const target = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("/"));
const place = fc.constantFrom("a", "b", "c", "d/a", "d/b", "d/e/a", "d/e/b");

test("no link that is kept leads the kernel out of the tree", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-links-")));
  try {
    let tree = 0;
    fc.assert(
      fc.property(fc.dictionary(place, target, { maxKeys: 6 }), (links) => {
        const folder = join(root, String(tree++), "skill");
        const all = new Map(Object.entries(links).filter(([, text]) => text !== ""));
        const leaving = findLeavingLinks(all);
        for (const [path, text] of all) {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          if (!leaving.has(path)) symlinkSync(text, join(folder, path));
        }
        for (const path of all.keys()) {
          const reached = leaving.has(path) ? undefined : reach(join(folder, path));
          if (reached !== undefined && reached !== folder)
            expect(reached.startsWith(`${folder}/`)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("a tangle of links is given up after a bounded number of steps", () => {
  const links = new Map<string, string>();
  for (let index = 0; index < 2000; index++) links.set(`l${index}`, `${"./".repeat(2000)}l${index + 1}`);
  const leaving = findLeavingLinks(links);
  expect(leaving.get("l1999")).toBe("belongs to a tangle of links that is too large to follow");
});

function reach(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (["ENOENT", "ELOOP", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
}
