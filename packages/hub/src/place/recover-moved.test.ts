import { readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { SkilletError } from "@skillet/kit/errors";
import { expect, test } from "vitest";
import type { LockedTarget } from "../lock/lock-entry.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { commitChanges } from "./commit-changes.ts";
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

test("what was begun in a folder of an agent is ended there, though the folder is another by now", async () => {
  const project = sandboxProject(temporaryDirectory());
  const claude = join(temporaryDirectory(), "skills");
  await unrecorded({ ...project, outside: [claude] }, claude);
  expect(await recover({ ...project, outside: [join(claude, "../other")] })).toBe("completed");
  expect([readdirSync(claude), leftovers(project.root)]).toEqual([["pdf"], []]);
});

test("a folder of an agent that became a link since is named, and its journal is kept", async () => {
  const project = sandboxProject(temporaryDirectory());
  const claude = join(temporaryDirectory(), "skills");
  await unrecorded({ ...project, outside: [claude] }, claude);
  const dotfiles = join(claude, "../dotfiles");
  renameSync(claude, dotfiles);
  symlinkSync(dotfiles, claude);
  const error = await failureOf(recover({ ...project, outside: [claude] }));
  expect([error.code, error.message.includes(claude)]).toEqual(["target-refused", true]);
  rmSync(claude);
  renameSync(dotfiles, claude);
  expect(await recover({ ...project, outside: [claude] })).toBe("completed");
});

test("what was begun by one path of a project and a home is made good by another", async () => {
  const folder = temporaryDirectory();
  const alias = join(temporaryDirectory(), "alias");
  symlinkSync(folder, alias);
  const [real, aliased] = [sandboxProject(folder), sandboxProject(alias)];
  await unrecorded(aliased);
  expect(leftovers(real.root)).not.toEqual([]);
  expect([await recover(real), leftovers(real.root)]).toEqual(["completed", []]);
  expect([...lockOf(real).keys()]).toEqual(["pdf"]);
});

/** An install that died before it was recorded: everything is in place, and so is the journal. */
async function unrecorded(
  project: SandboxProject & { readonly outside?: readonly string[] },
  folder?: string,
): Promise<void> {
  const files = skillFiles("pdf", "1");
  const more: readonly LockedTarget[] =
    folder === undefined ? [] : [{ path: join(folder, "pdf"), how: "link" }];
  const entry = skillEntry("pdf", files, [{ path: ".agents/skills/pdf", how: "copy" }, ...more]);
  const audit = (): Promise<void> => Promise.reject(new Error("died"));
  const changes = [
    { kind: "put", record: recordOf("install", "pdf"), name: "pdf", files, entry, discardEdits: false },
  ] as const;
  await failureOf(commitChanges({ ...project, audit, changes }));
}

async function failureOf(work: Promise<unknown>): Promise<SkilletError> {
  return work.then(
    () => expect.fail("nothing was thrown"),
    (error: SkilletError) => error,
  );
}
