import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitChanges } from "../place/commit-changes.ts";
import { sandboxProject, skillEntry, skillFiles } from "../place/testing/sandbox-project.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { compareEdits } from "./compare-edits.ts";
import type { Drift } from "./drift.ts";
import { verifyEntry } from "./verify-entry.ts";

test("edits are shown, and never what a link in the folder leads to", async () => {
  const project = sandboxProject(temporaryDirectory());
  const files = skillFiles("pdf", "1");
  const entry = skillEntry("pdf", files);
  await commitChanges({
    ...project,
    changes: [{ kind: "put", name: "pdf", files, entry, discardEdits: false }],
  });
  const folder = join(project.root, ".agents/skills/pdf");
  const outside = temporaryDirectory();
  mkdirSync(join(outside, "references"));
  for (const name of ["key", "guide.md", "references/guide.md"])
    writeFileSync(join(outside, name), "SECRET\n");
  writeFileSync(join(folder, "SKILL.md"), "edited by hand\n");
  rmSync(join(folder, "scripts/run.sh"));
  symlinkSync(join(outside, "key"), join(folder, "scripts/run.sh"));
  symlinkSync(join(outside, "key"), join(folder, "extra.md"));
  const drift = await verifyEntry(project.root, "pdf", entry, { store: project.store });
  rmSync(join(folder, "references"), { recursive: true });
  symlinkSync(join(outside, "references"), join(folder, "references"));
  // As if the folder had been swapped for a link after it was verified.
  const late: Drift = {
    target: ".agents/skills/pdf",
    file: "references/guide.md",
    kind: "changed",
    message: "",
  };
  const shown = await compareEdits({
    root: project.root,
    entry,
    drift: [...drift, late],
    theirs: skillFiles("pdf", "2"),
    store: project.store,
  });
  expect(JSON.stringify(shown)).toContain("edited by hand");
  expect(JSON.stringify(shown)).not.toContain("SECRET");
});

test("a file that became too large to be compared is changed, and not removed", async () => {
  const project = sandboxProject(temporaryDirectory());
  const files = skillFiles("pdf", "1");
  const entry = skillEntry("pdf", files);
  await commitChanges({
    ...project,
    changes: [{ kind: "put", name: "pdf", files, entry, discardEdits: false }],
  });
  writeFileSync(join(project.root, ".agents/skills/pdf/SKILL.md"), Buffer.alloc(5 * 1024 * 1024, "x"));
  const drift = await verifyEntry(project.root, "pdf", entry, { store: project.store });
  const { root, store } = project;
  const shown = await compareEdits({ root, entry, drift, theirs: files, store });
  expect(shown).toEqual([{ path: "SKILL.md", here: "changed", there: "unchanged", conflict: false }]);
});
