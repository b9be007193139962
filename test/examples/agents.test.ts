import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveAgentModel } from "../agent/scripted-chat.ts";
import type { StreamRequest } from "../agents/serve-stream.ts";
import { type SeenRequest, type Step, serveModel } from "./scripted-model.ts";

// `npm test` installs them: 173 MB, which not everyone who works here needs.
const examples = join(import.meta.dirname, "../../examples");
const isInstalled = existsSync(join(examples, "node_modules/.package-lock.json"));
if (!isInstalled) console.warn("test/examples is skipped: run `npm ci` in examples first.");

const SKILL = "release-notes";
const SCRIPT_TOOL = "run_skill_script";
const OWN_TOOL = "release-notes__check_line";
const FINAL = "Three changes; the notes are above.";

/** One conversation, the same for every agent. */
const STEPS: readonly Step[] = [
  [
    { name: "load_skill", input: { name: 5, arguments: null, extra: [] } },
    { name: "load_skill", input: "{not json" },
  ],
  [{ name: "load_skill", input: { name: SKILL } }],
  [
    { name: "read_skill_resource", input: { skill: SKILL, path: "references/style.md" } },
    { name: "read_skill_resource", input: { skill: SKILL, path: "assets/new.png" } },
    { name: "read", input: { file_path: "changes.md" } },
  ],
  [{ name: SCRIPT_TOOL, input: { skill: SKILL, path: "scripts/count-changes.sh", args: ["changes.md"] } }],
  [{ name: OWN_TOOL, input: { line: "Export pages as PDF" } }],
  [{ name: "write", input: { file_path: "notes.md", content: "Export pages as PDF" } }],
  FINAL,
];

let dist: string;
let workspace: string;

describe.skipIf(!isInstalled)("examples", () => {
  beforeAll(() => {
    workspace = mkdtempSync(join(tmpdir(), "skillet-examples-"));
    for (const name of ["skills", "changes.md"])
      cpSync(join(examples, name), join(workspace, name), { recursive: true });
    mkdirSync(join(examples, "dist"), { recursive: true });
    dist = mkdtempSync(join(examples, "dist/test-"));
    runWithoutSandbox();
    const tsc = join(examples, "../node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "--project", examples, "--outDir", dist]);
    expect(stdout.toString()).toBe(""); // the faults of types, against the packages as they are published
  });
  afterAll(() => {
    for (const folder of [dist, workspace]) rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    { agent: "raw-loop", isHidden: true },
    { agent: "ai-sdk", isHidden: true },
    { agent: "openai-agents", isHidden: true, answers: ["y", "y", "n"] },
    { agent: "anthropic-sdk", isHidden: false, path: "" },
    { agent: "langchain", isHidden: true },
  ])("$agent: the model sees the skills, loads one and uses its files, scripts and tools", async (one) => {
    const { agent, isHidden, path = "/v1", answers = [] } = one;
    const written = join(workspace, "notes.md");
    rmSync(written, { force: true });
    const model = await serveModel(STEPS);
    const { output, questions } = await runAgent(agent, `${model.url}${path}`, answers).finally(model.close);
    expect(output).toBe(`${FINAL}\n`);
    expect(existsSync(written)).toBe(false);
    const { requests } = model;
    const [first, afterGarbage, afterLoading] = requests as [SeenRequest, SeenRequest, SeenRequest];

    expect(first.system).toContain(SKILL);
    expect(first.tools).toEqual(
      expect.arrayContaining(["load_skill", "read_skill_resource", SCRIPT_TOOL, "write"]),
    );
    expect([first, afterGarbage].some(({ tools }) => tools.includes(OWN_TOOL))).toBe(!isHidden);
    expect(afterLoading.tools).toContain(OWN_TOOL);

    const [garbage, notJson, loaded, style, image, changes, count, check, write] =
      requests.at(-1)?.results ?? [];
    expect(garbage).toContain("load_skill");
    expect(notJson).toMatch(/JSON|load_skill/);
    expect(loaded).toContain("# Release notes");
    expect(style).toContain("At most 60 characters");
    expect(image).toContain(agent === "anthropic-sdk" ? "[image]" : "image/png");
    expect(changes).toContain("# Changes since 1.3");
    expect(count).toContain("stdout:\n3");
    expect(check).toContain('"ok":true');
    expect(write).toContain("release-notes does not cover it");
    expect(questions).toBe(answers.length);
  });

  test("mcp-server: lists the tools of skills, carries out calls, and says when the list has changed", async () => {
    const client = startMcp();
    try {
      await client.request("initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      });
      client.notify("notifications/initialized");
      const call = (name: string, input: unknown) => client.request("tools/call", { name, arguments: input });
      const list = async () => ((await client.request("tools/list", {})) as { tools: McpTool[] }).tools;

      const before = await list();
      expect(before.map(({ name }) => name)).toEqual(["load_skill", "read_skill_resource", SCRIPT_TOOL]);
      expect(before[0]?.description).toContain(SKILL);
      expect(await call("load_skill", { name: 5 })).toMatchObject({ isError: true });

      const loading = client.nextListChanged();
      expect(await call("load_skill", { name: SKILL })).toMatchObject({ isError: false });
      await loading;
      expect((await list()).map(({ name }) => name)).toContain(OWN_TOOL);
      expect(await call(OWN_TOOL, { line: "Export pages as PDF" })).toMatchObject({ isError: false });
      expect(
        await call(SCRIPT_TOOL, { skill: SKILL, path: "scripts/count-changes.sh", args: ["changes.md"] }),
      ).toMatchObject({ content: [{ type: "text", text: expect.stringContaining("stdout:\n3") }] });
      expect(await call("read_skill_resource", { skill: SKILL, path: "assets/new.png" })).toMatchObject({
        content: [{ type: "text" }, { type: "image", mimeType: "image/png" }],
      });
      await expect(call("write", {})).rejects.toThrow("There is no tool write");

      mkdirSync(join(workspace, "skills/greet"));
      const greet = "---\nname: greet\ndescription: Says hello. Use to greet people.\n---\nWave.\n";
      writeFileSync(join(workspace, "skills/greet/SKILL.md"), greet);
      for (;;) {
        const changed = client.nextListChanged();
        if ((await list())[0]?.description.includes("greet")) break;
        await changed;
      }
    } finally {
      client.close();
    }
  });

  test("cli-agent: streams, asks before it writes, and goes on where it was left", async () => {
    const write = [{ name: "Write", input: { file_path: "hello.txt", content: "hi" } }];
    const model = await serveAgentModel("openai", [
      ...[write, "Not \u001b[2Jwritten.", write, "Written.", "Still here."],
    ]);
    try {
      const first = await talk(model.url, ["write it", "n", "write it", "y"]);
      expect(first.output).toBe("Not �[2Jwritten.\nWritten.\n");
      expect(first.errors).toContain("it changes hello.txt. Do it? [y/N]");
      expect(readFileSync(join(workspace, "hello.txt"), "utf8")).toBe("hi");
      const later = await talk(model.url, ["go on"]);
      expect(later.output).toBe("Still here.\n");
      expect(model.requests.at(-1)?.text).toContain("2Jwritten.");
    } finally {
      model.close();
    }
  });

  test("http-server: each person has a folder, permissions, a conversation and tokens of their own", async () => {
    const write = [{ name: "Write", input: { file_path: "mine.txt", content: "x" } }];
    const load = [{ name: "load_skill", input: { name: SKILL } }];
    // At once, so each request is answered by what it says itself.
    const step = ({ text, results }: StreamRequest): Step => {
      if (!text.includes("zeta")) return results.length === 0 ? write : "Done.";
      return results.length === 0 ? load : results.length === 1 ? write : "Done.";
    };
    const model = await serveAgentModel(
      "openai",
      Array.from({ length: 40 }, () => step),
    );
    const folder = mkdtempSync(join(workspace, "people-"));
    const server = await startServer(model.url, folder, {
      "ada-token": { name: "ada", allow: ["Write"] },
      "bob-token": { name: "bob", allow: [] },
      "cleo-token": { name: "cleo", allow: ["Write"] },
    });
    try {
      const send = (token: string, message: unknown) => server.post(token, JSON.stringify({ message }));
      const answers = await Promise.all([
        send("ada-token", "alpha"),
        send("bob-token", "beta"),
        send("cleo-token", "zeta"),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(answers[0]?.body).toMatchObject({ text: "Done.", tokens: { output: 10 }, isUnfinished: false });
      const has = (name: string): boolean => existsSync(join(folder, name, "files/mine.txt"));
      expect([has("ada"), has("bob"), has("cleo")]).toEqual([true, false, false]);
      // Bob may write nothing; Cleo may, but for as long as the skill that she loaded narrows her tools.
      const said = (name: string) => readFileSync(join(folder, name, "conversation.jsonl"), "utf8");
      expect(said("bob")).toContain("there is no one to ask");
      expect(said("cleo")).toContain("release-notes does not cover it");
      expect(said("ada")).not.toMatch(/does not cover|no one to ask|beta|zeta/);
      // At once again: one after the other, in her own conversation.
      const more = await Promise.all(["one", "two", "three"].map((message) => send("ada-token", message)));
      expect(more.map(({ body }) => body)).toEqual(
        more.map(() => expect.objectContaining({ text: "Done." })),
      );
      const words = [...said("ada").matchAll(/"type":"said","text":"(\w+)"/g)].map(([, word]) => word);
      expect(words.sort()).toEqual(["alpha", "one", "three", "two"]);
      expect(await send("wrong-token", "alpha")).toMatchObject({ status: 401 });
      expect(await send("ada-token", 5)).toMatchObject({ status: 400 });
      expect(await server.post("ada-token", "{")).toMatchObject({ status: 400 });
      expect(await server.post("ada-token", "x".repeat(100_000))).toMatchObject({ status: 413 });
    } finally {
      server.close();
      model.close();
    }
  });

  test("ci-bot: one document, and an exit code for done, refused and broken", async () => {
    const write = (file_path: string) => [{ name: "Write", input: { file_path, content: "x" } }];
    const model = await serveAgentModel("openai", [
      write("notes.md"),
      "Done.",
      write("other.md"),
      "Refused.",
    ]);
    try {
      expect(await runBot(model.url)).toMatchObject({
        code: 0,
        report: { ok: true, text: "Done.", refused: [] },
      });
      const refused = await runBot(model.url);
      expect(refused).toMatchObject({ code: 1, report: { ok: false, text: "Refused." } });
      expect(refused.report.refused).toEqual([expect.stringContaining("there is no one to ask")]);
      expect([existsSync(join(workspace, "notes.md")), existsSync(join(workspace, "other.md"))]).toEqual([
        true,
        false,
      ]);
    } finally {
      model.close();
    }
    expect(await runBot("http://models.test")).toMatchObject({
      code: 2,
      report: { ok: false, error: expect.stringContaining("cannot be asked") },
    });
  });
});

/** Types each line when the agent waits for one; the end of the input ends the conversation. */
async function talk(url: string, lines: readonly string[]) {
  const child = spawn(process.execPath, [join(dist, "cli-agent/agent.js"), `${url}/v1`], { cwd: workspace });
  let [output, errors, asked] = ["", "", 0];
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
    for (const waiting = errors.match(/> |\[y\/N\]/g)?.length ?? 0; asked < waiting; asked += 1)
      if (asked < lines.length) child.stdin.write(`${lines[asked]}\n`);
      else child.stdin.end();
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`cli-agent ended with ${code}:\n${errors}`);
  return { output: output.replace(/^\n|\n(?=\n)/g, ""), errors };
}

async function startServer(url: string, folder: string, users: object) {
  const child = spawn(process.execPath, [join(dist, "http-server/server.js"), `${url}/v1`, folder], {
    cwd: workspace,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, USERS: JSON.stringify(users) },
  });
  const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line")) as [
    string,
  ];
  const { port } = JSON.parse(line) as { readonly port: number };
  const post = async (token: string, body: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body });
    return { status: response.status, body: await response.json() };
  };
  return { post, close: () => child.kill() };
}

async function runBot(url: string) {
  const child = spawn(process.execPath, [join(dist, "ci-bot/bot.js"), `${url}/v1`, "write x"], {
    cwd: workspace,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, "close");
  rmSync(join(workspace, "run"), { recursive: true, force: true });
  return { code: code as number, report: JSON.parse(output) };
}

interface McpTool {
  readonly name: string;
  readonly description: string;
}

/** The lines of JSON-RPC that an MCP client sends and gets. */
function startMcp() {
  const child = spawn(process.execPath, [join(dist, "mcp-server/server.js")], {
    cwd: workspace,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map<number | string, { resolve(value: unknown): void; reject(error: Error): void }>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, method, result, error } = JSON.parse(line);
    const waiter = waiting.get(id ?? method);
    if (error === undefined) waiter?.resolve(result);
    else waiter?.reject(new Error(error.message));
  });
  const wait = (key: number | string) =>
    new Promise<unknown>((resolve, reject) => waiting.set(key, { resolve, reject }));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let lastId = 0;
  return {
    request: (method: string, params: object) => {
      lastId += 1;
      const answer = wait(lastId);
      send({ id: lastId, method, params });
      return answer;
    },
    notify: (method: string) => send({ method }),
    nextListChanged: () => wait("notifications/tools/list_changed"),
    close: () => child.kill(),
  };
}

/** A package of the same name that is found first, so that the machine's sandbox does not decide how a test ends. */
function runWithoutSandbox(): void {
  const folder = join(dist, "node_modules/@skillet/run");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `{"type":"module","exports":"./index.js"}`);
  const run = JSON.stringify(new URL("../../packages/run/dist/index.js", import.meta.url).href);
  writeFileSync(
    join(folder, "index.js"),
    `import { createRunner as create, noSandbox } from ${run};
export const createRunner = (options) => create({ ...options, sandbox: noSandbox() });`,
  );
}

/** Answers the questions on its terminal, one after the other. */
async function runAgent(
  agent: string,
  url: string,
  answers: readonly string[],
): Promise<{ readonly output: string; readonly questions: number }> {
  const child = spawn(process.execPath, [join(dist, agent, "agent.js"), url, "What is new since 1.3?"], {
    cwd: workspace,
  });
  let output = "";
  let errors = "";
  let questions = 0;
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
    while (errors.split("[y/N]").length - 1 > questions)
      child.stdin.write(`${answers[questions++] ?? "n"}\n`);
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`${agent} ended with ${code}:\n${errors}`);
  return { output, questions };
}
