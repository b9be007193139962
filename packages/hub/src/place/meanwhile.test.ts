import {
  existsSync,
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
import { type Change, commitChanges } from "./commit-changes.ts";
import { recover } from "./recover.ts";
import {
  leftovers,
  recordOf,
  type SandboxProject,
  sandboxProject,
  skillEntry,
  skillFiles,
} from "./testing/sandbox-project.ts";

describe("while a commit is under way", () => {
  test.each(["checked", "stored", "journalled"])(
    "a folder that is swapped for a link after %s does not lead it outside",
    async (when) => {
      const project = sandboxProject(temporaryDirectory());
      const outside = temporaryDirectory();
      const skills = join(project.root, ".agents/skills");
      mkdirSync(skills, { recursive: true });
      const error = await commitMeanwhile(project, when, () => {
        rmSync(skills, { recursive: true });
        symlinkSync(outside, skills);
      });
      expect([error.code, readdirSync(outside)]).toEqual(["target-refused", []]);
      expect([existsSync(project.lockFile), leftovers(project.root)]).toEqual([false, []]);
    },
  );

  test("a folder above it that is swapped for a link gets no folder made in it", async () => {
    const project = sandboxProject(temporaryDirectory());
    const outside = temporaryDirectory();
    mkdirSync(join(project.root, ".agents"));
    await commitMeanwhile(project, "stored", () => {
      rmSync(join(project.root, ".agents"), { recursive: true });
      symlinkSync(outside, join(project.root, ".agents"));
    });
    expect(readdirSync(outside)).toEqual([]);
  });

  test("a folder that is swapped for a link before the swap is neither followed nor lost", async () => {
    const project = sandboxProject(temporaryDirectory());
    const outside = temporaryDirectory();
    const skills = join(project.root, ".agents/skills");
    const error = await commitMeanwhile(project, "prepared", () => {
      renameSync(skills, join(project.root, "moved"));
      symlinkSync(outside, skills);
    });
    expect([error.code, readdirSync(outside)]).toEqual(["place-unfinished", []]);
    rmSync(skills);
    renameSync(join(project.root, "moved"), skills);
    expect([await recover(project), leftovers(project.root)]).toEqual(["undone", []]);
  });

  test.each(["stored", "prepared", "swapped 0"])(
    "a lock that another program writes after %s is not overwritten, and everything is undone",
    async (when) => {
      const project = sandboxProject(temporaryDirectory());
      const theirs = formatLock({
        skills: new Map([["other", skillEntry("other", skillFiles("other", "1"))]]),
      });
      const error = await commitMeanwhile(project, when, () => writeFileSync(project.lockFile, theirs));
      expect([error.code, readFileSync(project.lockFile, "utf8")]).toEqual(["lock-changed", theirs]);
      expect(existsSync(join(project.root, ".agents/skills/pdf"))).toBe(false);
      expect(leftovers(project.root)).toEqual([]);
    },
  );

  test("a lock with the very same entries from elsewhere completes it", async () => {
    const project = sandboxProject(temporaryDirectory());
    const change = put("pdf");
    const theirs = `${formatLock({ skills: new Map([["pdf", change.entry]]) })}\n`;
    const onStage = (stage: string): void => {
      if (stage === "prepared") writeFileSync(project.lockFile, theirs);
    };
    await commitChanges({ ...project, changes: [change], onStage });
    expect(readFileSync(project.lockFile, "utf8")).toBe(theirs);
    expect(existsSync(join(project.root, ".agents/skills/pdf/SKILL.md"))).toBe(true);
    expect(leftovers(project.root)).toEqual([]);
  });
});

describe("a target among Skillet's own files", () => {
  test("is refused to a project that lies above Skillet's home, and so is .git by any way", async () => {
    const folder = temporaryDirectory();
    const project = { ...sandboxProject(folder), root: folder, lockFile: join(folder, "skillet.lock") };
    mkdirSync(join(folder, ".git"));
    symlinkSync(".git", join(folder, "docs"));
    symlinkSync("home", join(folder, "alias"));
    for (const path of ["home/plugins/pdf", "home/store/pdf", "alias/pdf", "docs/hooks"]) {
      const changes = [put("pdf", [{ path, how: "copy" }])];
      expect((await failureOf(commitChanges({ ...project, changes }))).code).toBe("target-refused");
    }
    expect([readdirSync(join(folder, ".git")), existsSync(join(folder, "home/plugins"))]).toEqual([
      [],
      false,
    ]);
  });

  test("is refused to the user's lock only where the kept versions are", async () => {
    const { home, store, audit } = sandboxProject(temporaryDirectory());
    const options = { root: home, lockFile: join(home, "lock.json"), store, audit };
    const into = (path: string) =>
      commitChanges({ ...options, changes: [put("pdf", [{ path, how: "copy" }])] });
    expect((await failureOf(into("store/pdf"))).code).toBe("target-refused");
    await into("plugins/pdf");
    expect(existsSync(join(home, "plugins/pdf/SKILL.md"))).toBe(true);
  });
});

function put(name: string, targets?: readonly LockedTarget[]): Extract<Change, { kind: "put" }> {
  const files = skillFiles(name, "1");
  return {
    kind: "put",
    record: recordOf("install", name),
    name,
    files,
    entry: skillEntry(name, files, targets),
    discardEdits: false,
  };
}

function commitMeanwhile(project: SandboxProject, when: string, act: () => void): Promise<SkilletError> {
  const onStage = (stage: string): void => {
    if (stage === when) act();
  };
  return failureOf(commitChanges({ ...project, changes: [put("pdf")], onStage }));
}

async function failureOf(work: Promise<unknown>): Promise<SkilletError> {
  return work.then(
    () => expect.fail("nothing was thrown"),
    (error: SkilletError) => error,
  );
}
