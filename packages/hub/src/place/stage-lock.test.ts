import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SkilletError } from "@skillet/kit/errors";
import { expect, test } from "vitest";
import { MAX_LOCK_BYTES, readLock } from "../lock/read-lock.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { commitChanges } from "./commit-changes.ts";
import { leftovers, recordOf, sandboxProject, skillEntry, skillFiles } from "./testing/sandbox-project.ts";

test("a lock that would be too large to be read again is not written, and nothing is placed", async () => {
  const project = sandboxProject(temporaryDirectory());
  const text = `{ "lockVersion": 1, "skills": {}, "x": "${"y".repeat(MAX_LOCK_BYTES - 200)}" }`;
  writeFileSync(project.lockFile, text);
  const files = skillFiles("pdf", "1");
  const entry = skillEntry("pdf", files);
  const error: SkilletError = await commitChanges({
    ...project,
    changes: [
      { kind: "put", record: recordOf("install", "pdf"), name: "pdf", files, entry, discardEdits: false },
    ],
  }).then(
    () => expect.fail("nothing was thrown"),
    (thrown) => thrown,
  );
  expect([error.code, error.data.maxBytes]).toEqual(["lock-too-large", MAX_LOCK_BYTES]);
  expect(readFileSync(project.lockFile, "utf8") === text).toBe(true);
  expect((await readLock(project.lockFile)).skills.size).toBe(0);
  expect([existsSync(join(project.root, ".agents/skills/pdf")), leftovers(project.root)]).toEqual([
    false,
    [],
  ]);
});
