import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Document, type Sandbox, skillText } from "./sandbox.ts";

const auditRecords = (sandbox: Sandbox): Document[] => {
  const file = join(sandbox.home, ".skillet/audit.jsonl");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
};
const stateOf = async (sandbox: Sandbox, name: string): Promise<string> =>
  (await sandbox.json(["show", name])).document.skills[0].state;

function withPdf(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write("home/.skillet/skills/pdf/SKILL.md", skillText("pdf"));
  return sandbox;
}

describe.each([
  ["enable and disable", [] as string[]],
  ["manage enable and manage disable", ["manage"]],
])("%s", (_title, prefix) => {
  test("switch a skill, say which file changed, and are on record", async () => {
    const sandbox = withPdf();
    expect(await sandbox.skillet([...prefix, "disable", "pdf"])).toEqual({
      exitCode: 0,
      stdout: "○ pdf is disabled now (~/.skillet/config.yaml).\n  To undo this:\n    skillet enable pdf\n",
      stderr: "",
    });
    expect(await stateOf(sandbox, "pdf")).toBe("disabled");
    expect(await sandbox.skillet([...prefix, "enable", "pdf"])).toEqual({
      exitCode: 0,
      stdout: "✓ pdf is enabled now.\n",
      stderr: "",
    });
    expect(await stateOf(sandbox, "pdf")).toBe("enabled");
    const records = auditRecords(sandbox);
    expect(records.map(({ action, skill, decision }) => [action, skill, decision])).toEqual([
      ["disable", "pdf", "allow"],
      ["enable", "pdf", "allow"],
    ]);
    expect(records[1]?.previous).toBe(records[0]?.hash);
  });

  test("doing it twice changes nothing and records nothing", async () => {
    const sandbox = withPdf();
    await sandbox.skillet([...prefix, "disable", "pdf"]);
    expect(await sandbox.skillet([...prefix, "disable", "pdf"])).toEqual({
      exitCode: 0,
      stdout: "○ pdf is already disabled; nothing was changed.\n",
      stderr: "",
    });
    expect(auditRecords(sandbox)).toHaveLength(1);
  });
});

describe("enable and disable", () => {
  test("one unknown name among several leaves all of them alone", async () => {
    const sandbox = withPdf();
    const { exitCode, stderr } = await sandbox.skillet(["disable", "pdf", "pdff"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: "error: There is no skill 'pdff'.\n  Did you mean pdf?\n",
    });
    expect(existsSync(join(sandbox.home, ".skillet/config.yaml"))).toBe(false);
    expect(auditRecords(sandbox)).toEqual([]);
  });

  test("a skill that still lacks something says so", async () => {
    const sandbox = createSandbox();
    const text = "---\nname: needs\ndescription: Needs it.\nmetadata:\n  requires: no-such-tool-here\n---\n";
    sandbox.write("home/.skillet/skills/needs/SKILL.md", text);
    await sandbox.skillet(["disable", "needs"]);
    const { exitCode, stdout } = await sandbox.skillet(["enable", "needs"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("It is not offered yet (unavailable): missing commands: no-such-tool-here");
  });

  test("a skill that was disabled by its folder can be enabled", async () => {
    const sandbox = withPdf();
    const text = "skills:\n  overrides:\n    ~/.skillet/skills/pdf: { enabled: false }\n";
    const config = sandbox.write("home/.skillet/config.yaml", text);
    expect(await stateOf(sandbox, "pdf")).toBe("disabled");
    expect(await sandbox.skillet(["enable", "pdf"])).toEqual({
      exitCode: 0,
      stdout: "✓ pdf is enabled now.\n",
      stderr: "",
    });
    expect(await stateOf(sandbox, "pdf")).toBe("enabled");
    expect(existsSync(config)).toBe(false);
  });

  test("of two skills of one name in one scope, the one that is meant is switched", async () => {
    const sandbox = withPdf();
    sandbox.write("home/.claude/skills/pdf/SKILL.md", skillText("pdf", "Another one."));
    const states = async (): Promise<Document> =>
      (await sandbox.json(["show", "--search", "pdf"])).document.skills.map(({ path, state }: Document) => [
        path.slice(sandbox.home.length + 1),
        state,
      ]);
    const own = ".skillet/skills/pdf/SKILL.md";
    const other = ".claude/skills/pdf/SKILL.md";
    await sandbox.skillet(["disable", join(sandbox.home, other), "--yes"]);
    expect(await states()).toEqual([
      [own, "enabled"],
      [other, "disabled"],
    ]);
    await sandbox.skillet(["enable", join(sandbox.home, other)]);
    await sandbox.skillet(["disable", join(sandbox.home, own)]);
    expect(await states()).toEqual([
      [other, "enabled"],
      [own, "disabled"],
    ]);
  });

  test("of two skills of one name, the one that still has it is named, and enabling the name enables both", async () => {
    const sandbox = withPdf();
    sandbox.write("home/.claude/skills/pdf/SKILL.md", skillText("pdf", "Another one."));
    const run = async (...args: string[]): Promise<string> =>
      (await sandbox.skillet(args, { environment: { COLUMNS: "200" } })).stdout;
    expect(await run("disable", join(sandbox.home, ".skillet/skills/pdf"))).toBe(
      [
        "○ pdf is disabled now (~/.skillet/config.yaml).",
        "  To undo this:",
        "    skillet enable ~/.skillet/skills/pdf",
        "  Another skill called pdf lies in ~/.claude/skills/pdf: Claude Code still loads it. To stop that: skillet disable pdf",
        "",
      ].join("\n"),
    );
    expect(await run("enable", "pdf")).toBe("✓ pdf is enabled now.\n");
    expect(existsSync(join(sandbox.home, ".skillet/config.yaml"))).toBe(false);
  });

  test("a project's skill that is disabled by its name is disabled in that project alone", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/.skillet/skills/deploy/SKILL.md", skillText("deploy"));
    const { stdout } = await sandbox.skillet(["disable", "deploy"], { environment: { COLUMNS: "200" } });
    expect(stdout).toBe(
      [
        "○ deploy is disabled now (~/.skillet/config.yaml).",
        "  To undo this:",
        "    skillet enable deploy",
        "",
      ].join("\n"),
    );
  });

  test("a project's skill is enabled whole or not at all from another folder, which is told where it is", async () => {
    const sandbox = createSandbox();
    const file = sandbox.write("project/.codex/skills/deploy/SKILL.md", skillText("deploy"));
    const settings = sandbox.write("home/.codex/config.toml", "");
    await sandbox.skillet(["disable", "deploy", "--yes"]);
    const before = [".skillet/config.yaml", ".codex/config.toml"].map((path) =>
      readFileSync(join(sandbox.home, path), "utf8"),
    );
    const enabled = await sandbox.skillet(["enable", "deploy"], { workingDirectory: sandbox.home });
    expect(enabled.exitCode).toBe(1);
    expect(enabled.stdout).toContain(`skillet enable deploy --workspace ${dirname(file)}\n`);
    const after = [".skillet/config.yaml", ".codex/config.toml"].map((path) =>
      readFileSync(join(sandbox.home, path), "utf8"),
    );
    expect(after).toEqual(before);
    await sandbox.skillet(["enable", "deploy", "--workspace", dirname(file)], {
      workingDirectory: sandbox.home,
    });
    expect(readFileSync(settings, "utf8")).toBe("");
  });

  test("a skill that is named by its path is disabled alone", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/.skillet/skills/deploy/SKILL.md", skillText("deploy"));
    sandbox.write("other/.git/HEAD", "");
    sandbox.write("other/.skillet/skills/deploy/SKILL.md", skillText("deploy", "Another project's."));
    const states = async (): Promise<string[]> => {
      const other = await sandbox.json(["show", "deploy"], { workingDirectory: join(sandbox.root, "other") });
      return [await stateOf(sandbox, "deploy"), other.document.skills[0].state];
    };
    const { stdout } = await sandbox.skillet(["disable", ".skillet/skills/deploy"]);
    expect(stdout).toMatch(
      /^○ deploy is disabled now \(~\/\.skillet\/config\.yaml\)\.\n {2}To undo this:\n {4}skillet enable \S+\n$/,
    );
    expect(await states()).toEqual(["disabled", "untrusted"]);
    await sandbox.skillet(["enable", "deploy"]);
    await sandbox.skillet(["disable", "deploy"]);
    expect(await states()).toEqual(["disabled", "untrusted"]);
  });

  test("what another config decides is not said to be done", async () => {
    const sandbox = withPdf();
    const { exitCode, stdout } = await sandbox.skillet(["enable", "pdf"], {
      environment: { SKILLET_DISABLED: "pdf", COLUMNS: "200" },
    });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout:
        "! pdf is still disabled: disabled by SKILLET_DISABLED.\n  To enable it:\n    unset SKILLET_DISABLED\n",
    });
    expect(existsSync(join(sandbox.home, ".skillet/config.yaml"))).toBe(false);
  });

  test("a project's config that is not read yet is not said to disable", async () => {
    const sandbox = withPdf();
    const environment = { COLUMNS: "400" };
    const file = `${sandbox.project}/.skillet/config.yaml`;
    const shown = `  Skillet: ${file} disables pdf, for everyone who works on the project\n`;
    const unasked = await sandbox.skillet(["disable", "pdf", "--project"], { environment });
    expect([unasked.exitCode, unasked.stdout, existsSync(file)]).toEqual([2, shown, false]);
    const { exitCode, stdout } = await sandbox.skillet(["disable", "pdf", "--project", "--yes"], {
      environment,
    });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: `${shown}! ${sandbox.project}/.skillet/config.yaml disables pdf, but it is still enabled: the folder has to be trusted first: skillet trust\n  To undo this:\n    skillet enable pdf --project\n`,
    });
  });

  test("comments in the config stay", async () => {
    const sandbox = withPdf();
    const config = sandbox.write(
      "home/.skillet/config.yaml",
      "# mine\nskills:\n  scriptTimeout: 5000 # short\n",
    );
    await sandbox.skillet(["disable", "pdf"]);
    const text = readFileSync(config, "utf8");
    expect(text).toContain("# mine\n");
    expect(text).toContain("scriptTimeout: 5000 # short\n");
  });

  test("a list in the config that enable empties is taken away", async () => {
    const sandbox = withPdf();
    const config = sandbox.write("home/.skillet/config.yaml", "skills:\n  scriptTimeout: 5000\n");
    await sandbox.skillet(["disable", "gh"]);
    expect(readFileSync(config, "utf8")).toContain("disabledBundled:\n    - gh\n");
    await sandbox.skillet(["enable", "gh"]);
    expect(readFileSync(config, "utf8")).toBe("skills:\n  scriptTimeout: 5000\n");
  });

  test("a project's config can disable, once the folder is trusted", async () => {
    const sandbox = withPdf();
    await sandbox.skillet(["trust", "--yes"]);
    const { exitCode, document } = await sandbox.json(["disable", "pdf", "--project", "--yes"]);
    expect(exitCode).toBe(0);
    expect(document.results).toEqual([
      {
        name: "pdf",
        qualifiedName: "pdf",
        outcome: "disabled",
        state: "disabled",
        reason: expect.stringContaining(join(sandbox.project, ".skillet/config.yaml")),
        file: join(sandbox.project, ".skillet/config.yaml"),
        agents: [],
      },
    ]);
    const enabled = await sandbox.skillet(["enable", "pdf"]);
    expect(enabled.exitCode).toBe(1);
    expect(enabled.stdout).toContain("skillet enable pdf --project\n");
    expect(existsSync(join(sandbox.home, ".skillet/config.yaml"))).toBe(false);
  });

  test.each([[[] as string[]], [["manage"]]])(
    "skillet %s enable --project takes back what the project disables, and nothing else",
    async (prefix) => {
      const sandbox = withPdf();
      await sandbox.skillet(["trust", "--yes"]);
      const project = (
        action: string,
      ): Promise<{ exitCode: number | null; stdout: string; stderr: string }> =>
        sandbox.skillet([...prefix, action, "pdf", "--project", "--yes"], {
          environment: { COLUMNS: "400" },
        });
      const file = join(sandbox.project, ".skillet/config.yaml");
      expect((await project("disable")).stdout).toContain(`○ pdf is disabled now (${file}).\n`);
      expect(await project("enable")).toEqual({
        exitCode: 0,
        stdout: "✓ pdf is enabled now.\n",
        stderr: "",
      });
      expect(existsSync(join(sandbox.project, ".skillet"))).toBe(false);
      const dry = await sandbox.skillet([...prefix, "disable", "pdf", "--project", "--dry-run"]);
      expect(dry.stdout.replace(/\s+/g, " ")).toContain(".skillet/config.yaml disables pdf, for everyone");
      expect((await project("enable")).stdout).toBe("✓ pdf is already enabled; nothing was changed.\n");
      await sandbox.skillet(["disable", "pdf"]);
      const refused = await project("enable");
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain("A project's configuration cannot enable pdf");
    },
  );

  test("--project of manage goes with enable and disable only", async () => {
    expect((await createSandbox().skillet(["manage", "list", "--project"])).exitCode).toBe(2);
  });

  test("a log that cannot be written stops the change", async () => {
    const sandbox = withPdf();
    sandbox.write("home/.skillet/audit.jsonl/in-the-way", "");
    const run = await sandbox.skillet(["disable", "pdf"]);
    expect(run.exitCode).toBe(2);
    expect(await stateOf(sandbox, "pdf")).toBe("enabled");
  });
});

describe("manage", () => {
  test("without an action it says which there are", async () => {
    const { exitCode, stdout } = await createSandbox().skillet(["manage"]);
    expect(exitCode).toBe(0);
    for (const action of ["enable", "disable", "list"]) expect(stdout).toContain(`skillet manage ${action}`);
  });

  test("list shows what is installed as a plugin", async () => {
    const sandbox = withPdf();
    sandbox.write("home/.skillet/plugins/installed/SKILL.md", skillText("installed"));
    const { document } = await sandbox.json(["manage", "list"]);
    expect(document.skills.map(({ name, scope }: Document) => [name, scope])).toEqual([
      ["installed", "plugin"],
    ]);
  });

  test.each([[["manage", "remove"]], [["manage", "enable"]]])("%s is wrong use", async (args) => {
    expect((await createSandbox().skillet(args)).exitCode).toBe(2);
  });
});
