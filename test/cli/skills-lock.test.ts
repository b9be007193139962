import { existsSync, readdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createRepository, HAS_GIT } from "./git-repository.ts";
import { createSandbox, type Document, type Sandbox, skillText } from "./sandbox.ts";

const file = ({ project }: Sandbox): string => join(project, "skills-lock.json");
const listed = (sandbox: Sandbox): Document => JSON.parse(readFileSync(file(sandbox), "utf8")).skills;
const CHANGED = { "skills/deploy/SKILL.md": skillText("deploy", "Deploys, and more.") };

async function installed(...more: readonly string[]) {
  const sandbox = createSandbox();
  const repository = createRepository(sandbox);
  const names = ["--skill", "deploy", "--skill", "report"];
  const { exitCode } = await sandbox.json([
    "install",
    repository.url,
    ...names,
    "--project",
    "--yes",
    ...more,
  ]);
  expect(exitCode).toBe(0);
  return { sandbox, repository };
}

describe.skipIf(!HAS_GIT)("a skills-lock.json that was asked for", () => {
  test("stays in step with update, rollback and remove", async () => {
    const { sandbox, repository } = await installed("--skills-lock");
    const first = listed(sandbox);
    expect(Object.keys(first)).toEqual(["deploy", "report"]);
    repository.commit(CHANGED);
    expect((await sandbox.skillet(["update", "--project", "--yes"])).exitCode).toBe(0);
    expect(listed(sandbox).deploy.computedHash).not.toBe(first.deploy.computedHash);
    expect(listed(sandbox).report).toEqual(first.report);
    expect((await sandbox.skillet(["rollback", "deploy", "--project", "--yes"])).exitCode).toBe(0);
    expect(listed(sandbox).deploy.computedHash).toBe(first.deploy.computedHash);
    expect((await sandbox.skillet(["remove", "deploy", "--project", "--yes"])).exitCode).toBe(0);
    expect(listed(sandbox)).toEqual({ report: first.report });
    expect(readdirSync(sandbox.project)).not.toContain("skills-lock.json.lock");
  });

  test("is not made by an update, nor changed about what another tool has from elsewhere", async () => {
    const { sandbox, repository } = await installed();
    repository.commit(CHANGED);
    await sandbox.skillet(["update", "deploy", "--project", "--yes"]);
    expect(existsSync(file(sandbox))).toBe(false);
    const theirs = '{"version":1,"skills":{"deploy":{"source":"else/where","sourceType":"github"}}}';
    writeFileSync(file(sandbox), theirs);
    expect((await sandbox.skillet(["remove", "deploy", "--project", "--yes"])).exitCode).toBe(0);
    expect(readFileSync(file(sandbox), "utf8")).toBe(theirs);
  });

  test("keeps no change back where it cannot be read or is a link: that is told", async () => {
    const { sandbox } = await installed();
    writeFileSync(file(sandbox), "{");
    const removed = await sandbox.json(["remove", "deploy", "--project", "--yes"]);
    expect([removed.exitCode, removed.document.results[0].outcome]).toEqual([0, "removed"]);
    expect(removed.document.diagnostics).toMatchObject([{ code: "skills-lock-behind", severity: "warning" }]);
    expect(readFileSync(file(sandbox), "utf8")).toBe("{");
    const { sandbox: other } = await installed("--skills-lock");
    const elsewhere = other.write("elsewhere.json", readFileSync(file(other)));
    const before = readFileSync(elsewhere, "utf8");
    unlinkSync(file(other));
    symlinkSync(elsewhere, file(other));
    const { stderr } = await other.skillet(["remove", "deploy", "--project", "--yes"]);
    expect(stderr).toContain("does not follow this change");
    expect(readFileSync(elsewhere, "utf8")).toBe(before);
  });
});
