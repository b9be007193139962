import { mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "@skillet/kit/files";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TreeWriter } from "./tree-writer.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-writer-")));
});
afterEach(() => removeTree(root));

// As on a disk that does not tell capitals from small letters.
test.each([
  ["a file", () => writeFileSync(join(root, "tree", "Helper.sh"), "good"), "Helper.sh"],
  ["a folder", () => mkdirSync(join(root, "tree", "Lib")), "Lib/helper.sh"],
])("%s that is there under another spelling is neither overwritten nor filled", async (_what, make, path) => {
  const writer = new TreeWriter(join(root, "tree"));
  make();
  await expect(writer.add({ path, mode: "644", bytes: Buffer.from("evil") })).rejects.toMatchObject({
    code: "staging-path-refused",
    message: expect.stringContaining("is the same as another one on this disk"),
  });
});

test("a folder that is there already is not written into", () => {
  mkdirSync(join(root, "tree"));
  expect(() => new TreeWriter(join(root, "tree"))).toThrow(
    expect.objectContaining({ code: "staging-failed" }),
  );
  expect(readdirSync(join(root, "tree"))).toEqual([]);
});
