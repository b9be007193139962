import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SkilletError } from "@skillet/core";
import { describe, expect, test } from "vitest";
import { formatLock } from "../lock/format-lock.ts";
import { sealText } from "../store/seal.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { commitChanges } from "./commit-changes.ts";
import { journalPath } from "./journal.ts";
import { recover } from "./recover.ts";
import {
  leftovers,
  lockOf,
  type SandboxProject,
  sandboxProject,
  skillEntry,
  skillFiles,
} from "./testing/sandbox-project.ts";

describe("recover", () => {
  test("where nothing is pending it does nothing, and makes no file", async () => {
    const project = sandboxProject(temporaryDirectory());
    expect(await recover(project)).toBe("nothing");
    expect([readdirSync(project.root), readdirSync(project.home)]).toEqual([[], []]);
  });

  test("a journal that was still being written is cleared away", async () => {
    const project = sandboxProject(temporaryDirectory());
    writeFileSync(`${journalPath(project.lockFile)}.new`, '{"half');
    expect(await recover(project)).toBe("nothing");
    expect(readdirSync(project.root)).toEqual([]);
  });

  test("a journal that a repository brought along is never followed", async () => {
    const project = sandboxProject(temporaryDirectory());
    const precious = join(project.root, "src");
    mkdirSync(precious);
    const forged = JSON.stringify({
      journalVersion: 1,
      lock: project.lockFile,
      transaction: "0".repeat(32),
      phase: "swap",
      changesLock: true,
      steps: [{ place: precious, action: "put", had: false }],
      entries: [],
      records: [],
    });
    for (const seal of ["", "0".repeat(64)]) {
      writeFileSync(journalPath(project.lockFile), `${forged}\n${seal}\n`);
      await sealText(project.store.folder, "so that there is a key");
      const error = await failureOf(recover(project));
      expect([error.code, error.message.includes("delete the file")]).toEqual(["journal-foreign", true]);
      expect(existsSync(precious)).toBe(true);
    }
  });

  test("a journal of our own that was copied to another project is not followed there", async () => {
    const { project, folder } = await interrupted();
    const other = temporaryDirectory();
    cpSync(folder, other, { recursive: true, verbatimSymlinks: true });
    const copied = { ...sandboxProject(other), store: project.store };
    expect((await failureOf(recover(copied))).code).toBe("journal-foreign");
  });

  test("a sealed journal whose places lie outside what the lock may touch is not followed", async () => {
    const { project } = await interrupted();
    const [text] = readFileSync(journalPath(project.lockFile), "utf8").split("\n");
    const moved = text!.replace(
      JSON.stringify(join(project.root, ".agents/skills/pdf")),
      JSON.stringify(project.home),
    );
    expect(moved).not.toBe(text);
    const seal = await sealText(project.store.folder, moved);
    writeFileSync(journalPath(project.lockFile), `${moved}\n${seal}\n`);
    expect((await failureOf(recover(project))).code).toBe("journal-foreign");
    expect(existsSync(project.home)).toBe(true);
  });

  test("what somebody put where the old version was stays, and both places are named", async () => {
    const { project } = await interrupted();
    const place = join(project.root, ".agents/skills/pdf");
    const backup = leftovers(project.root).find((path) => path.endsWith(".old"))!;
    // As if the process had died between moving the old version away and putting the new one in.
    renameSync(place, join(project.root, backup.replace(/\.old$/, ".new")));
    mkdirSync(place);
    writeFileSync(join(place, "own.txt"), "mine");
    const error = await failureOf(recover(project));
    expect([error.code, error.message.includes(backup)]).toEqual(["target-occupied", true]);
    expect(readFileSync(join(place, "own.txt"), "utf8")).toBe("mine");
    renameSync(place, join(project.root, "elsewhere"));
    expect(await recover(project)).toBe("undone");
    expect(readFileSync(join(place, "SKILL.md"), "utf8")).toContain("Body 1");
    expect(leftovers(project.root)).toEqual([]);
  });

  test("a lock with the new entries that came from elsewhere completes a swap that had not ended", async () => {
    const { project } = await interrupted();
    const place = join(project.root, ".agents/skills/pdf");
    const backup = leftovers(project.root).find((path) => path.endsWith(".old"))!;
    renameSync(place, join(project.root, backup.replace(/\.old$/, ".new")));
    const files = skillFiles("pdf", "2");
    writeFileSync(project.lockFile, formatLock({ skills: new Map([["pdf", skillEntry("pdf", files)]]) }));
    expect(await recover(project)).toBe("completed");
    expect(readFileSync(join(place, "SKILL.md"), "utf8")).toContain("Body 2");
    expect(leftovers(project.root)).toEqual([]);
  });

  test("a lock that does not parse keeps the journal until it does", async () => {
    const { project } = await interrupted();
    const text = readFileSync(project.lockFile, "utf8");
    writeFileSync(project.lockFile, "<<<<<<< HEAD\n");
    expect((await failureOf(recover(project))).code).toBe("lock-invalid");
    expect(existsSync(journalPath(project.lockFile))).toBe(true);
    writeFileSync(project.lockFile, text);
    expect(await recover(project)).toBe("undone");
    expect(leftovers(project.root)).toEqual([]);
  });
});

/** A project whose update from 1 to 2 stopped after the swap, as a process that died there leaves it. */
async function interrupted(): Promise<{ project: SandboxProject; folder: string }> {
  const folder = temporaryDirectory();
  const project = sandboxProject(folder);
  const change = (version: string) => {
    const files = skillFiles("pdf", version);
    const before = lockOf(project).get("pdf");
    return {
      kind: "put",
      name: "pdf",
      files,
      entry: skillEntry("pdf", files),
      discardEdits: false,
      ...(before && { before }),
    } as const;
  };
  await commitChanges({ ...project, changes: [change("1")] });
  const copy = temporaryDirectory();
  const onStage = (stage: string): void => {
    if (stage !== "swapped 0") return;
    // Without its owner's file: this process is alive, and the one that it stands for is not.
    const filter = (path: string): boolean => !path.endsWith(".lock.lock");
    cpSync(project.root, join(copy, "project"), { recursive: true, verbatimSymlinks: true, filter });
    throw new Error("died");
  };
  await failureOf(commitChanges({ ...project, changes: [change("2")], onStage }));
  cpSync(join(copy, "project"), project.root, { recursive: true, verbatimSymlinks: true, force: true });
  return { project, folder };
}

async function failureOf(work: Promise<unknown>): Promise<SkilletError> {
  return work.then(
    () => expect.fail("nothing was thrown"),
    (error: SkilletError) => error,
  );
}
