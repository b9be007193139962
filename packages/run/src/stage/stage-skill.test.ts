import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import type { Digest } from "@skillet/kit/digest";
import { removeTree } from "@skillet/kit/files";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stageSkill } from "./stage-skill.ts";
import { type Content, CountedFiles, digestOf, keptDigestOf, treeFiles } from "./testing/tree-files.ts";

let root: string;
let directory: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-stage-")));
  directory = join(root, "home", "cache", "staged");
});
afterEach(() => removeTree(root));

const SKILL: Record<string, Content> = {
  "SKILL.md": "# skill\n",
  "lib/helper.sh": "hello() { echo hi; }\n",
  "scripts/run.sh": { executable: "#!/bin/bash\nsource lib/helper.sh\n" },
  "scripts/current.sh": { link: "run.sh" },
};
const files = treeFiles(SKILL);
const digest = digestOf(files);
const place = (): string => join(directory, digest.slice(7));
const stage = (given: readonly TreeFile[] = files, expected: Digest = digestOf(given)) =>
  stageSkill({ digest: expected, files: new CountedFiles(given), directory });

const modeOf = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8);
const leftInFolder = (): string[] => readdirSync(directory).sort();

describe("staging", () => {
  test("writes every file read-only under the skill's digest, in folders for their owner alone", async () => {
    const staged = await stage();
    expect(staged).toEqual({
      skill: { digest, directory: place() },
      keptDigest: keptDigestOf(files),
      diagnostics: [],
    });
    expect(readFileSync(join(place(), "lib/helper.sh"), "utf8")).toBe("hello() { echo hi; }\n");
    expect(readlinkSync(join(place(), "scripts/current.sh"))).toBe("run.sh");
    expect(["", "lib", "SKILL.md", "scripts/run.sh"].map((path) => modeOf(join(place(), path)))).toEqual([
      "555",
      "555",
      "444",
      "555",
    ]);
    expect([directory, join(root, "home", "cache"), join(root, "home")].map(modeOf)).toEqual([
      "700",
      "700",
      "700",
    ]);
    expect(leftInFolder()).toEqual([digest.slice(7)]);
  });

  test("a strict umask takes nothing from what a sandbox's user has to read", async () => {
    const before = process.umask(0o077);
    try {
      await stage();
    } finally {
      process.umask(before);
    }
    expect(["", "SKILL.md", "scripts/run.sh"].map((path) => modeOf(join(place(), path)))).toEqual([
      "555",
      "444",
      "555",
    ]);
  });

  test("files that come to another digest leave nothing on disk", async () => {
    await expect(stage(treeFiles({ ...SKILL, "lib/helper.sh": "evil\n" }), digest)).rejects.toMatchObject({
      code: "staging-mismatch",
    });
    expect(leftInFolder()).toEqual([]);
  });

  test("files that fail in the middle leave nothing on disk, and their error comes through", async () => {
    const failing = async function* (): AsyncGenerator<TreeFile> {
      yield* files.slice(0, 2);
      throw new RangeError("drifted");
    };
    await expect(stageSkill({ digest, files: failing(), directory })).rejects.toThrow(
      new RangeError("drifted"),
    );
    expect(leftInFolder()).toEqual([]);
  });

  test.each([
    ["/etc/passwd", "is absolute"],
    ["../evil", "leaves its folder"],
    ["a/../../evil", "leaves its folder"],
    ["a//b", "has an empty part"],
    ["./a", "has an empty part"],
    ["a/", "has an empty part"],
    ["", "is empty"],
    ["a\0b", "holds a NUL"],
    ["C:\\evil", "is absolute"],
    ["SKILL.md/x", "lies below a file"],
    ["scripts", "is a file and a folder"],
    ["scripts/current.sh/x", "lies below a file"],
    ["SKILL.md", "occurs twice"],
  ])("the path %j is refused because it %s", async (path, fault) => {
    const bad = [...files, { path, mode: "644" as const, bytes: Buffer.from("x") }];
    await expect(stage(bad)).rejects.toMatchObject({
      code: "staging-path-refused",
      message: expect.stringContaining(fault),
    });
    expect(leftInFolder()).toEqual([]);
  });

  test("a hundred stagings at once give one whole copy", async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => stage()));
    expect(new Set(all.map(({ skill }) => skill.directory))).toEqual(new Set([place()]));
    expect(leftInFolder()).toEqual([digest.slice(7)]);
  });
});

describe("links", () => {
  test("one that leaves the skill is left out and reported, and still counts for the digest", async () => {
    const linked = treeFiles({
      "SKILL.md": "x",
      "deep/a/up": { link: "../.." },
      outside: { link: "../secret" },
      absolute: { link: "/etc/passwd" },
      // As text it stays inside; through the other link it does not.
      sly: { link: "deep/a/up/../../etc" },
      dangling: { link: "nothing/here" },
      circle: { link: "circle" },
    });
    const staged = await stage(linked);
    expect(staged.diagnostics.map(({ file, message }) => `${file}: ${message}`)).toEqual([
      "absolute: The link leads to an absolute path, so scripts do not find it.",
      "circle: The link leads through more than 40 links, so scripts do not find it.",
      "outside: The link leads out of the skill, so scripts do not find it.",
      "sly: The link leads out of the skill, so scripts do not find it.",
    ]);
    expect(staged.skill.digest).toBe(digestOf(linked));
    expect(readdirSync(staged.skill.directory).sort()).toEqual(["SKILL.md", "dangling", "deep"]);
    const inode = statSync(join(staged.skill.directory, "SKILL.md")).ino;
    expect(await stage(linked)).toEqual(staged);
    expect(statSync(join(staged.skill.directory, "SKILL.md")).ino).toBe(inode);
  });
});

describe("reuse", () => {
  const inode = (): number => statSync(join(place(), "SKILL.md")).ino;

  test("keeps a copy that is whole, reads the files to the end all the same, and notes the use", async () => {
    await stage();
    const first = inode();
    const counted = new CountedFiles(files);
    await stageSkill({ digest, files: counted, directory, clock: () => new Date("2026-01-02T03:04:05Z") });
    expect(inode()).toBe(first);
    expect(counted.given).toBe(files.length);
    expect(statSync(place()).mtime).toEqual(new Date("2026-01-02T03:04:05Z"));
  });

  test("does not hide that the skill on disk is another one by now", async () => {
    await stage();
    await expect(stage(treeFiles({ ...SKILL, "SKILL.md": "evil" }), digest)).rejects.toMatchObject({
      code: "staging-mismatch",
    });
    expect(readFileSync(join(place(), "SKILL.md"), "utf8")).toBe("# skill\n");
  });

  const open = (path: string, action: (path: string) => void): void => {
    chmodSync(join(place(), path, ".."), 0o755);
    action(join(place(), path));
    chmodSync(join(place(), path, ".."), 0o555);
  };
  test.each<[string, () => void | Promise<void>]>([
    [
      "content",
      () => {
        chmodSync(join(place(), "lib/helper.sh"), 0o644);
        writeFileSync(join(place(), "lib/helper.sh"), "evil() { :; }       \n");
        chmodSync(join(place(), "lib/helper.sh"), 0o444);
      },
    ],
    ["a file's mode", () => chmodSync(join(place(), "lib/helper.sh"), 0o644)],
    ["an executable bit", () => chmodSync(join(place(), "scripts/run.sh"), 0o444)],
    ["a set-user-id bit", () => chmodSync(join(place(), "scripts/run.sh"), 0o4555)],
    ["a folder's mode", () => chmodSync(join(place(), "lib"), 0o755)],
    ["one more file", () => open("lib/more.sh", (path) => writeFileSync(path, "", { mode: 0o444 }))],
    ["one more folder", () => open("lib/more", (path) => mkdirSync(path, 0o555))],
    ["a missing file", () => open("lib/helper.sh", unlinkSync)],
    [
      "a link's target",
      () =>
        open("scripts/current.sh", (path) => {
          unlinkSync(path);
          symlinkSync("../lib/helper.sh", path);
        }),
    ],
    [
      "a file that became a link",
      () =>
        open("lib/helper.sh", (path) => {
          const copy = join(root, "copy.sh");
          writeFileSync(copy, readFileSync(path));
          unlinkSync(path);
          symlinkSync(copy, path);
        }),
    ],
    [
      "all of it",
      async () => {
        await removeTree(place());
        writeFileSync(place(), "not a folder");
      },
    ],
  ])("a copy in which %s was changed is staged anew", async (_what, damage) => {
    await stage();
    await damage();
    const staged = await stage();
    expect(staged.keptDigest).toBe(keptDigestOf(files));
    expect(readFileSync(join(place(), "lib/helper.sh"), "utf8")).toBe("hello() { echo hi; }\n");
    expect(["", "lib", "lib/helper.sh", "scripts/run.sh"].map((path) => modeOf(join(place(), path)))).toEqual(
      ["555", "555", "444", "555"],
    );
    expect(readdirSync(join(place(), "lib"))).toEqual(["helper.sh"]);
    expect(readlinkSync(join(place(), "scripts/current.sh"))).toBe("run.sh");
    expect(leftInFolder()).toEqual([digest.slice(7)]);
  });
});

describe("the folders above", () => {
  test.each([["home"], ["home/cache"], ["home/cache/staged"]])(
    "%s may not be written by others",
    async (folder) => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      chmodSync(join(root, folder), 0o777);
      await expect(stage()).rejects.toMatchObject({ code: "staging-folder-unsafe" });
      expect(existsSync(place())).toBe(false);
    },
  );

  test.each([["home/cache"], ["home/cache/staged"]])("%s may not be a link", async (folder) => {
    mkdirSync(join(root, folder, ".."), { recursive: true, mode: 0o700 });
    mkdirSync(join(root, "elsewhere"), { mode: 0o700 });
    symlinkSync(join(root, "elsewhere"), join(root, folder));
    await expect(stage()).rejects.toMatchObject({ code: "staging-folder-unsafe" });
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)("they may not belong to another user", async () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    chownSync(join(root, "home", "cache"), 65534, 65534);
    await expect(stage()).rejects.toMatchObject({ code: "staging-folder-unsafe" });
  });

  test("a staging folder that others may read is closed to them", async () => {
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    await stage();
    expect(modeOf(directory)).toBe("700");
  });
});
