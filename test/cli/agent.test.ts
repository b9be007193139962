import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveAgentModel } from "../agent/scripted-chat.ts";
import type { StreamStep } from "../agents/serve-stream.ts";
import { createSandbox, LAUNCHER, type Sandbox, skillText } from "./sandbox.ts";

const NOTES = `---
name: notes
description: Writes release notes from a list of changes.
allowed-tools: Read, run_skill_script
---
Read references/style.md, then count the changes with scripts/count.sh.
`;

function createMachine(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write("skills/notes/SKILL.md", NOTES);
  sandbox.write("skills/notes/references/style.md", "Short lines.\n");
  sandbox.write("skills/notes/scripts/count.sh", "#!/bin/bash\nwc -l < changes.md\n");
  sandbox.write("skills/review/SKILL.md", skillText("review"));
  sandbox.write("project/changes.md", "- PDF\n- Dark mode\n");
  sandbox.write("project/docs/guide.md", "# Guide\n");
  return sandbox;
}

async function start(protocol: "anthropic" | "openai", steps: readonly StreamStep[]) {
  const sandbox = createMachine();
  const model = await serveAgentModel(protocol, steps);
  onTestFinished(() => model.close());
  const root = ["--skills-root", join(sandbox.root, "skills")];
  const run = (...args: readonly string[]) =>
    sandbox.skillet(["agent", ...args, ...root], { environment: model.environment });
  const document = async (...args: readonly string[]) =>
    (await sandbox.json(["agent", ...args, ...root], { environment: model.environment })).document;
  return { sandbox, model, run, document };
}

const call = (name: string, input: unknown) => [{ name, input }];

describe.each(["anthropic", "openai"] as const)(
  "an agent whose model speaks the protocol of %s",
  (protocol) => {
    test("sees the catalogue, loads a skill, reads its file, runs its script, and is refused what the skill does not cover", async () => {
      const { model, document } = await start(protocol, [
        call("load_skill", { name: "notes" }),
        call("read_skill_resource", { skill: "notes", path: "references/style.md" }),
        call("run_skill_script", { skill: "notes", path: "scripts/count.sh" }),
        call("Write", { file_path: "notes.md", content: "PDF" }),
        "Two changes.",
      ]);
      const allowed = ["--allow-tool", "run_skill_script", "--allow-skill-script", "notes:scripts/count.sh"];
      const { text, run, tokens } = await document(
        "Count them.",
        "--no-color",
        "--allow-tool",
        "Write",
        ...allowed,
      );
      expect(text).toBe("Two changes.");
      expect(tokens.output).toBe(25);
      expect(model.requests[0]?.text).toContain("Writes release notes");
      const results = model.requests.at(-1)?.results ?? [];
      expect(results[0]).toContain("count the changes with");
      expect(results[1]).toContain("Short lines.");
      expect(results[2]).toContain("2");
      expect(results[3]).toContain("notes does not cover it");
      const journal = readFileSync(join(run, "journal.jsonl"), "utf8");
      for (const word of ["notes", "references/style.md", "scripts/count.sh", "tool-deny"])
        expect(journal).toContain(word);
    });
  },
);

describe("the options of the agent", () => {
  test("--skill loads skills in order, each once; --no-skill-catalog leaves the list out", async () => {
    const { model, document } = await start("openai", ["ok"]);
    await document(
      "--prompt",
      "go",
      "--skill",
      "review",
      "--skill",
      "notes",
      "--skill",
      "review",
      "--no-skill-catalog",
    );
    const { text = "" } = model.requests[0] ?? {};
    expect([...text.matchAll(/name=\\"(\w+)\\"/g)].map(([, name]) => name)).toEqual(["review", "notes"]);
    expect(text).not.toContain("available_skills");
  });

  test("--allow-skill-script without --allow-tool run_skill_script is a mistake, and says so", async () => {
    const { run } = await start("openai", []);
    const { exitCode, stderr } = await run("go", "--allow-skill-script", "notes:scripts/count.sh");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--allow-tool run_skill_script");
  });

  test("--cwd is where relative paths start, inside the workspace", async () => {
    const { model, run } = await start("openai", [call("Read", { file_path: "guide.md" }), "ok"]);
    await run("go", "--cwd", "docs");
    expect(model.requests[1]?.results[0]).toContain("# Guide");
    expect((await run("go", "--cwd", "..")).exitCode).not.toBe(0);
  });

  test("--workspace is the folder that it works in", async () => {
    const { model, run, sandbox } = await start("openai", [call("Read", { file_path: "guide.md" }), "ok"]);
    await run("go", "--workspace", join(sandbox.project, "docs"));
    expect(model.requests[1]?.results[0]).toContain("# Guide");
  });

  test("--mode plan has no tool that changes anything", async () => {
    const { model, run } = await start("openai", ["ok"]);
    await run("go", "--mode", "plan");
    expect(model.requests[0]?.tools).toContain("Read");
    for (const tool of ["Write", "Edit", "Bash"]) expect(model.requests[0]?.tools).not.toContain(tool);
  });

  test("a command runs in the workspace once it is allowed; another one is refused without a person", async () => {
    const { model, run } = await start("openai", [
      [
        { name: "Bash", input: { command: "wc -l changes.md" } },
        { name: "Bash", input: { command: "rm changes.md" } },
      ],
      "ok",
    ]);
    const { stdout } = await run("go", "--allow-tool", "Bash(wc:*)");
    expect(stdout).toBe("ok\n");
    expect(model.requests[1]?.results[0]).toContain("2 changes.md");
    expect(model.requests[1]?.results[1]).toContain("there is no one to ask");
  });

  test("without a model it says what to set; a recorded conversation is played again with real tools", async () => {
    const { sandbox, run, model } = await start("openai", [
      call("Read", { file_path: "changes.md" }),
      "Two.",
    ]);
    const none = await sandbox.skillet(["agent", "go"]);
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toContain("ANTHROPIC_API_KEY and ANTHROPIC_MODEL");
    await run("go", "--records", "run");
    const recorded = join(sandbox.project, "run/conversation.jsonl");
    sandbox.write("project/changes.md", "- One\n");
    const again = await sandbox.json(["agent", "--replay", recorded, "--records", "again"]);
    expect(again.document.text).toBe("Two.");
    expect(readFileSync(join(sandbox.project, "again/conversation.jsonl"), "utf8")).toContain("- One");
    expect(model.requests).toHaveLength(2);
  });

  test.each([
    [401, '{"error":{"message":"Bad key test-key-123456"}}', "refused the key (401). Check the key"],
    [429, '{"error":{"message":"slow down"}}', "too many requests (429). Wait"],
    [500, '{"error":{"message":"out of memory"}}', "failed (500): out of memory. Go on later"],
  ])(
    "a model's server that answers %i is named, with what to do and without the key",
    async (status, body, said) => {
      const sandbox = createMachine();
      const server = createServer((_request, response) => {
        response.writeHead(status, { "content-type": "application/json", "retry-after-ms": "1" }).end(body);
      }).listen(0, "127.0.0.1");
      onTestFinished(() => void server.close());
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const environment = {
        OPENAI_BASE_URL: `http://127.0.0.1:${port}`,
        OPENAI_MODEL: "m",
        OPENAI_API_KEY: "test-key-123456",
      };
      const { stderr, exitCode } = await sandbox.skillet(["agent", "go"], { environment });
      expect(stderr.replaceAll(/\s+/g, " ")).toContain(said);
      expect(stderr).not.toMatch(/test-key-123456|unexpected/);
      expect(exitCode).toBe(2);
    },
  );

  test("after kill -9 --resume goes on from the last whole step", async () => {
    let killed: (() => void) | undefined;
    const { sandbox, model, run } = await start("openai", [
      call("load_skill", { name: "review" }),
      () => {
        killed?.();
        return "never read";
      },
      "Going on.",
    ]);
    const args = [LAUNCHER, "agent", "begin", "--skills-root", join(sandbox.root, "skills")];
    const environment = {
      HOME: sandbox.home,
      PATH: process.env.PATH,
      SKILLET_HOME: join(sandbox.home, ".skillet"),
    };
    const child = spawn(process.execPath, args, {
      cwd: sandbox.project,
      env: { ...environment, ...model.environment },
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    killed = () => child.kill("SIGKILL");
    expect((await ended)[1]).toBe("SIGKILL");
    const [folder = ""] = readdirSync(join(sandbox.home, ".skillet/runs"));
    expect(existsSync(join(sandbox.home, ".skillet/runs", folder, "conversation.jsonl"))).toBe(true);
    const { stdout, exitCode } = await run("and now", "--resume", "last");
    expect([stdout, exitCode]).toEqual(["Going on.\n", 0]);
    expect(model.requests[2]?.results[0]).toContain("Do it.");
    expect((await run("x", "--resume", "nope")).stderr).toContain("no conversation nope");
  });
});
