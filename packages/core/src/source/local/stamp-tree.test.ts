import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { writeTree } from "../../testing/write-tree.ts";
import { LocalSource } from "./local-source.ts";
import { stampTree } from "./stamp-tree.ts";

const skill = (): string =>
  writeTree(join(temporaryDirectory(), "skill"), {
    "SKILL.md": "# x\n",
    "scripts/a.sh": "echo 1\n",
    "b/c/d": "",
  });

test.each([0, 200])(
  "the same files give the same short stamp, and tell when one changed last (%d more)",
  (more) => {
    const folder = skill();
    writeTree(
      folder,
      Object.fromEntries(Array.from({ length: more }, (_, index) => [`data/${index}.txt`, ""])),
    );
    const stamp = stampTree(folder);
    expect(stamp?.text.length).toBeLessThanOrEqual(1000);
    expect(stampTree(folder)).toEqual(stamp);
    expect(stamp?.changedMs).toBeGreaterThanOrEqual(statSync(join(folder, "scripts/a.sh")).ctimeMs);
    writeFileSync(join(folder, "scripts/a.sh"), "echo 22\n");
    expect(stampTree(folder)?.text).not.toBe(stamp?.text);
  },
);

test.each<[string, (folder: string) => void]>([
  ["a changed text", (folder) => writeFileSync(join(folder, "scripts/a.sh"), "echo 22\n")],
  [
    "a text of the same length with its time put back",
    (folder) => {
      const file = join(folder, "scripts/a.sh");
      const { atimeMs, mtimeMs } = statSync(file);
      writeFileSync(file, "echo 2\n");
      utimesSync(file, atimeMs / 1000, mtimeMs / 1000);
    },
  ],
  ["a new file", (folder) => writeFileSync(join(folder, "scripts/b.sh"), "")],
  ["a file that is gone", (folder) => rmSync(join(folder, "b/c/d"))],
  ["a file that was moved", (folder) => renameSync(join(folder, "b/c/d"), join(folder, "b/c/e"))],
  ["another mode", (folder) => chmodSync(join(folder, "scripts/a.sh"), 0o755)],
  ["a new folder", (folder) => mkdirSync(join(folder, "b/e"))],
  ["a new link", (folder) => symlinkSync("/etc/passwd", join(folder, "b/link"))],
  ["a nested skill", (folder) => void writeTree(folder, { "b/inner/SKILL.md": "# y\n" })],
])("%s gives another stamp", (_what, change) => {
  const folder = skill();
  const before = stampTree(folder);
  change(folder);
  const after = stampTree(folder);
  expect(after).toBeDefined();
  expect(after?.text).not.toBe(before?.text);
});

test("what lies in .git changes nothing", () => {
  const folder = skill();
  mkdirSync(join(folder, ".git"));
  const before = stampTree(folder);
  writeFileSync(join(folder, ".git/HEAD"), "x");
  expect(stampTree(folder)?.text).toBe(before?.text);
});

test("a SKILL.md that is a link has no stamp, because its text lies elsewhere", () => {
  const folder = skill();
  rmSync(join(folder, "SKILL.md"));
  symlinkSync("../text.md", join(folder, "SKILL.md"));
  expect(stampTree(folder)).toBe(undefined);
});

test("a folder that is not there, or is too deep to be listed whole, has none", () => {
  const folder = skill();
  expect(stampTree(join(folder, "nowhere"))).toBe(undefined);
  mkdirSync(join(folder, "deep", ..."abcdefghijklmnopqr"), { recursive: true });
  expect(stampTree(folder)).toBe(undefined);
});

test("one file is stamped by itself, and nothing outside the source", () => {
  const folder = skill();
  const source = new LocalSource(folder);
  const before = source.stamp("scripts/a.sh");
  writeFileSync(join(folder, "scripts/b.sh"), "");
  expect(source.stamp("scripts/a.sh")).toEqual(before);
  symlinkSync("/etc", join(folder, "out"));
  expect(() => source.stamp("out")).toThrow(expect.objectContaining({ code: "path-outside-root" }));
});
