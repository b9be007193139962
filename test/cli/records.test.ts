import { appendFileSync, cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSkills, type Session } from "@skillet/core";
import { describe, expect, test } from "vitest";
import { decisionOf } from "../../packages/core/src/session/testing/unwrap.ts";
import { createSandbox, type Document, type Sandbox, skillText } from "./sandbox.ts";

interface RecordedRun extends Sandbox {
  readonly folder: string;
  readonly session: Session;
}

/** A run over one skill, `pdf`; every record is a second after the one before, across midnight. */
async function record(): Promise<RecordedRun> {
  const sandbox = createSandbox();
  sandbox.write(
    "skills/pdf/SKILL.md",
    "---\nname: pdf\ndescription: Fills forms.\nallowed-tools: Read\n---\nFill it.\n",
  );
  sandbox.write("skills/pdf/references/fields.md", "Fields.\n");
  sandbox.write("skills/greet/SKILL.md", skillText("greet"));
  const skills = await openSkills({
    workspace: sandbox.project,
    roots: [join(sandbox.root, "skills")],
    home: join(sandbox.home, ".skillet"),
    userHome: sandbox.home,
    environment: {},
    cacheDirectory: false,
  });
  const folder = join(sandbox.project, "runs/42");
  let now = Date.parse("2026-11-14T23:59:57Z");
  const clock = (): number => {
    now += 1000;
    return now;
  };
  const session = await skills.session({ interactive: true, records: folder, runId: "run-42", clock });
  return { ...sandbox, folder, session };
}

describe("records", () => {
  test("tells what happened in order: time, what, skill, outcome and reason", async () => {
    const run = await record();
    await run.session.activate("pdf", { source: "user", arguments: "tax.pdf" });
    await run.session.activate("pdf", { source: "model", arguments: "tax.pdf" });
    await run.session.read("pdf", "references/fields.md");
    await run.session.read("pdf", "../secret");
    await decisionOf(run.session.guard({ tool: "Bash", input: "rm -rf x" }));
    expect(await run.skillet(["records", "runs/42"])).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `2026-11-14 (UTC)
23:59:58  ✓ policy    default, interactive
                      2 skills from 1 root
23:59:59  ✓ activate  pdf  tax.pdf
                      asked by user

2026-11-15 (UTC)
00:00:00  ○ activate  pdf  tax.pdf
                      already loaded: asked by model
00:00:01  ✓ read      pdf  references/fields.md
00:00:02  ✗ read      pdf  ../secret
                      refused: resource-path-invalid: The path is empty,
                      absolute or leaves the skill; pass one relative to the
                      skill's folder.
00:00:03  ? tool      Bash rm -rf x
                      asked: pdf does not cover it: \`rm -rf x\` fits no rule; it
                      waits for approval

6 records, 1 asked, 1 refused
`,
    });
  });

  test("what a child did stands indented where it began, and in the document below its parent", async () => {
    const run = await record();
    const child = await run.session.fork({ skills: ["greet"], tools: [] });
    await child.activate("greet", { source: "parent" });
    await child.finish("Done.");
    const { stdout } = await run.skillet(["records", "runs/42"]);
    const lines = stdout.split("\n").map((line) => line.replace(/\d\d:\d\d:\d\d/, "TIME"));
    expect(lines.filter((line) => line.includes("TIME"))).toEqual([
      "TIME  ✓ policy  default, interactive",
      `TIME  ✓ fork    ${child.runId}`,
      "  TIME  ✓ policy    default, interactive",
      "  TIME  ✓ activate  greet",
      "  TIME  ✓ turn      ended",
      `TIME  ✓ fork    ${child.runId}`,
    ]);
    expect(stdout).toMatch(/\n6 records, 1 fork\n$/);
    const { exitCode, document } = await run.json(["records", "runs/42"]);
    expect(exitCode).toBe(0);
    expect(document).toMatchObject({
      schemaVersion: 1,
      runFolder: run.folder,
      events: [{ what: "policy" }, { what: "fork" }, { what: "fork" }],
      diagnostics: [],
      children: [
        {
          runId: child.runId,
          run: { events: [{ what: "policy" }, { what: "activate" }, { what: "turn" }], children: [] },
        },
      ],
    });
    rmSync(join(run.folder, "children"), { recursive: true });
    expect((await run.skillet(["records", "runs/42"])).stdout).toContain("\n  its records are not here\n");
  });

  test("no line is wider than the screen", async () => {
    const run = await record();
    await run.session.activate("pdf", { arguments: "word ".repeat(60) });
    await decisionOf(
      run.session.guard({
        tool: "Bash",
        input: `curl https://example.com/${"path/".repeat(30)}`,
      }),
    );
    for (const columns of [24, 40, 80, 120]) {
      const { stdout } = await run.skillet(["records", "runs/42"], {
        environment: { COLUMNS: String(columns) },
      });
      expect(stdout.split("\n").filter((line) => line.length > columns)).toEqual([]);
    }
  });

  test("a damaged line is shown with its number, everything else is told, and the answer is no", async () => {
    const run = await record();
    appendFileSync(join(run.folder, "journal.jsonl"), "not a record\n");
    const { exitCode, stdout } = await run.skillet(["records", "runs/42"]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("✓ policy");
    expect(stdout).toContain("\nDiagnostics\n  error journal-line-damaged\n");
    const { exitCode: again, document } = await run.json(["records", "runs/42"]);
    expect(again).toBe(1);
    expect(document.diagnostics).toEqual([
      expect.objectContaining({ code: "journal-line-damaged", line: 2 }),
    ]);
  });

  test("a folder without a run is answered with one beside it", async () => {
    const run = await record();
    const { exitCode, stderr } = await run.skillet(["records", "runs/43"]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: There is no run in .*runs\/43.*\n {2}Did you mean 42\?\n$/);
    const { document } = await run.json(["records", "runs/43"]);
    expect(document.error).toMatchObject({ code: "run-not-found", details: { suggestions: ["42"] } });
  });
});

describe("a hostile journal", () => {
  const depthOf = (run: Document): number =>
    1 +
    Math.max(0, ...run.children.map((child: Document) => (child.run === undefined ? 0 : depthOf(child.run))));

  test("that makes a run its own child is read to a bound", async () => {
    const run = await record();
    const child = await run.session.fork({ skills: [] });
    const folder = join(run.folder, "children", child.runId);
    rmSync(folder, { recursive: true });
    symlinkSync("../../42", folder);
    const { exitCode, document } = await run.json(["records", "runs/42"]);
    expect({ exitCode, depth: depthOf(document) }).toEqual({ exitCode: 0, depth: 9 });
  });

  test("cannot have other folders read by the name of a child", async () => {
    const run = await record();
    const child = await run.session.fork({ skills: [] });
    cpSync(run.folder, join(run.folder, "..", "other"), { recursive: true });
    const journal = join(run.folder, "journal.jsonl");
    writeFileSync(journal, readFileSync(journal, "utf8").replaceAll(child.runId, "../../other"));
    const { document } = await run.json(["records", "runs/42"]);
    expect(document.children).toEqual([{ runId: "../../other" }]);
  });

  test("reaches the terminal as visible marks alone", async () => {
    const run = await record();
    await run.session.read("pdf\x1b[2J", "x\x1b]0;owned\x07\u202e");
    await run.session.activate("evil\x9b2J\n✓ forged").catch(() => undefined);
    const { stdout } = await run.skillet(["records", "runs/42"]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(stdout).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
    expect(stdout).toContain("x␛]0;owned␇�");
    expect(stdout).not.toMatch(/^\s*✓ forged/m);
  });
});
