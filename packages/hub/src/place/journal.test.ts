import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SkilletError } from "@skillet/kit/errors";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { commitChanges } from "./commit-changes.ts";
import { type Journal, journalPath, readJournal, removeJournal, writeJournal } from "./journal.ts";
import { recover } from "./recover.ts";
import {
  leftovers,
  lockOf,
  recordOf,
  sandboxProject,
  skillEntry,
  skillFiles,
} from "./testing/sandbox-project.ts";

const JOURNAL: Journal = {
  transaction: "1".repeat(32),
  phase: "stage",
  folders: ["/a"],
  steps: [{ place: "/a/b", action: "put", had: false }],
  entries: new Map([["gone", null]]),
  changesLock: true,
  records: [],
};

describe("a journal", () => {
  test("is read as it was written, until it is taken away", async () => {
    const { lockFile, store } = sandboxProject(temporaryDirectory());
    await writeJournal(lockFile, store.folder, JOURNAL);
    expect(readJournal(lockFile, store.folder)).toEqual(JOURNAL);
    await removeJournal(lockFile, store.folder);
    expect(readJournal(lockFile, store.folder)).toBeUndefined();
  });

  test("that would be too large to be read again is not written", async () => {
    const { root, home, lockFile, store } = sandboxProject(temporaryDirectory());
    const records = [{ action: "install", skill: "x".repeat(64 * 1024 * 1024), decision: "allow" } as const];
    const error = await failureOf(writeJournal(lockFile, store.folder, { ...JOURNAL, records }));
    expect([error.code, readdirSync(root), existsSync(join(home, "store"))]).toEqual([
      "change-too-large",
      [],
      false,
    ]);
  });
});

describe("the names of a journal", () => {
  test.each([".new", "", ".undone"])(
    "a folder that ends in .journal%s is named, not stumbled over",
    async (ending) => {
      const project = sandboxProject(temporaryDirectory());
      const path = `${journalPath(project.lockFile)}${ending}`;
      mkdirSync(path);
      writeFileSync(join(path, "own.txt"), "");
      const error = await failureOf(recover(project));
      expect([error.name, error.message.includes(path)]).toEqual(["SkilletError", true]);
      expect(readdirSync(path)).toEqual(["own.txt"]);
    },
  );

  test.each([
    "skillet.lock.journal",
    "skillet.lock.journal.undone",
    "skillet.lock.journal.new/pdf",
    "skillet.lock.lock",
    "Skillet.LOCK.journal",
    "skillet.lock/pdf",
  ])("no skill is placed at %s, and the lock stays usable", async (path) => {
    const project = sandboxProject(temporaryDirectory());
    const put = (name: string, at: string) => {
      const files = skillFiles(name, "1");
      const entry = skillEntry(name, files, [{ path: at, how: "copy" }]);
      return {
        kind: "put",
        record: recordOf("install", name),
        name,
        files,
        entry,
        discardEdits: false,
      } as const;
    };
    const error = await failureOf(commitChanges({ ...project, changes: [put("pdf", path)] }));
    expect([error.code, readdirSync(project.root)]).toEqual(["target-refused", []]);
    await commitChanges({ ...project, changes: [put("zip", "skillet.locked/zip")] });
    expect([[...lockOf(project).keys()], leftovers(project.root)]).toEqual([["zip"], []]);
  });
});

async function failureOf(work: Promise<unknown>): Promise<SkilletError> {
  return work.then(
    () => expect.fail("nothing was thrown"),
    (error: SkilletError) => error,
  );
}
