import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { TreeFile } from "@skillet/core";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Drift, LockEntry } from "../lock/lock-entry.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { commitChanges } from "./commit-changes.ts";
import {
  recordOf,
  type SandboxProject,
  sandboxProject,
  skillEntry,
  skillFiles,
} from "./testing/sandbox-project.ts";
import { verifyEntry } from "./verify-entry.ts";

const TARGETS = [
  { path: ".agents/skills/pdf", how: "copy" },
  { path: ".claude/skills/pdf", how: "link" },
] as const;

describe("verifyEntry", () => {
  test("what was just installed has not drifted", async () => {
    const { drifts } = await installed();
    expect(await drifts()).toEqual([]);
  });

  test("names each file that is changed, missing, added, of another mode or kind", async () => {
    const { folder, drifts } = await installed();
    const skill = join(folder, "SKILL.md");
    const { atime, mtime } = statSync(skill);
    const bytes = readFileSync(skill);
    bytes[bytes.length - 2]! ^= 1;
    writeFileSync(skill, bytes);
    // The same size and the same times: only hashing notices.
    utimesSync(skill, atime, mtime);
    rmSync(join(folder, "references/guide.md"));
    chmodSync(join(folder, "scripts/run.sh"), 0o644);
    writeFileSync(join(folder, "scripts/extra.sh"), "");
    mkdirSync(join(folder, "hooks/deep"), { recursive: true });
    symlinkSync("/etc/passwd", join(folder, "scripts/link"));
    mkdirSync(join(folder, "scripts/__pycache__"));
    expect((await drifts()).map(({ file, kind, expendable }) => [file, kind, expendable ?? false])).toEqual([
      ["SKILL.md", "changed", false],
      ["hooks/", "extra", false],
      ["references/guide.md", "missing", false],
      ["scripts/__pycache__/", "extra", true],
      ["scripts/extra.sh", "extra", false],
      ["scripts/link", "extra", false],
      ["scripts/run.sh", "mode", false],
    ]);
  });

  test("a file that became a link, a folder or a FIFO is named and never followed or waited for", async () => {
    const { folder, drifts } = await installed();
    renameSync(join(folder, "SKILL.md"), join(folder, "../copy"));
    symlinkSync("../copy", join(folder, "SKILL.md"));
    rmSync(join(folder, "references/guide.md"));
    execFileSync("mkfifo", [join(folder, "references/guide.md")]);
    rmSync(join(folder, "scripts"), { recursive: true });
    writeFileSync(join(folder, "scripts"), "");
    expect((await drifts()).map(({ file, kind, message }) => [file, kind, message])).toEqual([
      ["SKILL.md", "type", "is a link instead of a file"],
      ["references/guide.md", "type", "is a special file instead of a file"],
      ["scripts", "type", "is a file instead of a folder"],
      ["scripts/run.sh", "missing", "is missing"],
    ]);
  });

  test("a target that is gone, or a link that leads elsewhere, is named", async () => {
    const { project, folder, drifts } = await installed();
    rmSync(join(project.root, ".claude/skills/pdf"));
    symlinkSync("/etc", join(project.root, ".claude/skills/pdf"));
    rmSync(folder, { recursive: true });
    expect((await drifts()).map(({ target, file, kind }) => [target, file, kind])).toEqual([
      [".agents/skills/pdf", "", "missing"],
      [".claude/skills/pdf", "", "link"],
    ]);
  });

  test("rights that no install gives are differences", async () => {
    const { folder, drifts } = await installed();
    chmodSync(join(folder, "scripts/run.sh"), 0o4755);
    chmodSync(join(folder, "SKILL.md"), 0o646);
    chmodSync(join(folder, "references"), 0o777);
    chmodSync(folder, 0o777);
    expect((await drifts()).map(({ file, kind }) => [file, kind])).toEqual([
      ["", "mode"],
      ["SKILL.md", "mode"],
      ["references/", "mode"],
      ["scripts/run.sh", "mode"],
    ]);
  });

  test.each([
    ["SKILL.md", 0o655, "became executable"],
    ["SKILL.md", 0o654, "became executable"],
    ["SKILL.md", 0o645, "became executable"],
    ["scripts/run.sh", 0o655, "is no longer executable"],
    ["scripts/run.sh", 0o700, undefined],
    ["SKILL.md", 0o600, undefined],
  ])("of %s with the mode %o it is said: %s", async (path, mode, message) => {
    const { folder, drifts } = await installed();
    chmodSync(join(folder, path), mode);
    expect((await drifts())[0]?.message).toBe(message);
  });

  test("what an install gives is none, whatever the umask", async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const { drifts } = await installed();
    expect(await drifts()).toEqual([]);
  });

  test("a second spelling of a folder or file is not hidden by the first", async () => {
    const composed = { path: "r\u00e9f/\u00e9.md", mode: "644", bytes: Buffer.from("a") } as const;
    const { folder, drifts } = await installed([...skillFiles("pdf", "1"), composed]);
    mkdirSync(join(folder, "re\u0301f"), { recursive: true });
    writeFileSync(join(folder, "re\u0301f/evil.sh"), "");
    writeFileSync(join(folder, "r\u00e9f/e\u0301.md"), "");
    const found = (await drifts()).map(({ file, kind }) => [file, kind]);
    // Where the disk takes both for one, there is but one folder, with one file more in it.
    const isOne =
      readdirSync(folder).length === readdirSync(folder).filter((name) => /^[\0-~]*$/.test(name)).length + 1;
    expect(found).toEqual(
      isOne
        ? expect.arrayContaining([["r\u00e9f/evil.sh", "extra"]])
        : [
            ["re\u0301f/", "extra"],
            ["r\u00e9f/e\u0301.md", "extra"],
          ],
    );
  });

  test("a disk that spells a folder decomposed has what was installed", async () => {
    const composed = { path: "r\u00e9f/\u00e9.md", mode: "644", bytes: Buffer.from("a") } as const;
    const { folder, drifts } = await installed([...skillFiles("pdf", "1"), composed]);
    renameSync(join(folder, "r\u00e9f/\u00e9.md"), join(folder, "r\u00e9f/e\u0301.md"));
    renameSync(join(folder, "r\u00e9f"), join(folder, "re\u0301f"));
    expect(await drifts()).toEqual([]);
  });

  test("large files are hashed in pieces", async () => {
    const big: TreeFile = { path: "big.bin", mode: "644", bytes: Buffer.alloc(3 * 1024 * 1024 + 1, 7) };
    const { folder, drifts } = await installed([...skillFiles("pdf", "1"), big]);
    expect(await drifts()).toEqual([]);
    const bytes = Buffer.from(big.bytes);
    bytes[bytes.length - 1] = 8;
    writeFileSync(join(folder, "big.bin"), bytes);
    expect((await drifts()).map(({ file, kind }) => [file, kind])).toEqual([["big.bin", "changed"]]);
    truncateSync(join(folder, "big.bin"), 10);
    expect((await drifts())[0]?.message).toBe("has 10 bytes instead of 3145729");
  });

  test("more differences than anyone reads are counted", async () => {
    const { folder, drifts } = await installed();
    for (let index = 0; index < 1_010; index++) writeFileSync(join(folder, `x${index}`), "");
    const found = await drifts();
    expect(found).toHaveLength(1_001);
    expect(found.at(-1)).toMatchObject({ kind: "more", message: "and 10 more differences" });
  });

  test("a lock whose digest does not fit its files is named", async () => {
    const { project, entry } = await installed();
    const forged: LockEntry = { ...entry, digest: `sha256:${"0".repeat(64)}` };
    expect((await verifyEntry(project.root, "pdf", forged)).map(({ message }) => message)).toEqual([
      "the lock's digest is not that of the files it lists",
    ]);
  });

  test("a target outside the lock's folder is not looked at", async () => {
    const { project, entry } = await installed();
    for (const path of ["/etc", "../home", "x/../../home"]) {
      const drifts = await verifyEntry(project.root, "pdf", { ...entry, targets: [{ path, how: "copy" }] });
      expect(drifts.map(({ kind, message }) => [kind, message.startsWith("cannot be looked at")])).toEqual([
        ["type", true],
      ]);
    }
  });

  test("a signal ends it", async () => {
    const { project, entry } = await installed();
    await expect(verifyEntry(project.root, "pdf", entry, { signal: AbortSignal.abort() })).rejects.toThrow();
  });
});

test("a note of another tool in the header is an edit like any other, which nothing overwrites unasked", async () => {
  const { project, entry, folder } = await installed();
  const noted = "---\nname: pdf\ndescription: Version 1.\nmetadata:\n  github-repo: o/r\n---\n\nBody 1\n";
  writeFileSync(join(folder, "SKILL.md"), noted);
  const change = { kind: "remove", name: "pdf", before: entry, record: recordOf("remove", "pdf") } as const;
  const changes = [{ ...change, discardEdits: false }];
  await expect(commitChanges({ ...project, changes })).rejects.toMatchObject({ code: "edited" });
});

async function installed(files: readonly TreeFile[] = skillFiles("pdf", "1")): Promise<{
  project: SandboxProject;
  entry: LockEntry;
  folder: string;
  drifts: () => Promise<readonly Drift[]>;
}> {
  const project = sandboxProject(temporaryDirectory());
  const entry = skillEntry("pdf", files, TARGETS);
  await commitChanges({
    ...project,
    changes: [
      { kind: "put", record: recordOf("install", "pdf"), name: "pdf", files, entry, discardEdits: false },
    ],
  });
  return {
    project,
    entry,
    folder: join(project.root, ".agents/skills/pdf"),
    drifts: () => verifyEntry(project.root, "pdf", entry),
  };
}
