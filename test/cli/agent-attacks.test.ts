import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openTranscript } from "@skillet/agent";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveAgentModel } from "../agent/scripted-chat.ts";
import type { StreamStep } from "../agents/serve-stream.ts";
import { createSandbox, type Sandbox, skillText } from "./sandbox.ts";

const call = (name: string, input: unknown) => [{ name, input }];
const COUNT = "#!/bin/bash\necho counted\n";

async function start(steps: readonly StreamStep[], sandbox: Sandbox = createSandbox()) {
  sandbox.write("skills/notes/SKILL.md", skillText("notes", "Writes release notes from a list of changes."));
  sandbox.write("skills/notes/scripts/count.sh", COUNT);
  sandbox.write("skills/notes/scripts/other.sh", COUNT);
  sandbox.write("skills/review/SKILL.md", skillText("review", "Reviews pull requests for security faults."));
  sandbox.write("project/changes.md", "- PDF\n- Dark mode\n");
  const model = await serveAgentModel("openai", steps);
  onTestFinished(() => model.close());
  const root = ["--skills-root", join(sandbox.root, "skills")];
  const run = (...args: readonly string[]) =>
    sandbox.skillet(["agent", ...args, ...root], { environment: model.environment });
  return { sandbox, model, run };
}

describe("an agent that is attacked", () => {
  test("a second process is refused a conversation that the first still has; afterwards it is not", async () => {
    const { sandbox, model, run } = await start(["begun", "first", "later"]);
    await run("begin");
    const [name = ""] = readdirSync(join(sandbox.home, ".skillet/runs"));
    const conversation = join(sandbox.home, ".skillet/runs", name, "conversation.jsonl");
    // This test's own process has it: the same lock as another agent's.
    const held = await openTranscript(conversation);
    const refused = await run("me too", "--resume", "last");
    expect([refused.exitCode, refused.stderr.replaceAll(/\s+/g, " ")]).toEqual([
      2,
      expect.stringContaining("Another process goes on with the conversation"),
    ]);
    await held.close();
    expect((await run("again", "--resume", "last")).stdout).toBe("first\n");
    expect(model.requests).toHaveLength(2);
    expect((await run("in the same folder", "--records", join(conversation, ".."))).exitCode).not.toBe(0);
    expect(model.requests).toHaveLength(2);
  });

  test.each([
    ...["notes:./scripts/count.sh", "notes:scripts/../scripts/count.sh", "notes:scripts/*", "notes"],
    ...["*:scripts/count.sh", "Notes:scripts/count.sh", "notes:scripts/Count.sh"],
  ])("--allow-skill-script %s lets no script run that it does not spell out", async (script) => {
    const { model, run } = await start([
      call("load_skill", { name: "notes" }),
      ...["scripts/count.sh", "./scripts/count.sh", "scripts/other.sh"].map((path) =>
        call("run_skill_script", { skill: "notes", path }),
      ),
      "done",
    ]);
    const { exitCode, stderr } = await run(
      ...["go", "--allow-tool", "run_skill_script", "--allow-skill-script", script],
    );
    const ran = (model.requests.at(-1)?.results ?? []).filter((text) => text.includes("counted"));
    expect(ran).toEqual([]);
    if (exitCode !== 0) expect(stderr).toContain("skill:scripts/path");
  });

  test("--mode plan writes nothing: not by a tool that is not offered, a script, a sub-agent, nor after --resume", async () => {
    const write = call("Write", { file_path: "plan.txt", content: "x" });
    const { sandbox, model, run } = await start([
      write,
      call("Bash", { command: "touch plan.txt" }),
      call("run_skill_script", { skill: "notes", path: "scripts/count.sh" }),
      call("delegate", { task: "write it" }),
      write,
      "child",
      "planned",
      write,
      "resumed",
    ]);
    const allowed = ["--allow-tool", "Write", "--allow-tool", "Bash", "--allow-tool", "run_skill_script"];
    const { exitCode } = await run(
      ...["go", "--mode", "plan", ...allowed],
      ...["--allow-skill-script", "notes:scripts/count.sh"],
    );
    expect(exitCode).toBe(0);
    expect(model.requests.at(-1)?.results.join("\n")).not.toContain("counted");
    expect(existsSync(join(sandbox.project, "plan.txt"))).toBe(false);
    await run("go on", "--resume", "last", "--mode", "plan", "--allow-tool", "Write");
    expect(existsSync(join(sandbox.project, "plan.txt"))).toBe(false);
  });

  test("commands leave the workspace by no path, link or cd, and do not see the key of the model", async () => {
    const { sandbox, model, run } = await start([
      call("Bash", {
        command: `cd .. && touch escaped; touch ${"../../escaped"}; ln -s "$HOME" link; touch link/escaped; env; cat /proc/*/environ | tr '\\0' '\\n'; true`,
      }),
      "done",
    ]);
    await run("go", "--allow-tool", "Bash");
    const [result = ""] = model.requests.at(-1)?.results ?? [];
    expect(result).not.toContain("test-key");
    for (const folder of [sandbox.root, sandbox.home, join(sandbox.root, "..")])
      expect(readdirSync(folder)).not.toContain("escaped");
  });

  test("a result of 100 MB, and a flood that does not end, are cut for the model and the disk", async () => {
    const { sandbox, model, run } = await start([
      call("Bash", { command: "head -c 100000000 /dev/zero | tr '\\0' x" }),
      call("Bash", { command: "yes", timeoutMs: 60_000 }),
      call("Read", { file_path: "big.txt" }),
      "done",
    ]);
    sandbox.write("project/big.txt", "y".repeat(3_000_000));
    const { exitCode } = await run("go", "--allow-tool", "Bash", "--records", "run");
    expect(exitCode).toBe(0);
    for (const text of model.requests.at(-1)?.results ?? []) expect(text.length).toBeLessThan(70_000);
    expect(readFileSync(join(sandbox.project, "run/conversation.jsonl")).length).toBeLessThan(1_000_000);
  });

  test("arguments of a tool that are not JSON are answered, in both protocols, and the next request is one that a server takes", async () => {
    const { model, run } = await start([call("Read", 5), call("Read", null), call("Read", []), "done"]);
    const { exitCode } = await run("go");
    expect(exitCode).toBe(0);
    expect(model.requests.at(-1)?.results).toHaveLength(3);
    for (const text of model.requests.at(-1)?.results ?? [])
      expect(text).toContain("file_path must be string");
  });
});

describe("which skills are used", () => {
  test("selection on this machine comes first: a sure one is loaded, an unsure one is named, others are neither", async () => {
    const { model, run } = await start(["one", "two", "three"]);
    const sure = await run("Write the release notes from the list of changes, please");
    expect(sure.stderr).toContain("skill notes (it fits your message)");
    expect(model.requests[0]?.text).toContain("<skill_content");
    await run("hello there");
    expect(model.requests[1]?.text).not.toContain("<skill_content");
    await run("Write the release notes from the list of changes, please", "--no-skill-catalog");
    expect(model.requests[2]?.text).not.toContain("<skill_content");
  });

  test("--profile with --mode locked offers the skills of the profile alone", async () => {
    const { sandbox, model } = await start(["done"]);
    for (const name of ["alpha", "beta"])
      sandbox.write(`home/.agents/skills/${name}/SKILL.md`, skillText(name));
    sandbox.write("home/.skillet/config.yaml", "profiles:\n  quiet:\n    skills: [alpha]\n");
    const run = (profile: string) =>
      sandbox.skillet(["agent", "go", "--mode", "locked", "--profile", profile], {
        environment: model.environment,
      });
    await run("quiet");
    expect(model.requests[0]?.text).toContain("Does alpha things");
    expect(model.requests[0]?.text).not.toContain("Does beta things");
    expect((await run("none")).exitCode).toBe(2);
  });

  test("hooks of a plugin run once they are allowed, and what they say at the start reaches the model", async () => {
    const box = createSandbox();
    box.write("src/.claude-plugin/plugin.json", '{"name":"kit"}');
    box.write("src/skills/a/SKILL.md", skillText("a"));
    const hook = (event: string, command: string) => ({
      [event]: [{ hooks: [{ type: "command", command }] }],
    });
    const said = { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "well read" } };
    const hooks = {
      ...hook("SessionStart", "echo remember the milk"),
      ...hook("PostToolUse", `echo '${JSON.stringify(said)}'`),
    };
    box.write("src/hooks/hooks.json", JSON.stringify({ hooks }));
    await box.skillet(["install", "../src", "--skill", "plugin:kit", "--yes"]);
    await box.skillet(["trust", "--yes"]);
    const steps = [call("Read", { file_path: "changes.md" }), "done"];
    const model = await serveAgentModel("openai", [...steps, ...steps]);
    onTestFinished(() => model.close());
    box.write("project/changes.md", "- PDF\n");
    await box.skillet(["agent", "go"], { environment: model.environment });
    expect(model.requests[0]?.text).not.toContain("remember the milk");
    await box.skillet(["allow", "kit", "--hooks"]);
    await box.skillet(["agent", "go"], { environment: model.environment });
    expect(model.requests[2]?.text).toContain("remember the milk");
    expect(model.requests[3]?.text).toContain("After Read");
    expect(model.requests[3]?.text).toContain("well read");
  });
});
