import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { baselineKeys } from "./read-scan-inputs.ts";

function repository(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-baseline-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ["repo/skills/pdf", "repo/ci", "elsewhere"])
    mkdirSync(join(root, folder), { recursive: true });
  symlinkSync(join(root, "repo"), join(root, "link"));
  symlinkSync(join(root, "elsewhere"), join(root, "repo/skills/linked"));
  return root;
}

test.each([
  ["repo", "skills/pdf"],
  ["repo", "./skills/pdf/"],
  ["repo/skills", "pdf"],
  ["repo/skills/pdf", "."],
  ["repo/ci", "../skills/pdf"],
  ["link", "skills/pdf"],
])("from %s, %s is the same skill of the baseline", (workspace, path) => {
  const root = repository();
  expect(baselineKeys(join(root, "repo/known.json"), join(root, workspace))(path)).toBe("skills/pdf");
});

test("paths go from the folder of the file, and a skill that is a link goes by the link", () => {
  const root = repository();
  const keyOf = baselineKeys(join(root, "repo/ci/known.json"), join(root, "repo"));
  expect([keyOf("skills/pdf"), keyOf("skills/linked"), keyOf("ci")]).toEqual([
    "../skills/pdf",
    "../skills/linked",
    ".",
  ]);
});
