import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { insideOf } from "../create-session.ts";
import type { ForkSession } from "../open-fork.ts";
import { generateSkills, openMemory } from "../search/testing/generated-library.ts";
import type { SourceReader } from "../skill-reader.ts";
import { openFolder } from "../testing/open-session.ts";
import type { OnFork } from "./skill-tools.ts";
import { call, openPlace, toolOf } from "./testing/open-toolbox.ts";

const TOOLS = [
  ["load_skill", "load", true],
  ["read_skill_resource", "read", true],
  ["run_skill_script", "script", true],
  ["forms__echo", "skill", false],
  ["forms__open", "skill", false],
];

describe("a toolbox", () => {
  test("has every tool of skills in one shape, those of skills that are not loaded as inactive", async () => {
    const { session } = await openPlace();
    const { tools } = await session.toolbox();
    expect(tools.map((tool) => [tool.name, tool.kind, tool.isActive()])).toEqual(TOOLS);
    for (const { inputSchema, description } of tools) {
      expect(inputSchema).toMatchObject({ type: "object", properties: {} });
      expect(description).not.toBe("");
    }
    expect(toolOf(await session.toolbox(), "load_skill").inputSchema.properties.name?.enum).toEqual([
      "forms",
      "notes",
    ]);
  });

  test("is empty without skills, and fills when a refresh finds some", async () => {
    const root = writeTree(join(temporaryDirectory(), "skills"), {});
    const session = await (await openFolder(root)).session();
    const toolbox = await session.toolbox();
    const heard: string[] = [];
    toolbox.onChange(() => heard.push(toolbox.version));
    expect(toolbox.tools).toEqual([]);
    writeTree(root, { "pdf/SKILL.md": skillText("pdf") });
    await session.refresh();
    expect(toolbox.tools.map(({ name }) => name)).toEqual(["load_skill", "read_skill_resource"]);
    expect(heard).toEqual([toolbox.version]);
  });

  test("says when its tools or their activity change, and nothing otherwise", async () => {
    const { session, root } = await openPlace({ onDrift: "report" });
    const toolbox = await session.toolbox();
    let heard = 0;
    const stop = toolbox.onChange(() => heard++);
    const [echo] = toolbox.tools.filter(({ name }) => name === "forms__echo");
    await session.activate("notes");
    expect(heard).toBe(1);
    await session.turn().end();
    expect(heard).toBe(2);
    await session.activate("forms");
    expect([heard, echo?.isActive()]).toEqual([3, true]);
    await session.refresh();
    expect(heard).toBe(3);
    await session.compact({ budgetTokens: 1 });
    expect([heard, echo?.isActive()]).toEqual([4, false]);
    await session.setMode("plan");
    expect(heard).toBe(5);
    await session.setMode("default");
    stop();
    rmSync(join(root, "forms"), { recursive: true });
    await session.refresh();
    expect(heard).toBe(6);
  });

  test("keeps its tools usable after a refresh and a change of the skill's other files", async () => {
    const { session, root } = await openPlace({ onDrift: "report" });
    const echo = toolOf(await session.toolbox(), "forms__echo");
    writeFileSync(join(root, "forms/references/guide.md"), "Another guide.\n");
    await session.refresh();
    await session.activate("forms");
    expect(await echo.execute({ text: "hi" })).toMatchObject({ isError: false, value: { text: "hi" } });
    writeFileSync(join(root, "forms/toolsets/forms.yaml"), "tools: []\n");
    await session.activate("forms");
    expect(await echo.execute({ text: "hi" })).toMatchObject({ isError: true, code: "tool-outdated" });
  });

  test("stays current, also where several were asked for at once", async () => {
    const { session } = await openPlace();
    const toolboxes = await Promise.all([session.toolbox(), session.toolbox({ strict: true })]);
    const heard = toolboxes.map(() => 0);
    for (const [index, toolbox] of toolboxes.entries()) toolbox.onChange(() => heard.splice(index, 1, 1));
    await session.activate("forms");
    expect(heard).toEqual([1, 1]);
  });

  test("keeps the tools that it has where they cannot be listed again, and says so on record", async () => {
    const { session } = await openPlace({ onDrift: "report" });
    const toolbox = await session.toolbox();
    const { reader } = insideOf(session);
    const indexResources = async (skill: Skill): Promise<ResourceIndex> => {
      if (skill.name === "forms") throw new Error("The disk is full.");
      return reader.indexResources(skill);
    };
    const readSkillFile = (skill: Skill): Promise<Uint8Array> => reader.readSkillFile(skill);
    const verifyTrust: SourceReader["verifyTrust"] = (...asked) => reader.verifyTrust(...asked);
    const isRemote = (skill: Skill): boolean => reader.isRemote(skill);
    Object.assign(insideOf(session), { reader: { indexResources, readSkillFile, verifyTrust, isRemote } });
    expect(await toolOf(toolbox, "load_skill").execute({ name: "notes" })).toMatchObject({ isError: false });
    expect(toolbox.tools.map(({ name }) => name)).toContain("forms__echo");
    expect((await session.recorded()).at(-1)).toMatchObject({
      kind: "refusal",
      error: { code: "tools-unlisted", message: "The disk is full." },
    });
  });

  test("gives schemas that a host may change, each time anew", async () => {
    const { session } = await openPlace();
    const { tools } = await session.toolbox();
    for (const tool of tools) {
      const { inputSchema } = tool;
      inputSchema.description = "changed";
      for (const property of Object.values(inputSchema.properties)) property.title = "changed";
      expect(JSON.stringify(tool.inputSchema)).not.toContain("changed");
    }
  });

  test("searches where the catalogue leaves skills out, and then takes any name", async () => {
    const session = await (await openMemory(generateSkills(60))).session();
    const { catalog, toolbox, text } = await session.prompt(["hello"], { budget: { characters: 1500 } });
    expect(catalog.report.omitted).toBeGreaterThan(0);
    expect(text).toContain("search_skills");
    expect(toolOf(toolbox, "load_skill").inputSchema.properties.name?.enum).toBeUndefined();
    const found = await toolOf(toolbox, "search_skills").execute({ query: "chess", limit: 1000 });
    expect((found.value as readonly unknown[]).length).toBeGreaterThan(0);
    const whole = await session.prompt(["hello"], { budget: "unlimited" });
    expect(whole.toolbox.tools.map(({ name }) => name)).not.toContain("search_skills");
    const asked = await session.toolbox({ search: true });
    expect(asked.tools.map(({ name }) => name)).toContain("search_skills");
  });

  test("lists the skills in load_skill for a host without a prompt", async () => {
    const { session } = await openPlace();
    const { description } = toolOf(await session.toolbox({ catalog: {} }), "load_skill");
    expect(description).toContain("forms");
    expect(description).toContain("Does notes.");
  });
});

describe("the strict form", () => {
  test("is what OpenAI takes: all required, optional ones nullable, closed, without keywords that it refuses", async () => {
    const { session } = await openPlace();
    const { tools } = await session.toolbox({ strict: true, search: true });
    const check = (schema: unknown): void => {
      if (typeof schema !== "object" || schema === null) return;
      if ("properties" in schema && typeof schema.properties === "object") {
        expect(schema).toMatchObject({
          additionalProperties: false,
          required: Object.keys(schema.properties ?? {}),
        });
      }
      for (const keyword of [
        "minLength",
        "maxLength",
        "pattern",
        "default",
        "minimum",
        "maximum",
        "maxItems",
      ])
        expect(schema).not.toHaveProperty([keyword]);
      Object.values(schema).forEach(check);
    };
    const strict = tools.filter((tool) => tool.strict);
    for (const { inputSchema } of strict) check(inputSchema);
    expect(tools.filter((tool) => !tool.strict).map(({ name }) => name)).toEqual(["forms__open"]);
    expect(toolOf({ tools } as never, "forms__open").inputSchema.properties.map).toEqual({ type: "object" });
    const inputs: Record<string, object> = {
      load_skill: { name: "forms", arguments: null, file_path: null },
      read_skill_resource: { skill: "forms", path: "references/guide.md", maxBytes: null },
      search_skills: { query: "forms", limit: null },
      run_skill_script: {
        skill: "forms",
        path: "scripts/echo.sh",
        args: null,
        stdin: "x",
        cwd: null,
        timeoutMs: null,
      },
      forms__echo: { text: "hi", loud: null },
    };
    for (const { name, inputSchema, execute } of strict) {
      const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(inputSchema);
      expect([name, validate(inputs[name]), validate({ ...inputs[name], other: 1 })]).toEqual([
        name,
        true,
        false,
      ]);
      expect(await execute(inputs[name]), name).toMatchObject({ isError: false });
    }
  });
});

describe("load_skill", () => {
  test("gives instructions with their arguments, or a file of the skill", async () => {
    const { session } = await openPlace();
    expect(await call(session, "load_skill", { name: "forms", arguments: "tax.pdf" })).toMatchObject({
      text: expect.stringContaining("Fill tax.pdf."),
      isError: false,
      value: { name: "forms" },
    });
    expect(await call(session, "load_skill", '{"name":"notes","file_path":null}')).toMatchObject({
      text: expect.stringContaining("Instructions."),
    });
    expect(
      await call(session, "load_skill", { name: "forms", file_path: "references/guide.md" }),
    ).toMatchObject({
      text: "The guide.\n",
    });
    for (const file_path of ["../notes/SKILL.md", "/etc/passwd", "", "none.md"])
      expect(await call(session, "load_skill", { name: "forms", file_path })).toMatchObject({
        isError: true,
      });
  });

  test("says what a model can do about a name that does not exist, and records what it refuses", async () => {
    const { session } = await openPlace();
    expect(await call(session, "load_skill", { name: "form" })).toMatchObject({
      isError: true,
      code: "skill-not-found",
      text: 'There is no skill "form". Did you mean forms?',
    });
    expect(await call(session, "load_skill", { nam: "told in confidence" })).toMatchObject({
      code: "tool-input-invalid",
      text: expect.stringContaining('lacks "name"'),
    });
    const records = await session.recorded();
    expect(records).toMatchObject([
      { kind: "refusal", what: "activate", error: { code: "skill-not-found" } },
      { kind: "refusal", what: "tool", subject: "load_skill", error: { code: "tool-input-invalid" } },
    ]);
    expect(JSON.stringify(records)).not.toContain("confidence");
  });

  test("runs a skill that wants a sub-agent in the host's, and gives back its summary", async () => {
    const forked = "---\nname: look\ndescription: Looks.\ncontext: fork\n---\nLook at $ARGUMENTS.\n";
    const { session } = await openPlace({ tree: { "look/SKILL.md": forked } });
    const inline = await call(session, "load_skill", { name: "look", arguments: "it" });
    expect(inline.text).toContain("Look at it.");
    const children: string[] = [];
    const toolbox = await session.toolbox({
      onFork: async (child, options) => {
        children.push(child.parentRunId);
        const own = await child.toolbox({ onFork: () => Promise.reject(new Error("forked again")) });
        expect(await toolOf(own, "load_skill").execute({ name: "look" }, options)).toMatchObject({
          isError: false,
        });
        return "Nothing\u202e was found.";
      },
    });
    expect(await toolOf(toolbox, "load_skill").execute({ name: "look", arguments: "that" })).toMatchObject({
      text: "Nothing was found.",
      isError: false,
    });
    expect(children).toEqual(["run-1"]);
    expect(await toolOf(toolbox, "load_skill").execute({ name: "notes" })).toMatchObject({
      text: expect.stringContaining("Instructions."),
    });
  });
});

describe("read_skill_resource", () => {
  test("gives text, cut where it is asked to, and the bytes of an image", async () => {
    const { session, root } = await openPlace();
    const read = (path: string, rest: object = {}): ReturnType<typeof call> =>
      call(session, "read_skill_resource", { skill: "forms", path, ...rest });
    expect(await read("references/guide.md")).toMatchObject({ text: "The guide.\n", isError: false });
    expect((await read("references/guide.md", { maxBytes: 3 })).text).toMatch(/^The\n\[Cut: .* 11 bytes/);
    const image = await read("assets/logo.png");
    expect(image.text).toBe("assets/logo.png is binary: image/png, 10 bytes.");
    expect(image.parts).toMatchObject([
      { type: "text", text: image.text },
      { type: "file", mediaType: "image/png", filename: "logo.png" },
    ]);
    expect(JSON.stringify(await session.recorded())).not.toContain('"bytes"');
    expect(await read("none.md")).toMatchObject({ isError: true, code: "resource-not-indexed" });
    await session.activate("forms");
    rmSync(join(root, "forms/references/guide.md"));
    expect(await read("references/guide.md")).toMatchObject({
      code: "resource-not-found",
      text: "references/guide.md is no longer there.",
    });
  });
});

describe("tools of scripts", () => {
  test("say to load the skill first, then run and give what the script wrote", async () => {
    const { session, runner } = await openPlace();
    const script = { skill: "forms", path: "scripts/echo.sh", stdin: "written" };
    for (const [name, input] of [
      ["run_skill_script", script],
      ["forms__echo", { text: "a" }],
    ] as const)
      expect(await call(session, name, input)).toMatchObject({
        isError: true,
        code: "skill-not-activated",
        text: expect.stringMatching(/Load it first|load it first/),
      });
    expect(runner.calls).toEqual([]);
    await session.activate("forms");
    expect(await call(session, "run_skill_script", script)).toMatchObject({
      text: "The script ended with exit code 0.\nstdout:\nwritten",
      isError: false,
    });
    expect(await call(session, "forms__echo", { text: "a", loud: null })).toMatchObject({
      text: '{"text":"a"}',
      isError: false,
      value: { text: "a" },
    });
  });
});

describe("a skill that asks for a sub-agent", () => {
  const tree = { "sub/SKILL.md": "---\nname: sub\ndescription: Sub.\ncontext: fork\n---\nDo $ARGUMENTS.\n" };

  test("is loaded in the child by the approval that was given for the call", async () => {
    const config = "policy: { rules: [{ skill: sub, action: ask }] }";
    const { session } = await openPlace({ tree, config, interactive: true });
    const onFork: OnFork = async (child) => `did: ${child.activation?.name}`;
    const load = toolOf(await session.toolbox({ onFork }), "load_skill");
    expect(await load.execute({ name: "none" })).toMatchObject({ code: "skill-not-found" });
    expect((await session.recorded()).at(-1)).toMatchObject({
      kind: "refusal",
      what: "activate",
      subject: "none",
    });
    const input = { name: "sub", arguments: "it" };
    const { question } = await load.preflight(input);
    expect(await load.execute(input)).toMatchObject({
      code: "approval-needed",
      question: { id: question?.id },
    });
    const approval = { choice: "allow", id: question?.id };
    expect(await load.execute({ ...input, arguments: "other" }, { approval })).toMatchObject({
      isError: true,
    });
    expect(await load.execute(input, { approval })).toMatchObject({ isError: false, text: "did: sub" });
  });

  test.each<[string, OnFork, RegExp]>([
    [
      "fails",
      () => {
        throw new Error("no agent here");
      },
      /no agent here/,
    ],
    ["hangs", () => new Promise(() => undefined), /enough/],
  ])("is ended where the host's agent %s, and the host hears of it", async (_what, behave, expected) => {
    const { session } = await openPlace({ tree });
    const children: ForkSession[] = [];
    const over = new AbortController();
    const onFork: OnFork = (child, options) => {
      children.push(child);
      expect(options.signal).toBe(over.signal);
      setImmediate(() => over.abort(new Error("enough")));
      return behave(child, options);
    };
    const load = toolOf(await session.toolbox({ onFork }), "load_skill");
    await expect(load.execute({ name: "sub" }, { signal: over.signal })).rejects.toThrow(expected);
    await expect(children[0]?.guard({ tool: "Read" })).rejects.toMatchObject({ code: "session-ended" });
    expect(await session.guard({ tool: "Read" })).toMatchObject({ allowed: true });
  });
});

describe("what the operator must fix is thrown, and no model hears of it", () => {
  test("a session that ended", async () => {
    const { session } = await openPlace();
    const child = await session.fork({ skills: ["forms"] });
    const { tools } = await child.toolbox();
    await child.finish("done");
    for (const tool of tools) {
      await expect(tool.execute({})).rejects.toMatchObject({ code: "session-ended" });
      await expect(tool.preflight({})).rejects.toMatchObject({ code: "session-ended" });
    }
  });

  test("records that cannot be written", async () => {
    const { session } = await openPlace();
    const { tools } = await session.toolbox();
    rmSync(session.runFolder, { recursive: true });
    writeFileSync(session.runFolder, "in the way");
    for (const input of [{ name: "forms" }, { name: 5 }])
      await expect(toolOf({ tools } as never, "load_skill").execute(input)).rejects.toThrow();
  });

  test("a file that cannot be read is told without its place", async () => {
    const { session, root } = await openPlace();
    rmSync(join(root, "forms/SKILL.md"));
    mkdirSync(join(root, "forms/SKILL.md"));
    const result = await call(session, "load_skill", { name: "forms" });
    expect(result.isError).toBe(true);
    expect(result.text).not.toContain(root);
  });

  test("a skill whose files are gone is told without its place", async () => {
    const { session, root } = await openPlace();
    await session.activate("forms");
    const { tools } = await session.toolbox();
    rmSync(join(root, "forms"), { recursive: true });
    for (const [name, input] of [
      ["load_skill", { name: "forms" }],
      ["run_skill_script", { skill: "forms", path: "scripts/echo.sh" }],
      ["forms__echo", { text: "a" }],
    ] as const) {
      const tool = toolOf({ tools } as never, name);
      const result = await tool.execute(input);
      expect(result).toMatchObject({ isError: true });
      expect(result.text + JSON.stringify(await tool.preflight(input))).not.toContain(root);
    }
  });
});
