import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { memoryJournal, type Session, type SessionOptions } from "@skillet/core";
import { type FakeScript, fakeRunner, type TestSkillsOptions, testSkills } from "@skillet/core/testing";
import { afterEach, describe, expect, test } from "vitest";
import { type ClaudeHostOptions, type ClaudeSkills, claudeOptions } from "./claude-agent-sdk.ts";

// The cases of the contract of adapters, by number. The model's side is Claude Code's own, so each is put to the hooks in the
// shapes that the SDK documents; `npm run try:agents -- claude-agent-sdk` has the real one. 8 is left out: Claude Code shows
// nothing of a tool while it runs.

const PNG = Buffer.from("89504e470d0a1a0a00ff00", "hex");
const HOOKS = `hooks:\n  PreToolUse:\n    - hooks: [{ type: command, command: "touch /tmp/x" }]`;
const FILES: Readonly<Record<string, string | Buffer>> = {
  "notes/SKILL.md": `---\nname: notes\ndescription: Writes notes. Use it for meetings.\nallowed-tools: Read\n${HOOKS}\n---\nTake notes on $ARGUMENTS.\n`,
  "notes/references/guide.md": "At most ten lines.\n",
  "notes/assets/logo.png": PNG,
  "notes/scripts/count.sh": "#!/bin/sh\necho 3\n",
  "payroll/SKILL.md": "---\nname: payroll\ndescription: Pays people.\n---\nPay.\n",
};
const DENY_PAYROLL = { policy: { rules: [{ skill: "payroll", action: "deny" as const }] } };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Hook = (input: object, id: string, options: { readonly signal: AbortSignal }) => Promise<Answer>;

interface Answer {
  readonly continue?: boolean;
  readonly decision?: string;
  readonly reason?: string;
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string;
    readonly permissionDecisionReason?: string;
    readonly additionalContext?: string;
  };
}

interface Place {
  readonly root: string;
  /** Of the plugin that Claude Code is given. */
  readonly plugin: string;
  readonly session: Session;
  readonly skills: ClaudeSkills<ClaudeHostOptions>;
  fire(event: string, input: object): Promise<Answer>;
  /** Answers a call as the hook does: the decision, and the reason. */
  call(tool: string, input: object, id?: string): Promise<string>;
  context(event: string, input: object): Promise<string>;
  records(): Record<string, unknown>[];
}

interface PlaceOptions extends SessionOptions {
  readonly tree?: Readonly<Record<string, string | Buffer>>;
  readonly config?: NonNullable<TestSkillsOptions["open"]>["config"];
  readonly given?: ClaudeHostOptions;
}

function write(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

async function open({
  tree = FILES,
  config = DENY_PAYROLL,
  given = {},
  ...options
}: PlaceOptions = {}): Promise<Place> {
  const root = mkdtempSync(join(tmpdir(), "skillet-claude-"));
  closing.push(() => rmSync(root, { recursive: true, force: true }));
  write(root, tree);
  const journal = memoryJournal();
  const session = await testSkills(
    {},
    { records: journal, ...options, open: { roots: [root], sources: [], config } },
  );
  const skills = await claudeOptions<ClaudeHostOptions>(session, given);
  closing.push(() => skills.close().catch(() => undefined));
  const { hooks, plugins } = skills.options;
  const fire = async (event: string, input: object): Promise<Answer> => {
    const [matcher] = hooks[event as keyof typeof hooks] as { readonly hooks: readonly Hook[] }[];
    const base = { session_id: "s", transcript_path: "/t", cwd: "/work", hook_event_name: event };
    const [run] = matcher?.hooks ?? [];
    return (await run?.({ ...base, ...input }, "toolu_x", { signal: new AbortController().signal })) ?? {};
  };
  return {
    root,
    plugin: plugins.at(-1)?.path ?? "",
    session,
    skills,
    fire,
    call: async (tool, input, id = "toolu_1") => {
      const asked = { tool_name: tool, tool_input: input, tool_use_id: id };
      const { hookSpecificOutput: said } = await fire("PreToolUse", asked);
      return `${said?.permissionDecision ?? "no answer"}: ${said?.permissionDecisionReason ?? ""}`;
    },
    context: async (event, input) => (await fire(event, input)).hookSpecificOutput?.additionalContext ?? "",
    records: () => journal.read().map((line) => JSON.parse(line).record),
  };
}

const load = { skill: "skillet:notes", args: "the budget" };

describe("the verified folder", () => {
  test("1. without a skill to offer there is no plugin, and no skill is allowed", async () => {
    const { skills } = await open({ tree: {} });
    expect(skills.options).toMatchObject({ plugins: [], skills: [] });
  });

  test("2. equal skills give equal files, and equal names for the list", async () => {
    const [first, second] = [await open(), await open()];
    const file = "skills/notes/SKILL.md";
    expect(readFileSync(join(first.plugin, file))).toEqual(readFileSync(join(second.plugin, file)));
    expect([first.skills.options.skills, second.skills.options.skills]).toEqual([
      ["skillet:notes"],
      ["skillet:notes"],
    ]);
  });

  test("a header keeps what it says about the skill, and loses what Claude Code would run or grant by it", async () => {
    const { plugin } = await open();
    const text = readFileSync(join(plugin, "skills/notes/SKILL.md"), "utf8");
    expect(text).toBe(
      '---\nname: "notes"\ndescription: "Writes notes. Use it for meetings."\n---\nTake notes on $ARGUMENTS.\n',
    );
  });

  test("4. a binary file arrives as it is", async () => {
    const { plugin, call } = await open();
    expect(readFileSync(join(plugin, "skills/notes/assets/logo.png"))).toEqual(PNG);
    expect(await call("Read", { file_path: join(plugin, "skills/notes/assets/logo.png") })).toMatch(/^allow/);
  });

  test("commands in bodies are switched off, and so are settings of the machine and skills that Claude Code ships", async () => {
    const { skills } = await open({ given: { settings: { model: "x" } } });
    expect(skills.options).toMatchObject({
      settings: { model: "x", disableSkillShellExecution: true, disableBundledSkills: true },
      settingSources: [],
    });
  });

  test("the end removes the copies", async () => {
    const { plugin, skills } = await open();
    expect(existsSync(plugin)).toBe(true);
    await skills.close();
    expect(existsSync(plugin)).toBe(false);
  });
});

describe("skills", () => {
  test("3. a skill is loaded as it was found; one that changed is refused with the reason", async () => {
    const { call, root } = await open();
    expect(await call("Skill", load)).toMatch(/^allow/);
    write(root, { "notes/references/guide.md": "Steal.\n" });
    expect(await call("Skill", load)).toMatch(/^deny: The skill notes was stopped: its files have changed/);
  });

  test("3. a copy that an agent changed is refused with the reason, by whichever tool it is used", async () => {
    const { call, plugin } = await open();
    const script = join(plugin, "skills/notes/scripts/count.sh");
    expect(await call("Bash", { command: `sh ${script}` })).toBe("no answer: ");
    chmodSync(script, 0o644);
    writeFileSync(script, "curl evil.example\n");
    for (const [tool, input] of [
      ["Bash", { command: `cd ${dirname(script)} && sh count.sh` }],
      ["Skill", load],
      ["Read", { file_path: script }],
    ] as const)
      expect(await call(tool, input)).toMatch(
        /^deny: The skill notes was stopped: scripts\/count\.sh has changed/,
      );
  });

  test("a file of a skill is not written", async () => {
    const { call, plugin } = await open();
    const file_path = join(plugin, "skills/notes/SKILL.md");
    expect(await call("Edit", { file_path, old_string: "a", new_string: "b" })).toMatch(
      /^deny: .*verified copies/,
    );
  });

  test("a skill without a copy is refused with the reason, not recorded as loaded, and not told of", async () => {
    const { call, context, root, plugin, records, skills } = await open({
      tree: { "x/SKILL.md": "---\nname: x\ndescription: Does x.\n---\nDo.\n" },
    });
    write(root, { "linked/SKILL.md": "---\nname: linked\ndescription: Links.\n---\nLink.\n" });
    symlinkSync("SKILL.md", join(root, "linked/b.md"));
    await skills.refresh();
    for (const skill of ["linked", "skillet:linked"])
      expect(await call("Skill", { skill })).toMatch(/^deny: linked was left out: b\.md is a link/);
    expect(records().some(({ kind }) => kind === "activation")).toBe(false);
    const told = await context("SessionStart", { source: "compact" });
    expect(told).toContain(`<name>\nskillet:x\n</name>`);
    expect(told).toContain(join(plugin, "skills/x/SKILL.md"));
    expect(told).not.toContain("linked");
  });

  test("5. names that are denied, missing or left out are answered alike", async () => {
    const { call } = await open({ skills: ["notes", "payroll"] });
    const denied = await call("Skill", { skill: "payroll" });
    expect(denied).toBe((await call("Skill", { skill: "xylophone" })).replace("xylophone", "payroll"));
    expect(denied).toContain("deny: There is no skill");
  });

  test("reading a SKILL.md loads the skill, and reading its other files needs no tool of the skill's", async () => {
    const tree = {
      "x/SKILL.md": "---\nname: x\ndescription: X.\nallowed-tools: Bash\n---\nDo.\n",
      "x/references/a.md": "A",
    };
    const { call, plugin, records } = await open({ tree });
    expect(await call("Read", { file_path: join(plugin, "skills/x/SKILL.md") })).toMatch(/^allow/);
    expect(await call("Read", { file_path: join(plugin, "skills/x/references/a.md") })).toMatch(/^allow/);
    expect(await call("Read", { file_path: "/work/a.md" })).toMatch(/^deny: .*x does not cover it/);
    expect(records().map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["activation", "resource-read", "refusal"]),
    );
  });

  test("a person's command loads a skill on record, and is blocked with the reason where it may not", async () => {
    const { fire, records, plugin, skills } = await open();
    const command = {
      expansion_type: "slash_command",
      command_name: "skillet:notes",
      command_args: "x",
      prompt: "",
    };
    expect(await fire("UserPromptExpansion", command)).toEqual({});
    expect(records()).toContainEqual(
      expect.objectContaining({
        kind: "activation",
        name: "notes",
        source: "user",
        host: "claude-agent-sdk",
      }),
    );
    writeFileSync(join(plugin, "skills/notes/evil.md"), "x");
    expect(await fire("UserPromptExpansion", command)).toMatchObject({
      decision: "block",
      reason: expect.stringContaining("evil.md was added"),
    });
    await skills.refresh();
    expect(await fire("UserPromptExpansion", command)).toEqual({});
    const count = records().length;
    // What Claude Code says of a command that the project has.
    expect(await fire("UserPromptExpansion", { ...command, command_name: "notes" })).toEqual({});
    expect(records()).toHaveLength(count);
  });
});

describe("tools", () => {
  test("6. a tool that a loaded skill does not cover is refused with the reason, until the next message", async () => {
    const { call, fire } = await open();
    await fire("UserPromptSubmit", { prompt: "Take notes" });
    expect(await call("Write", { file_path: "/work/b.md" })).toBe("no answer: ");
    await call("Skill", load);
    expect(await call("Read", { file_path: "/work/a.md" })).toBe("no answer: ");
    expect(await call("TodoWrite", { todos: [] })).toBe("no answer: ");
    expect(await call("Write", { file_path: "/work/b.md" }, "toolu_2")).toMatch(
      /^deny: .*notes does not cover it/,
    );
    await fire("UserPromptSubmit", { prompt: "Something else" });
    expect(await call("Write", { file_path: "/work/b.md" }, "toolu_3")).toBe("no answer: ");
  });

  test("a property that Claude Code does not read neither hides nor replaces what a call is about", async () => {
    const tree = {
      "x/SKILL.md":
        "---\nname: x\ndescription: X.\nallowed-tools: Read(./docs/**) Grep(./docs/**)\n---\nDo.\n",
    };
    const { call, plugin } = await open({ tree, projectDirectory: "/work" });
    const notebook_path = join(plugin, "skills/x/SKILL.md");
    expect(await call("NotebookEdit", { notebook_path, file_path: "/work/a" })).toMatch(
      /^deny: .*verified copies/,
    );
    await call("Skill", { skill: "skillet:x" });
    const [docs, other] = ["/work/docs/a.md", "/work/secret/a.md"];
    expect(await call("Read", { file_path: docs, path: other }, "toolu_2")).toBe("no answer: ");
    expect(await call("Read", { file_path: other, path: docs }, "toolu_3")).toMatch(
      /^deny: .*does not cover it/,
    );
    expect(await call("Grep", { pattern: "x", file_path: docs }, "toolu_4")).toMatch(
      /^deny: .*does not cover it/,
    );
  });

  test("6b. what a rule asks about is asked by the SDK's own means, and the answer holds for that call", async () => {
    const rules = [
      { tool: "Write", action: "ask" as const },
      { skill: "notes", action: "ask" as const },
    ];
    const asked: string[] = [];
    let behavior = "allow";
    const canUseTool = async (tool: string, input: object): Promise<object> => {
      asked.push(tool);
      return behavior === "allow" ? { behavior, updatedInput: input } : { behavior, message: "No." };
    };
    const { call, skills, records } = await open({
      config: { policy: { rules } },
      interactive: true,
      given: { canUseTool },
    });
    const decide = skills.options.canUseTool;
    const signal = new AbortController().signal;
    const input = { file_path: "/work/b.md" };
    expect(await call("Write", input, "toolu_1")).toMatch(/^ask: a rule asks/);
    expect(await decide?.("Write", input, { signal, toolUseID: "toolu_1" })).toEqual({
      behavior: "allow",
      updatedInput: input,
    });
    expect(await call("Skill", load, "toolu_2")).toMatch(/^ask: a rule asks about notes/);
    behavior = "deny";
    expect(await decide?.("Skill", load, { signal, toolUseID: "toolu_2" })).toMatchObject({
      behavior: "deny",
    });
    expect(records().some(({ kind }) => kind === "activation")).toBe(false);
    behavior = "allow";
    expect(await decide?.("Skill", load, { signal, toolUseID: "toolu_2" })).toMatchObject({
      behavior: "allow",
    });
    expect(records().some(({ kind }) => kind === "activation")).toBe(true);
    expect(asked).toEqual(["Write", "Skill", "Skill"]);
    const { call: alone } = await open({ config: { policy: { rules } }, interactive: true });
    expect(await alone("Write", input)).toMatch(/^deny: Write was not called: a rule asks/);
  });

  test("a person's yes does not let a changed call pass that a rule denies", async () => {
    const rules = [{ tool: "Bash(rm:*)", action: "deny" as const }];
    const canUseTool = async (): Promise<object> => ({
      behavior: "allow",
      updatedInput: { command: "rm -rf /" },
    });
    const { skills } = await open({
      config: { policy: { rules } },
      interactive: true,
      given: { canUseTool },
    });
    const options = { signal: new AbortController().signal, toolUseID: "toolu_1" };
    expect(await skills.options.canUseTool?.("Bash", { command: "ls" }, options)).toMatchObject({
      behavior: "deny",
    });
  });
});

describe("scripts", () => {
  const SCRIPT = { skill: "notes", path: "scripts/count.sh" };

  /** The server of the options, as the SDK talks to it. */
  async function connect(skills: Place["skills"]): Promise<{
    request(id: number, method: string, params?: object): Promise<Record<string, unknown>>;
    notify(method: string, params: object): void;
  }> {
    const waiting = new Map<number, (result: Record<string, unknown>) => void>();
    const transport = {
      onmessage: (_message: object): void => undefined,
      start: async () => undefined,
      send: async ({ id, result }: { id: number; result: Record<string, unknown> }) =>
        waiting.get(id)?.(result),
    };
    const { skillet } = skills.options.mcpServers as unknown as {
      readonly skillet: { readonly instance: { connect(given: object): Promise<void> } };
    };
    await skillet.instance.connect(transport);
    return {
      request: (id, method, params = {}) =>
        new Promise((resolve) => {
          waiting.set(id, resolve);
          transport.onmessage({ jsonrpc: "2.0", id, method, params });
        }),
      notify: (method, params) => transport.onmessage({ jsonrpc: "2.0", method, params }),
    };
  }

  const run = (script: FakeScript): PlaceOptions["runner"] =>
    fakeRunner({ "notes:scripts/count.sh": script });
  const params = (id: string): object => ({
    name: "run_skill_script",
    arguments: SCRIPT,
    _meta: { "claudecode/toolUseId": id },
  });

  test("run where the session runs them, by a server of ours, on record", async () => {
    const { skills, call, records } = await open({ runner: run(() => "3\n") });
    const { request } = await connect(skills);
    expect(await request(1, "initialize", { protocolVersion: "2025-06-18" })).toMatchObject({
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
    });
    expect(await request(2, "tools/list")).toMatchObject({ tools: [{ name: "run_skill_script" }] });
    await call("Skill", load);
    expect(await call("mcp__skillet__run_skill_script", SCRIPT, "toolu_2")).toMatch(/^allow/);
    const { content, isError } = await request(3, "tools/call", params("toolu_2"));
    expect([isError, JSON.stringify(content)]).toEqual([false, expect.stringContaining("stdout:\\n3")]);
    expect(records()).toContainEqual(
      expect.objectContaining({ kind: "script-execution", host: "claude-agent-sdk", callId: "toolu_2" }),
    );
  });

  test("7. an abort ends a running script", async () => {
    let started = (): void => undefined;
    const isRunning = new Promise<void>((resolve) => {
      started = resolve;
    });
    const script: FakeScript = ({ signal }) =>
      new Promise((resolve) => {
        signal?.addEventListener("abort", () => resolve({ status: "cancelled" }));
        started();
      });
    const { skills, call, records } = await open({ runner: run(script) });
    const { request, notify } = await connect(skills);
    await call("Skill", load);
    const result = request(1, "tools/call", params("toolu_2"));
    await isRunning;
    notify("notifications/cancelled", { requestId: 1 });
    expect(await result).toMatchObject({ isError: true });
    await expect
      .poll(() => records().find(({ kind }) => kind === "script-execution"))
      .toMatchObject({ outcome: "cancelled" });
  });

  test("13b. what the operator must fix in the last call comes out at the end, and the model is not told", async () => {
    const { skills, session } = await open({ runner: run(() => "3\n") });
    const { request } = await connect(skills);
    await session.close();
    const { isError, content } = await request(1, "tools/call", params("toolu_2"));
    expect([isError, JSON.stringify(content)]).toEqual([
      true,
      expect.not.stringMatching(/session has ended/i),
    ]);
    await expect(skills.close()).rejects.toThrow(/session has ended/i);
  });

  test("6b. a script that a rule asks about runs once a person said yes to that call", async () => {
    const rules = [{ tool: "run_skill_script", action: "ask" as const }];
    const canUseTool = async (_tool: string, updatedInput: object): Promise<object> => ({
      behavior: "allow",
      updatedInput,
    });
    const { skills, call } = await open({
      config: { policy: { rules } },
      interactive: true,
      given: { canUseTool },
      runner: run(() => "3\n"),
    });
    const { request } = await connect(skills);
    await call("Skill", load);
    const tool = "mcp__skillet__run_skill_script";
    expect(await call(tool, SCRIPT, "toolu_2")).toMatch(/^ask: /);
    expect(await request(1, "tools/call", params("toolu_2"))).toMatchObject({ isError: true });
    expect(await call(tool, SCRIPT, "toolu_3")).toMatch(/^ask: /);
    const options = { signal: new AbortController().signal, toolUseID: "toolu_3" };
    expect(await skills.options.canUseTool?.(tool, SCRIPT, options)).toMatchObject({ behavior: "allow" });
    expect(await request(2, "tools/call", params("toolu_4"))).toMatchObject({ isError: true });
    expect(await request(3, "tools/call", params("toolu_3"))).toMatchObject({ isError: false });
  });

  test("a server of the host's with our name is not taken for ours", async () => {
    const { skills, call } = await open({ given: { mcpServers: { skillet: { command: "x" } } } });
    expect(skills.options.mcpServers).toEqual({ skillet: { command: "x" } });
    expect(await call("mcp__skillet__run_skill_script", SCRIPT)).toBe("no answer: ");
  });
});

describe("the conversation", () => {
  test("a message that calls for a skill is answered with its name, a probability and a reason", async () => {
    const { context } = await open();
    const hint = await context("UserPromptSubmit", { prompt: "Write notes for the meetings with notes" });
    expect(hint).toMatch(/^- skillet:notes \(\d+ %\): ./m);
    expect(await context("UserPromptSubmit", { prompt: "What is the capital of France?" })).toBe("");
  });

  test("9. changed skills reach the model once, and Claude Code lists them again", async () => {
    const { root, plugin, skills, context, call } = await open();
    write(root, { "minutes/SKILL.md": "---\nname: minutes\ndescription: Writes minutes.\n---\nWrite.\n" });
    let reloads = 0;
    await skills.refresh({ reloadSkills: async () => (reloads += 1) });
    const after = { tool_name: "Grep", tool_input: {}, tool_response: {}, tool_use_id: "toolu_1" };
    const told = await context("PostToolUse", after);
    expect(told).toMatch(/minutes[\s\S]*Writes minutes\./);
    expect(told).toContain(`read ${join(plugin, "skills/NAME/SKILL.md")}`);
    expect(told).not.toContain(root);
    expect(await context("PostToolUse", after)).toBe("");
    expect(await call("Read", { file_path: join(plugin, "skills/minutes/SKILL.md") })).toMatch(/^allow/);
    rmSync(join(root, "minutes"), { recursive: true });
    await skills.refresh();
    expect(await context("UserPromptSubmit", { prompt: "Hello" })).toMatch(
      /^(?![\s\S]*minutes)The available skills have changed/,
    );
    expect(existsSync(join(plugin, "skills/minutes"))).toBe(false);
    expect(reloads).toBe(1);
  });

  test("10. after a compaction the catalogue and what loaded skills say are put back", async () => {
    const { call, context, root, plugin } = await open();
    await call("Skill", load);
    const text = await context("SessionStart", { source: "compact" });
    expect(text).toContain("Writes notes.");
    expect(text).toContain("Take notes on the budget.");
    expect([text.includes(root), text.includes(join(plugin, "skills/notes"))]).toEqual([false, true]);
    expect(await context("SessionStart", { source: "startup" })).toBe("");
  });

  test("11. records name the host, the call, the skill and its digest", async () => {
    const { call, fire, plugin, records } = await open();
    const at = (path: string): string => join(plugin, "skills/notes", path);
    await call("Skill", load, "toolu_1");
    await call("Read", { file_path: at("references/guide.md") }, "toolu_2");
    const bash = {
      tool_name: "Bash",
      tool_input: { command: `sh ${at("scripts/count.sh")}` },
      tool_use_id: "toolu_3",
    };
    await fire("PostToolUse", { ...bash, tool_response: { stdout: "3" } });
    await call("Write", { file_path: "/work/b.md" }, "toolu_4");
    const host = "claude-agent-sdk";
    const digest = expect.stringMatching(/^sha256:/);
    const found = records().filter(({ kind }) => kind !== "policy");
    expect(found).toMatchObject([
      { kind: "activation", name: "notes", digest, host, callId: "toolu_1" },
      { kind: "resource-read", skillName: "notes", observedDigest: digest, host, callId: "toolu_2" },
      {
        kind: "implicit-use",
        name: "notes",
        how: "script",
        subject: "scripts/count.sh",
        digest,
        host,
        callId: "toolu_3",
      },
      { kind: "refusal", what: "tool", host, callId: "toolu_4" },
    ]);
  });

  test("13. what the operator must fix stops the agent without telling the model, and comes out at the end", async () => {
    const { fire, session, skills } = await open();
    await session.close();
    const answer = await fire("PreToolUse", { tool_name: "Write", tool_input: {}, tool_use_id: "toolu_1" });
    expect(answer).toMatchObject({ continue: false, hookSpecificOutput: { permissionDecision: "deny" } });
    expect(JSON.stringify(answer)).not.toMatch(/session has ended/i);
    await expect(skills.close()).rejects.toThrow(/session has ended/i);
  });

  test("a call that failed is seen too: use is recorded, and changed skills are told", async () => {
    const { root, plugin, skills, context, records } = await open();
    write(root, { "minutes/SKILL.md": "---\nname: minutes\ndescription: Writes minutes.\n---\nWrite.\n" });
    await skills.refresh();
    const command = `sh ${join(plugin, "skills/notes/scripts/count.sh")}`;
    const failed = { tool_name: "Bash", tool_input: { command }, tool_use_id: "toolu_3", error: "Exit 1" };
    expect(await context("PostToolUseFailure", failed)).toContain("Writes minutes.");
    expect(records()).toContainEqual(
      expect.objectContaining({ kind: "implicit-use", subject: "scripts/count.sh", callId: "toolu_3" }),
    );
  });
});

test("12. skills that Claude Code would load by itself beside these are refused", async () => {
  const home = mkdtempSync(join(tmpdir(), "skillet-claude-"));
  closing.push(() => rmSync(home, { recursive: true, force: true }));
  write(home, {
    ".claude/skills/a/SKILL.md": "x",
    "plugin/skills/a/SKILL.md": "x",
    "single/SKILL.md": "x",
    "listed/.claude-plugin/plugin.json": '{ "name": "listed", "skills": ["./more"] }',
    "repository/.git/HEAD": "x",
    "repository/src/a": "x",
    "main/.claude/skills/a/SKILL.md": "x",
    "tree/.git": `gitdir: ${join(home, "main/.git/worktrees/tree")}\n`,
  });
  for (const given of [
    { skills: "all" as const },
    { skills: ["pdf"] },
    { agents: { helper: { skills: ["pdf"] } } },
    { plugins: [{ type: "local" as const, path: join(home, "plugin") }] },
    { settingSources: ["user" as const], env: { HOME: home } },
    { settingSources: ["project" as const], cwd: join(home, "deep/er") },
    { plugins: [{ type: "local" as const, path: join(home, "listed") }] },
    { plugins: [{ type: "local" as const, path: join(home, "single") }] },
    { settingSources: ["project" as const], cwd: "/", additionalDirectories: [home] },
    { settingSources: ["project" as const], cwd: join(home, "tree") },
  ])
    await expect(open({ given }), JSON.stringify(given)).rejects.toMatchObject({
      code: "native-skills-active",
    });
  // As Claude Code climbs: not above the repository, and not into the home.
  for (const given of [
    { settingSources: ["project" as const], cwd: join(home, "repository/src") },
    { settingSources: ["project" as const], cwd: join(home, "plugin"), env: { HOME: home } },
  ])
    expect((await open({ given })).skills.options.settingSources).toEqual(["project"]);
  const elsewhere = {
    settingSources: ["project" as const, "user" as const],
    cwd: join(home, "plugin"),
    env: { HOME: join(home, "none") },
  };
  rmSync(join(home, ".claude"), { recursive: true });
  const { skills } = await open({ given: elsewhere });
  expect(skills.options.settingSources).toEqual(["project", "user"]);
});
