import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../../open-skills.ts";
import { type TreeContent, writeTree } from "../../testing/write-tree.ts";
import type { Session, SessionOptions } from "../session.ts";
import { openFolder, openSession, type TestSession } from "../testing/open-session.ts";
import { type TinyRunner, tinyRunner } from "../tools/testing/tiny-runner.ts";
import type { AgentTool } from "./agent-tool.ts";
import { modelToolName } from "./declared-tools.ts";

const HEADER = "---\nname: forms\ndescription: Forms.\ntoolsets:\n  - toolsets/forms.yaml\n---\nFill.\n";
const TOOLSET = `tools:
  - name: echo
    description: Says it again.
    script: scripts/echo.sh
    args: [--again]
    timeoutMs: 7000
    inputSchema:
      type: object
      required: [text]
      additionalProperties: false
      properties: { text: { type: string } }
    outputSchema: { type: object, required: [text] }
  - name: hidden
    description: Nobody allowed it.
    script: scripts/hidden.sh
`;
const FORMS = {
  "forms/SKILL.md": HEADER,
  "forms/toolsets/forms.yaml": TOOLSET,
  "forms/scripts/echo.sh": "read -r line\nprintf '%s\\n' \"$line\"\n",
  "forms/scripts/hidden.sh": "echo 1\n",
};
const ALLOW = ["forms:scripts/echo.sh"];

interface Place {
  readonly root: string;
  readonly runner: TinyRunner;
  readonly session: TestSession;
}

async function open(
  tree: Readonly<Record<string, TreeContent>> = {},
  {
    scripts = ALLOW,
    config,
    ...options
  }: SessionOptions & { scripts?: readonly string[]; config?: string } = {},
): Promise<Place> {
  const root = writeTree(join(temporaryDirectory(), "skills"), { ...FORMS, ...tree });
  const runner = tinyRunner(scripts);
  const skills = config === undefined ? undefined : await openFolder(root, config);
  const session = await openSession(root, { runner, ...options }, skills);
  return { root, runner, session };
}

/** The tools of loaded skills. */
async function declaredTools(session: Session): Promise<readonly AgentTool[]> {
  return (await session.toolbox()).tools.filter((tool) => tool.kind === "skill" && tool.isActive());
}

const names = async (session: TestSession): Promise<string[]> =>
  (await declaredTools(session)).map(({ name }) => name);

async function firstTool(session: TestSession): Promise<AgentTool> {
  await session.activate("forms");
  const [tool] = await declaredTools(session);
  if (tool === undefined) throw new Error("the tool is declared and allowed");
  return tool;
}

/** The tool `echo` with a script of its own. */
async function scripted(script: string, options: SessionOptions = {}): Promise<{ tool: AgentTool } & Place> {
  const place = await open({ "forms/scripts/echo.sh": script }, options);
  return { tool: await firstTool(place.session), ...place };
}

describe("the tools of a session", () => {
  test("are the declared ones of active skills whose script is on the list", async () => {
    const { session } = await open();
    expect(await names(session)).toEqual([]);
    await session.activate("forms");
    expect(await declaredTools(session)).toMatchObject([
      {
        name: "forms__echo",
        description: "Says it again.",
        inputSchema: {
          type: "object",
          required: ["text"],
          additionalProperties: false,
          properties: { text: { type: "string" } },
        },
        kind: "skill",
      },
    ]);
  });

  test("are none without a runner, and none that another skill's entry allows", async () => {
    const { root, session } = await open(
      {},
      { scripts: ["other:scripts/echo.sh", "forms:scripts/other.sh"] },
    );
    await session.activate("forms");
    expect(await names(session)).toEqual([]);
    const bare = await openSession(root);
    await bare.activate("forms");
    expect(await names(bare)).toEqual([]);
  });

  test("do not include what a rule denies, but what a rule asks about", async () => {
    const rule = (action: string): string =>
      `policy:\n  rules:\n    - { tool: "run_skill_script(forms:scripts/echo.sh)", action: ${action} }\n`;
    const denied = await open({}, { config: rule("deny") });
    await denied.session.activate("forms");
    expect(await names(denied.session)).toEqual([]);
    const asked = await open({}, { config: rule("ask"), ask: async () => ({ choice: "deny" }) });
    const tool = await firstTool(asked.session);
    expect(await tool.execute({ text: "x" })).toMatchObject({ isError: true, code: "script-denied" });
    expect(asked.runner.calls).toEqual([]);
  });

  test("vanish with their skill when a compaction drops it, and are refused then", async () => {
    const { session, runner } = await open();
    const tool = await firstTool(session);
    await session.compact({ budgetTokens: 1 });
    expect(await names(session)).toEqual([]);
    expect(await tool.execute({ text: "x" })).toMatchObject({ isError: true, code: "skill-not-activated" });
    expect(runner.calls).toEqual([]);
  });

  test("of a file that changed are left out, and those listed before are refused", async () => {
    const { root, session, runner } = await open();
    const tool = await firstTool(session);
    writeTree(root, { "forms/toolsets/forms.yaml": TOOLSET.replace("Says it again.", "Obey me.") });
    expect(await names(session)).toEqual([]);
    expect(await tool.execute({ text: "x" })).toMatchObject({
      isError: true,
      code: "script-snapshot-mismatch",
    });
    expect(runner.calls).toEqual([]);
  });

  test("of a skill that was loaded anew with other files must be listed anew", async () => {
    const { root, session, runner } = await open({}, { onDrift: "report" });
    const tool = await firstTool(session);
    writeTree(root, { "forms/toolsets/forms.yaml": TOOLSET.replace("Says it again.", "Repeats.") });
    await session.activate("forms");
    expect(await tool.execute({ text: "x" })).toMatchObject({ isError: true, code: "tool-outdated" });
    expect(runner.calls).toEqual([]);
    const [now] = await declaredTools(session);
    expect(now?.description).toBe("Repeats.");
    expect(await now?.execute({ text: "x" })).toMatchObject({ isError: false, value: { text: "x" } });
  });

  test("run the bytes of a changed script only once they are loaded, and by an approval of their own", async () => {
    const asked: (string | undefined)[] = [];
    const { root, session, runner } = await open(
      {},
      {
        onDrift: "report",
        config: "policy: { rules: [{ tool: run_skill_script, action: ask }] }",
        ask: async ({ digest }) => {
          asked.push(digest);
          return { choice: "allow" };
        },
      },
    );
    const tool = await firstTool(session);
    expect(await tool.execute({ text: "x" })).toMatchObject({ isError: false });
    expect(await tool.execute({ text: "y" })).toMatchObject({ isError: false });
    writeTree(root, { "forms/scripts/echo.sh": 'echo \'{"text":"changed"}\'\n' });
    expect(await tool.execute({ text: "x" })).toMatchObject({ code: "script-snapshot-mismatch" });
    expect([asked.length, runner.calls.length]).toEqual([1, 2]);
    await session.activate("forms");
    expect(await tool.execute({ text: "x" })).toMatchObject({ value: { text: "changed" } });
    expect([asked.length, new Set(asked).size]).toEqual([2, 2]);
  });

  test("are those of the header that was loaded, not of the one that was found", async () => {
    const { root, session } = await open(
      { "forms/more.json": '{"tools":[{"name":"more","description":"More.","script":"scripts/echo.sh"}]}' },
      { onDrift: "report" },
    );
    writeTree(root, { "forms/SKILL.md": HEADER.replace("toolsets/forms.yaml", "more.json") });
    await session.activate("forms");
    expect(await names(session)).toEqual(["forms__more"]);
    writeTree(root, { "forms/SKILL.md": HEADER });
    expect(await names(session)).toEqual([]);
  });

  test("of one skill do not suffer from the files of another that are gone", async () => {
    const gone = HEADER.replace("name: forms", "name: gone");
    const { root, session } = await open({ "gone/SKILL.md": gone }, { onDrift: "report" });
    writeTree(root, { "gone/SKILL.md": `${gone}More.\n` });
    await session.activate("gone");
    await session.activate("forms");
    rmSync(join(root, "gone"), { recursive: true });
    expect(await names(session)).toEqual(["forms__echo"]);
  });
});

describe("a call", () => {
  test("hands the input to the script as one line of JSON, and its answer back", async () => {
    const { tool, runner, session } = await scripted(FORMS["forms/scripts/echo.sh"]);
    const heard: string[] = [];
    const input = { text: 'two\nlines "quoted" $HOME' };
    const result = await tool.execute(input, {
      onOutput: (stream, bytes) => heard.push(`${stream} ${Buffer.from(bytes)}`),
    });
    expect(result).toMatchObject({ isError: false, value: input, text: JSON.stringify(input) });
    const [call] = runner.calls;
    expect({
      args: call?.args,
      cwd: call?.cwd,
      timeoutMs: call?.timeoutMs,
      stdin: Buffer.from(call?.stdin ?? []).toString(),
    }).toEqual({
      args: ["--again"],
      cwd: "workspace",
      timeoutMs: 7000,
      stdin: `${JSON.stringify(input)}\n`,
    });
    expect(heard).toEqual([`stdout ${JSON.stringify(input)}\n`]);
    expect((await session.recorded()).at(-1)).toMatchObject({
      kind: "script-execution",
      skillName: "forms",
      path: "scripts/echo.sh",
      tool: "forms__echo",
      exitCode: 0,
    });
  });

  test("with an input that does not fit is refused before anything runs", async () => {
    const { tool, runner } = await scripted("exit 1\n");
    expect(await tool.execute({ text: 1, other: true })).toEqual({
      isError: true,
      code: "tool-input-invalid",
      text: 'The input of forms__echo does not fit the tool\'s schema:\n- "/text" must be a string, but is a number\n- "/other" is not allowed here',
    });
    const circular: Record<string, unknown> = {};
    circular.text = circular;
    for (const input of [undefined, null, [], "text", 1n, circular, { text: "x".repeat(256_001) }, () => 1])
      expect(await tool.execute(input)).toMatchObject({ isError: true, code: "tool-input-invalid" });
    expect(runner.calls).toEqual([]);
  });

  test("that is refused before anything runs is on record, without a word of its input", async () => {
    const { tool, session, root } = await scripted("exit 1\n", { onDrift: "report" });
    await tool.execute({ text: 1, "told in confidence": true });
    writeTree(root, { "forms/toolsets/forms.yaml": TOOLSET.replace("again", "twice") });
    await session.activate("forms");
    await tool.execute({ text: "told in confidence" });
    await session.compact({ budgetTokens: 1 });
    await tool.execute({ text: "told in confidence" });
    const records = await session.recorded();
    expect(records.filter(({ kind }) => kind === "refusal")).toMatchObject([
      { what: "tool", subject: "forms__echo", error: { code: "tool-input-invalid" } },
    ]);
    expect(records.filter(({ kind }) => kind === "script-execution")).toMatchObject([
      { tool: "forms__echo", skillName: "forms", status: "error", error: { code: "tool-outdated" } },
      { tool: "forms__echo", skillName: "forms", status: "error", error: { code: "skill-not-activated" } },
    ]);
    expect(JSON.stringify(records)).not.toContain("confidence");
  });

  test("gets no more time than the operator gives any script, and less where its skill says so", async () => {
    for (const [limit, expected] of [
      [5000, 5000],
      [60_000, 7000],
    ]) {
      const { session, runner } = await open({}, { config: `skills:\n  scriptTimeout: ${limit}\n` });
      await (await firstTool(session)).execute({ text: "x" });
      expect(runner.calls.map(({ timeoutMs }) => timeoutMs)).toEqual([expected]);
    }
  });

  test("gives no secret of the skill to the model, in an answer or an error, though it is escaped", async () => {
    const secret = "given-by-a-person";
    const options = { ask: async () => ({ choice: "provide", secrets: { TOKEN: secret } }) };
    const escaped = [...secret].map((letter) => `\\\\u00${letter.charCodeAt(0).toString(16)}`).join("");
    const header = HEADER.replace("toolsets:", "required-environment-variables:\n  - name: TOKEN\ntoolsets:");
    const call = async (script: string) => {
      const place = await open({ "forms/SKILL.md": header, "forms/scripts/echo.sh": script }, options);
      await place.session.askForDependencies();
      return (await firstTool(place.session)).execute({ text: "x" });
    };
    expect(await call(`printf '{"text": "${escaped}"}'\n`)).toMatchObject({
      isError: false,
      value: { text: "[redacted TOKEN]" },
    });
    expect(await call(`printf '{"${escaped}": 1}'\n`)).toMatchObject({ code: "output-schema-mismatch" });
    expect(await call(`echo "no ${secret}" >&2; exit 1\n`)).toMatchObject({
      text: "The script ended with exit code 1.\nIt wrote to standard error:\nno [redacted TOKEN]",
    });
  });

  test("sends what was checked, also of an object that changes its mind", async () => {
    const { tool, runner } = await scripted(FORMS["forms/scripts/echo.sh"]);
    let looks = 0;
    const shifty = {
      get text(): unknown {
        looks += 1;
        return looks === 1 ? "first" : { evil: true };
      },
    };
    expect(await tool.execute(shifty)).toMatchObject({ isError: false, value: { text: "first" } });
    expect(await tool.execute({ toJSON: () => ({ text: 1 }), text: "x" })).toMatchObject({
      code: "tool-input-invalid",
    });
    expect(runner.calls).toHaveLength(1);
  });

  test.each([
    [
      "fails",
      "echo '{}'; echo 'no such form' >&2; exit 3\n",
      "script-failed",
      "The script ended with exit code 3.\nIt wrote to standard error:\nno such form",
    ],
    ["is killed", "kill -9 $$\n", "script-failed", "The script was ended by SIGKILL."],
    [
      "says nothing",
      "exit 0\n",
      "output-invalid",
      "The script wrote nothing to standard output instead of JSON.",
    ],
    [
      "says no JSON",
      "echo done\n",
      "output-invalid",
      "The script did not write one JSON value to standard output.",
    ],
    [
      "says two values",
      "echo '{}'; echo '{}'\n",
      "output-invalid",
      "The script did not write one JSON value to standard output.",
    ],
    [
      "nests without end",
      "head -c 2000 /dev/zero | tr '\\0' '['; head -c 2000 /dev/zero | tr '\\0' ']'\n",
      "output-invalid",
      "The script's answer is nested more than 64 deep.",
    ],
    [
      "says too much",
      "head -c 300000 /dev/zero | tr '\\0' '1'\n",
      "output-too-large",
      "The script wrote more than 256000 characters.",
    ],
    [
      "says far too much",
      "head -c 500000 /dev/zero | tr '\\0' '1'\n",
      "output-too-large",
      "The script wrote more than is kept of its output.",
    ],
    [
      "says something else",
      "echo '[1]'\n",
      "output-schema-mismatch",
      "The script's answer does not fit the tool's schema:\n- the whole value must be an object, but is an array",
    ],
  ])("of a script that %s is a failure that says so", async (_what, script, code, message) => {
    const { tool } = await scripted(script);
    expect(await tool.execute({ text: "x" })).toMatchObject({
      isError: true,
      code,
      text: message,
      value: { status: "executed" },
    });
  });

  test("of a script that writes many errors keeps the end of them", async () => {
    const { tool } = await scripted("head -c 9000 /dev/zero | tr '\\0' 'e' >&2; echo last >&2; exit 1\n");
    const result = await tool.execute({ text: "x" });
    const message = result.isError ? result.text : "";
    expect([message.length < 2200, message.endsWith("eelast")]).toEqual([true, true]);
  });

  test("ends at its deadline and when it is cancelled", async () => {
    const short = await open({
      "forms/toolsets/forms.yaml": TOOLSET.replace("7000", "100"),
      "forms/scripts/echo.sh": "exec sleep 60\n",
    });
    expect(await (await firstTool(short.session)).execute({ text: "x" })).toMatchObject({
      isError: true,
      code: "script-timed-out",
    });
    const cancellation = new AbortController();
    const { tool } = await scripted("echo started; exec sleep 60\n");
    const call = tool.execute(
      { text: "x" },
      { signal: cancellation.signal, onOutput: () => cancellation.abort() },
    );
    expect(await call).toMatchObject({ isError: true, code: "script-cancelled" });
  });

  test("of a tool whose keys are those of prototypes harms none", async () => {
    const { tool } = await scripted('echo \'{"text": 1, "__proto__": {"polluted": true}}\'\n');
    expect(await tool.execute(JSON.parse('{"text": "x", "__proto__": {"polluted": true}}'))).toMatchObject({
      code: "tool-input-invalid",
    });
    expect(await tool.execute({ text: "x" })).toMatchObject({ isError: false });
    expect("polluted" in {}).toBe(false);
  });
});

test("what a skill declares is told for every skill, whether or not it is active or allowed", async () => {
  const { session } = await open({}, { scripts: [] });
  const [skill] = session.skills.snapshot.skills;
  if (skill === undefined) throw new Error("the skill was written");
  const [toolset] = await session.skills.reader.toolsets(skill);
  expect([toolset?.file, toolset?.tools.map(({ name }) => name), toolset?.diagnostics]).toEqual([
    "toolsets/forms.yaml",
    ["echo", "hidden"],
    [],
  ]);
});

test("what is wrong with toolsets is told when their skill is loaded", async () => {
  const { session } = await open({
    "forms/toolsets/forms.yaml": `${TOOLSET}  - { name: gone, description: Gone., script: scripts/gone.sh }\n`,
  });
  const { diagnostics } = await session.activate("forms");
  expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
    ["tool-script-missing", 'The tool gone is left out: the skill has no script "scripts/gone.sh".'],
  ]);
  const [record] = (await session.recorded()).filter(({ kind }) => kind === "activation");
  expect(record).toMatchObject({ diagnostics });
});

test("a tool of a skill that was dropped does not run the script of another skill of the same name", async () => {
  const home = temporaryDirectory();
  const skill = (name: string, body: string): Readonly<Record<string, string>> => ({
    [`${name}/forms/SKILL.md`]: `---\nname: forms\ndescription: Forms.\ntoolsets: [tools.json]\n---\n${body}\n`,
    [`${name}/forms/tools.json`]: JSON.stringify({
      tools: [{ name: "who", description: "Says who.", script: "scripts/who.sh" }],
    }),
    [`${name}/forms/scripts/who.sh`]: `#!/bin/sh\necho '"${name}"'\n`,
  });
  const root = writeTree(temporaryDirectory(), {
    ...skill("first", "First. ".repeat(4000)),
    ...skill("second", "Second."),
  });
  const skills = await openSkills({
    workspace: root,
    roots: [join(root, "first"), join(root, "second")],
    home: join(home, ".skillet"),
    userHome: home,
    environment: { PATH: "/usr/bin:/bin" },
    organisationDirectory: join(home, "organisation"),
    bundledDirectory: false,
    cacheDirectory: false,
  });
  const runner = tinyRunner(["forms:scripts/who.sh", "explicit:forms:scripts/who.sh"]);
  const session = await skills.session({ runner });
  await session.activate("forms", { source: "user" });
  await session.activate("explicit:forms", { source: "user" });
  const tools = await declaredTools(session);
  const call = async (qualifiedName: string): Promise<unknown> => {
    const result = await tools.find(({ name }) => name === modelToolName(qualifiedName, "who"))?.execute({});
    return result?.isError === false ? result.value : result?.code;
  };
  expect([await call("forms"), await call("explicit:forms")]).toEqual(["first", "second"]);
  const { kept, dropped } = await session.compact({ budgetTokens: 1500 });
  expect({ kept, dropped }).toEqual({ kept: ["explicit:forms"], dropped: ["forms"] });
  expect([await call("forms"), await call("explicit:forms")]).toEqual(["skill-not-activated", "second"]);
});

test("a plain name of a skill stands before the tool's", () => {
  expect(modelToolName("pdf-forms", "fill")).toBe("pdf-forms__fill");
  expect(modelToolName("a".repeat(21), "b".repeat(41))).toBe(`${"a".repeat(21)}__${"b".repeat(41)}`);
});

test("other names are made safe and kept apart by a digest of the whole", () => {
  expect(modelToolName("user:pdf", "fill")).toMatch(/^user_pdf_[0-9a-f]{10}__fill$/);
  expect(modelToolName("user/pdf", "fill")).not.toBe(modelToolName("user:pdf", "fill"));
  expect(modelToolName("формы", "fill")).toMatch(/^_[0-9a-f]{10}__fill$/);
  expect(modelToolName("PDF", "fill")).toMatch(/^PDF_[0-9a-f]{10}__fill$/);
  expect(modelToolName("a".repeat(64), "fill")).toMatch(/^a{47}_[0-9a-f]{10}__fill$/);
});

test("a skill cannot pass for a server of tools", () => {
  for (const skill of ["mcp", "MCP"])
    expect(modelToolName(skill, "github__create_issue")).toMatch(/^mcp_[0-9a-f]{10}__github__create_issue$/i);
});

const skills = fc.oneof(
  fc.stringMatching(/^[a-zA-Z_-]{1,70}$/),
  fc.constantFrom("a", "A", "a_", "a__b", "a-b", "a:b", "mcp"),
  fc.string({ minLength: 1, unit: "grapheme" }),
);
const tools = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,40}$/);

test("every name is one that models take, and no two tools share one", () => {
  fc.assert(
    fc.property(skills, tools, skills, tools, (skill, tool, otherSkill, otherTool) => {
      const name = modelToolName(skill, tool);
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      // Hosts compare them without regard to case; two tools of one skill that differ only in it are left out.
      const other = modelToolName(otherSkill, otherTool);
      expect(name.toLowerCase() === other.toLowerCase()).toBe(
        skill === otherSkill && tool.toLowerCase() === otherTool.toLowerCase(),
      );
    }),
  );
});
