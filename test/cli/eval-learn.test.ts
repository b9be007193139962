import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSkills } from "@skillet/core";
import { describe, expect, test } from "vitest";
import { createSandbox, HAS_TERMINAL, onTerminal, type Sandbox, skillText } from "./sandbox.ts";

if (!HAS_TERMINAL) console.warn("skipped: questions on a terminal, because there is no `script` to make one");

/** A user with two skills, and conversations in which one of them was wrong. */
async function record(options: { readonly runs: string; readonly conversations?: number }): Promise<Sandbox> {
  const sandbox = createSandbox();
  sandbox.write("home/.skillet/skills/pdf-forms/SKILL.md", skillText("pdf-forms", "Fills in PDF forms."));
  sandbox.write("home/.skillet/skills/podcast/SKILL.md", skillText("podcast", "Edits podcasts."));
  const skills = await openSkills({
    workspace: sandbox.project,
    home: join(sandbox.home, ".skillet"),
    userHome: sandbox.home,
    environment: {},
    bundledDirectory: false,
    cacheDirectory: false,
  });
  for (let run = 0; run < (options.conversations ?? 6); run += 1) {
    const session = await skills.session({
      records: join(sandbox.root, options.runs, String(run)),
      runId: `run-${run}`,
      recordMessages: true,
    });
    const message = `fill in the form for part ${run}`;
    await session.outcome({ skill: "pdf-forms", outcome: "wrong", message });
    await session.turn().end();
  }
  return sandbox;
}

const fileOf = (sandbox: Sandbox): string => join(sandbox.home, ".skillet", "selection.yaml");

describe("eval learn", () => {
  test("shows what would change, and writes on a yes", async () => {
    const sandbox = await record({ runs: "home/.skillet/runs" });
    const looked = await sandbox.skillet(["eval", "learn", "--dry-run"]);
    expect(looked.exitCode).toBe(0);
    expect(looked.stdout).toMatch(/^6 runs read, with 6 outcomes of skills\.$/m);
    expect(looked.stdout).toMatch(/^pdf-forms\n {2}\+ origin: local\n/m);
    expect(looked.stdout).toMatch(/^ {2}\+ wrong: 6\n {2}\+ threshold: 1\.39$/m);
    expect(looked.stdout).toMatch(/^1 skill changed: 1 would be offered less often\.$/m);
    expect(existsSync(fileOf(sandbox))).toBe(false);

    const written = await sandbox.skillet(["eval", "learn", "--yes"]);
    expect(written).toMatchObject({ exitCode: 0, stderr: "" });
    expect(written.stdout).toMatch(/Written to ~\/\.skillet\/selection\.yaml\.\n$/);
    expect(readFileSync(fileOf(sandbox), "utf8")).toContain("    wrong: 6\n    threshold: 1.39\n");

    const again = await sandbox.skillet(["eval", "learn", "--yes"]);
    expect(again.stdout).toContain("Nothing new was learned.");
  });

  test("never writes without a yes: not without a terminal, and not into a document", async () => {
    const sandbox = await record({ runs: "home/.skillet/runs" });
    const asked = await sandbox.skillet(["eval", "learn"]);
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain(
      "Nothing was written: this needs confirmation, and there is no terminal to ask on.",
    );
    const { document } = await sandbox.json(["eval", "learn"]);
    expect(document.error).toMatchObject({ code: "confirmation-needed", details: { skills: ["pdf-forms"] } });
    expect(existsSync(fileOf(sandbox))).toBe(false);
    const dry = await sandbox.json(["eval", "learn", "--dry-run"]);
    expect(dry.document).toMatchObject({
      file: fileOf(sandbox),
      written: false,
      changes: [{ name: "pdf-forms", after: { wrong: 6, threshold: 1.39 } }],
      diagnostics: [],
    });
    expect(dry.document.runs.length).toBe(6);
  });

  test.skipIf(!HAS_TERMINAL)("asks on a terminal, and a no changes nothing", async () => {
    const sandbox = await record({ runs: "home/.skillet/runs" });
    const no = await onTerminal(sandbox, ["eval", "learn"], "n\n");
    expect(no.exitCode).toBe(1);
    expect(no.screen).toContain("Nothing was written.");
    expect(existsSync(fileOf(sandbox))).toBe(false);
    const yes = await onTerminal(sandbox, ["eval", "learn"], "y\n");
    expect(yes.exitCode).toBe(0);
    expect(existsSync(fileOf(sandbox))).toBe(true);
  });

  test("does not read the runs of a project that nobody trusts, unless they are named", async () => {
    const sandbox = await record({ runs: "project/.skillet/runs" });
    const silent = await sandbox.skillet(["eval", "learn", "--yes"]);
    expect(silent.stdout).toContain("0 runs read");
    expect(silent.stdout.replaceAll("\n", " ")).toContain("because it is not trusted");
    const named = await sandbox.skillet(["eval", "learn", "--yes", "--runs", ".skillet/runs"]);
    expect(named.stdout).toContain("6 runs read");
    expect(existsSync(fileOf(sandbox))).toBe(true);
  });

  test("takes no words besides its options", async () => {
    const { exitCode, stderr } = await createSandbox().skillet(["eval", "learn", "foo"]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: Too many arguments.*\n {2}See: skillet help eval learn\n$/);
  });

  test("leaves out what is older than it is told to", async () => {
    const sandbox = await record({ runs: "home/.skillet/runs" });
    const { document } = await sandbox.json(["eval", "learn", "--dry-run", "--since", "2999-01-01"]);
    expect(document).toMatchObject({ changes: [], tooFew: [] });
    const odd = await sandbox.skillet(["eval", "learn", "--since", "yesterday"]);
    expect(odd).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test("refuses a folder without runs, and a file that it does not understand", async () => {
    const sandbox = await record({ runs: "home/.skillet/runs" });
    const nowhere = await sandbox.json(["eval", "learn", "--runs", "nowhere"]);
    expect(nowhere.exitCode).toBe(1);
    expect(nowhere.document.error.code).toBe("run-not-found");
    writeFileSync(fileOf(sandbox), "skills:\n  pdf-forms: { threshold: high }\n");
    const broken = await sandbox.skillet(["eval", "learn", "--yes"]);
    expect(broken.exitCode).toBe(1);
    expect(broken.stderr).toContain("selection.yaml:2:");
    expect(readFileSync(fileOf(sandbox), "utf8")).toContain("high");
  });

  test("says which lines of a file by hand would not stay", async () => {
    const sandbox = await record({ runs: "home/.skillet/runs" });
    writeFileSync(
      fileOf(sandbox),
      "skills:\n  # Anna's\n  podcast: { threshold: 1, note: hers, keep: true }\n",
    );
    const { stdout } = await sandbox.skillet(["eval", "learn", "--yes"]);
    expect(stdout).toContain("  - # Anna's\n");
    expect(readFileSync(fileOf(sandbox), "utf8")).toMatch(
      / {2}podcast:\n(?: {4}.*\n)*? {4}note: "hers"\n {4}keep: true\n/,
    );
  });
});
