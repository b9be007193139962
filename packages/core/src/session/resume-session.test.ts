import { cpSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import { openFolder, openSession } from "./testing/open-session.ts";

let base: string;
let folder: string;
let runFolder: string;
beforeEach(async () => {
  base = temporaryDirectory();
  folder = writeTree(join(base, "skills"), {
    "pdf/SKILL.md": skillText("pdf"),
    "pdf/references/fields.md": "Fields.",
  });
  const session = await openSession(folder);
  runFolder = session.runFolder;
  await session.activate("pdf", { arguments: "a" });
  await session.endTurn();
});

const CHANGES: readonly (readonly [string, string, () => void])[] = [
  [
    "a changed body",
    "run-body-changed",
    () => writeFileSync(join(folder, "pdf/SKILL.md"), skillText("pdf", "New.")),
  ],
  [
    "a changed file",
    "run-resource-changed",
    () => writeFileSync(join(folder, "pdf/references/fields.md"), "New."),
  ],
  ["a skill that is gone", "run-skill-gone", () => rmSync(join(folder, "pdf"), { recursive: true })],
  ["a root that moved", "run-root-moved", moveRoot],
  [
    "a damaged artefact",
    "run-artefact-damaged",
    () => writeFileSync(join(runFolder, "skill-activations.json"), "{"),
  ],
];

function moveRoot(): void {
  cpSync(folder, join(base, "moved"), { recursive: true });
  rmSync(folder, { recursive: true });
  renameSync(join(base, "moved"), join(base, "elsewhere"));
  folder = join(base, "elsewhere");
}

test("an unchanged run goes on, and what it had loaded is not loaded twice", async () => {
  const { session, reactivated, diagnostics } = await (await openFolder(folder)).resume(runFolder);
  expect({ reactivated, diagnostics, runId: session.runId }).toEqual({
    reactivated: [],
    diagnostics: [],
    runId: "run-1",
  });
  expect((await session.activate("pdf", { arguments: "a" })).duplicate).toBe(true);
  expect((await session.activate("pdf", { arguments: "b" })).duplicate).toBe(false);
});

describe("fails with a code of its own, in batch whatever was asked for", () => {
  test.each(CHANGES)("%s: %s", async (_, code, change) => {
    change();
    const skills = await openFolder(folder);
    await expect(skills.resume(runFolder, { interactive: true })).rejects.toMatchObject({ code });
    await expect(skills.resume(runFolder, { onDrift: "warn" })).rejects.toMatchObject({ code });
  });
});

test("with reload, a changed skill is loaded anew, with the arguments that it had", async () => {
  writeFileSync(join(folder, "pdf/SKILL.md"), skillText("pdf", "New."));
  const skills = await openFolder(folder);
  const { reactivated } = await skills.resume(runFolder, { interactive: true, onDrift: "reload" });
  expect(reactivated).toMatchObject([{ name: "pdf", duplicate: false }]);
  expect(reactivated[0]?.text).toContain("ARGUMENTS: a");
});

test("with warn, it goes on, says so, and gives the new text when it is asked for", async () => {
  writeFileSync(join(folder, "pdf/SKILL.md"), skillText("pdf", "New."));
  const skills = await openFolder(folder);
  const { session, diagnostics } = await skills.resume(runFolder, { interactive: true, onDrift: "warn" });
  expect(diagnostics).toMatchObject([{ code: "run-body-changed" }]);
  expect((await session.activate("pdf", { arguments: "a" })).duplicate).toBe(false);
});

test("a run that is not there is said not to be", async () => {
  await expect((await openFolder(folder)).resume(join(base, "nowhere"))).rejects.toMatchObject({
    code: "run-not-found",
  });
});
