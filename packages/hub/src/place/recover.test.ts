import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { SkilletError } from "@skillet/kit/errors";
import { describe, expect, test } from "vitest";
import { formatLock } from "../lock/format-lock.ts";
import type { LockedTarget } from "../lock/lock-entry.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { commitChanges } from "./commit-changes.ts";
import { journalPath, keptJournal } from "./journal.ts";
import { recover } from "./recover.ts";
import {
  leftovers,
  lockOf,
  recordOf,
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
    const transaction = "0".repeat(32);
    const forged = JSON.stringify({
      journalVersion: 1,
      transaction,
      phase: "swap",
      changesLock: true,
      steps: [{ place: precious, action: "put", had: false }],
      entries: [],
      records: [],
    });
    for (const text of [forged, `${transaction}\n`]) {
      writeFileSync(journalPath(project.lockFile), text);
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

  test("a mark of another transaction than the one that is under way is not followed", async () => {
    const { project } = await interrupted();
    writeFileSync(journalPath(project.lockFile), `${"0".repeat(32)}\n`);
    expect((await failureOf(recover(project))).code).toBe("journal-foreign");
  });

  test("a journal whose places lie outside what the lock may touch is not followed", async () => {
    const { project } = await interrupted();
    const kept = keptJournal(project.store.folder, project.lockFile);
    const text = readFileSync(kept, "utf8");
    for (const outside of [project.home, `${project.root}/../outside`]) {
      const moved = text.replace(
        JSON.stringify(join(project.root, ".agents/skills/pdf")),
        JSON.stringify(outside),
      );
      expect(moved).not.toBe(text);
      writeFileSync(kept, moved);
      expect((await failureOf(recover(project))).code).toBe("journal-foreign");
    }
    expect(existsSync(project.home)).toBe(true);
  });

  test("a journal of a project that claims a folder outside it is not followed", async () => {
    const { project } = await interrupted();
    const kept = keptJournal(project.store.folder, project.lockFile);
    const above = JSON.stringify(join(project.home, ".."));
    const claiming = readFileSync(kept, "utf8")
      .replace(JSON.stringify(join(project.root, ".agents/skills/pdf")), JSON.stringify(project.home))
      .replace(/"folders":\s*\[/, (start) => `${start}${above},`);
    expect(claiming).toContain(above);
    writeFileSync(kept, claiming);
    expect((await failureOf(recover(project))).code).toBe("journal-foreign");
  });

  test("what someone put where the old version was stays, and both places are named", async () => {
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

  test("a lock from elsewhere does not take away what someone wrote into the old version meanwhile", async () => {
    const { project } = await interrupted("prepared");
    const place = join(project.root, ".agents/skills/pdf");
    writeFileSync(join(place, "notes.md"), "written after the crash");
    const files = skillFiles("pdf", "2");
    writeFileSync(project.lockFile, formatLock({ skills: new Map([["pdf", skillEntry("pdf", files)]]) }));
    expect(await recover(project)).toBe("completed");
    expect(readFileSync(join(place, "notes.md"), "utf8")).toBe("written after the crash");
    expect(leftovers(project.root)).toEqual([]);
  });

  test.each(["prepared", "swapped 0"])(
    "what someone made or edited where a first install died at %s stays, until it is moved away",
    async (stage) => {
      const { project } = await interrupted(stage, []);
      const place = join(project.root, ".agents/skills/pdf");
      for (const left of leftovers(join(project.root, ".agents")))
        rmSync(join(project.root, ".agents", left), { recursive: true });
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, "notes.md"), "mine");
      const error = await failureOf(recover(project));
      expect([error.code, error.message.includes(place)]).toEqual(["target-occupied", true]);
      expect(readFileSync(join(place, "notes.md"), "utf8")).toBe("mine");
      renameSync(place, join(project.root, "elsewhere"));
      expect(await recover(project)).toBe("undone");
      expect([existsSync(place), leftovers(project.root)]).toEqual([false, []]);
    },
  );

  test("a file of our own with another's content in it is not taken for ours", async () => {
    const { project } = await interrupted();
    const skill = join(project.root, ".agents/skills/pdf/SKILL.md");
    writeFileSync(skill, "edited after the crash");
    expect((await failureOf(recover(project))).code).toBe("target-occupied");
    expect(readFileSync(skill, "utf8")).toBe("edited after the crash");
  });

  test("a link that was put and now leads elsewhere is someone's own", async () => {
    const targets = [
      { path: ".agents/skills/pdf", how: "copy" },
      { path: ".claude/skills/pdf", how: "link" },
    ] as const;
    const { project } = await interrupted("swapped 1", [], targets);
    const link = join(project.root, ".claude/skills/pdf");
    expect(await recover(project)).toBe("undone");
    expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
    const again = (await interrupted("swapped 1", [], targets)).project;
    const theirs = join(again.root, ".claude/skills/pdf");
    rmSync(theirs);
    symlinkSync(temporaryDirectory(), theirs);
    expect((await failureOf(recover(again))).code).toBe("target-occupied");
    expect(lstatSync(theirs).isSymbolicLink()).toBe(true);
  });

  test.each(["prepared", "swapped 0"])(
    "after a crash at %s, a folder that became a link since is not followed",
    async (stage) => {
      const { project } = await interrupted(stage, []);
      const skills = join(project.root, ".agents/skills");
      const outside = temporaryDirectory();
      // Even what looks like ours is not, out there.
      cpSync(skills, outside, { recursive: true });
      for (const { path, bytes } of skillFiles("pdf", "2")) {
        mkdirSync(join(outside, "pdf", path, ".."), { recursive: true });
        writeFileSync(join(outside, "pdf", path), bytes);
      }
      const before = readdirSync(outside, { recursive: true }).sort();
      renameSync(skills, join(project.root, "moved"));
      symlinkSync(outside, skills);
      expect((await failureOf(recover(project))).code).toBe("target-refused");
      expect(readdirSync(outside, { recursive: true }).sort()).toEqual(before);
      rmSync(skills);
      renameSync(join(project.root, "moved"), skills);
      expect(await recover(project)).toBe("undone");
      expect(leftovers(project.root)).toEqual([]);
    },
  );

  test("a journal that was settled and comes back is not followed again", async () => {
    const { project } = await interrupted("prepared", []);
    const journal = readFileSync(journalPath(project.lockFile));
    expect(await recover(project)).toBe("undone");
    const place = join(project.root, ".agents/skills/pdf");
    for (const { path, bytes } of skillFiles("pdf", "2")) {
      mkdirSync(join(place, path, ".."), { recursive: true });
      writeFileSync(join(place, path), bytes, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
    }
    for (const ending of ["", ".undone"]) {
      writeFileSync(`${journalPath(project.lockFile)}${ending}`, journal);
      expect((await failureOf(recover(project))).code).toBe("journal-foreign");
      rmSync(`${journalPath(project.lockFile)}${ending}`);
    }
    expect(existsSync(join(place, "SKILL.md"))).toBe(true);
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

/** A project whose change to version 2 stopped at a stage, as a process that died there leaves it. */
async function interrupted(
  stage: string = "swapped 0",
  earlier: readonly string[] = ["1"],
  targets?: readonly LockedTarget[],
): Promise<{ project: SandboxProject; folder: string }> {
  const folder = temporaryDirectory();
  const project = sandboxProject(folder);
  const change = (version: string) => {
    const files = skillFiles("pdf", version);
    const before = lockOf(project).get("pdf");
    return {
      kind: "put",
      record: recordOf("install", "pdf"),
      name: "pdf",
      files,
      entry: skillEntry("pdf", files, targets),
      discardEdits: false,
      ...(before && { before }),
    } as const;
  };
  for (const version of earlier) await commitChanges({ ...project, changes: [change(version)] });
  const copy = temporaryDirectory();
  const onStage = (now: string): void => {
    if (now !== stage) return;
    // Without its owner's file: this process is alive, and the one that it stands for is not.
    const filter = (path: string): boolean => !path.endsWith(".lock.lock");
    cpSync(folder, copy, { recursive: true, verbatimSymlinks: true, filter });
    throw new Error("died");
  };
  await failureOf(commitChanges({ ...project, changes: [change("2")], onStage }));
  rmSync(folder, { recursive: true });
  cpSync(copy, folder, { recursive: true, verbatimSymlinks: true });
  return { project, folder };
}

async function failureOf(work: Promise<unknown>): Promise<SkilletError> {
  return work.then(
    () => expect.fail("nothing was thrown"),
    (error: SkilletError) => error,
  );
}
