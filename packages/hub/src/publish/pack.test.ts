import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { TreeFile } from "@skillet/core";
import { packTar as packSorted } from "@skillet/kit/archive";
import { digestBytes, treeDigestOf } from "@skillet/kit/digest";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_HUB_LIMITS } from "../hub-limits.ts";
import { unpackArchive } from "../sources/archive.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { packedFiles, packTarGz } from "./skill-to-publish.ts";
import { arbitraryTree } from "./testing/arbitrary-tree.ts";
import { SCRIPT, textFile } from "./testing/make-skill.ts";

const SKILL = textFile("SKILL.md", "# x\n");
const LONG = textFile(`references/${"deep/".repeat(40)}${"n".repeat(150)}.md`, "far away\n");
const packTar = (files: readonly TreeFile[]) => packSorted(packedFiles(files));
const FORMATS = [
  ["tar", packTar],
  ["tar.gz", packTarGz],
] as const;

describe.each(FORMATS)("%s", (name, pack) => {
  const unpack = (bytes: Uint8Array) => unpackArchive(bytes, { name, limits: DEFAULT_HUB_LIMITS });

  test("any tree comes out as it went in, modes and all", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTree, async (files) => {
        const unpacked = await unpack(pack(files));
        expect(treeDigestOf(unpacked)).toBe(treeDigestOf(files));
        expect(unpacked.length).toBe(files.length);
      }),
      { numRuns: 150 },
    );
  });

  test("the order in which files are given does not matter", () => {
    fc.assert(
      fc.property(arbitraryTree, (files) => {
        expect(Buffer.from(pack(files)).equals(pack(files.toReversed()))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test.each<[string, readonly TreeFile[]]>([
    ["no SKILL.md", [SCRIPT]],
    ["SKILL.md below a folder alone", [textFile("x/SKILL.md", "")]],
    ["a link", [SKILL, { path: "link", mode: "120000", bytes: Buffer.from("/etc/passwd") }]],
    ["a path that leaves", [SKILL, textFile("../x", "")]],
    ["an absolute path", [SKILL, textFile("/etc/x", "")]],
    ["a backslash", [SKILL, textFile("a\\b", "")]],
    ["a path twice", [SKILL, SKILL]],
    ["paths that differ in case", [SKILL, textFile("skill.md", "")]],
    ["a file that is a folder too", [SKILL, textFile("a", ""), textFile("a/b", "")]],
    ["what an archiver adds", [SKILL, textFile("__MACOSX/SKILL.md", "")]],
  ])("a tree with %s is refused", (_title, files) => {
    expect(() => pack(files)).toThrow(expect.objectContaining({ code: "pack-refused" }));
  });
});

test("the bytes are those of every other machine and version", () => {
  const files = [SKILL, SCRIPT, textFile("references/é.md", "é".repeat(3_000)), LONG];
  expect(FORMATS.map(([name, pack]) => [name, digestBytes(pack(files))])).toMatchInlineSnapshot(`
    [
      [
        "tar",
        "sha256:8f157bc199c85774430acc79fd3dc6c8e8016f2ae5c7e051e8c27f3c435d1816",
      ],
      [
        "tar.gz",
        "sha256:373a7b1df1ccc6f7dcb4bfba7cc4230eec021e825f13afc171f9b672395fc369",
      ],
    ]
  `);
});

test("an archive names no time, no user and no system", () => {
  const tar = Buffer.from(packTar([SKILL, SCRIPT]));
  expect(tar.subarray(100, 148).toString()).toBe(
    "0000644\0" + "0000000\0" + "0000000\0" + "00000000004\0" + "00000000000\0",
  );
  expect([...packTarGz([SKILL]).subarray(0, 10)]).toEqual([31, 139, 8, 0, 0, 0, 0, 0, 2, 255]);
});

test("GNU tar and Node's own gunzip read what was written, and long paths too", () => {
  const directory = temporaryDirectory();
  const files = [SKILL, SCRIPT, LONG, textFile(`${"a/".repeat(60)}b.md`, "b")];
  writeFileSync(join(directory, "x.tar.gz"), packTarGz(files));
  mkdirSync(join(directory, "out"));
  execFileSync("tar", ["-xzf", "x.tar.gz", "-C", "out"], { cwd: directory });
  for (const { path, mode, bytes } of files) {
    expect(readFileSync(join(directory, "out", path)).equals(bytes)).toBe(true);
    expect((statSync(join(directory, "out", path)).mode & 0o100) !== 0).toBe(mode === "755");
  }
  expect(Buffer.from(gunzipSync(packTarGz(files))).equals(packTar(files))).toBe(true);
});
