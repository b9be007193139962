import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { memoryJournal } from "@skillet/core";
import { testSkills } from "@skillet/core/testing";
import { afterEach, describe, expect, test } from "vitest";
import { type CodexRequest, codex as codexSkills } from "../../packages/adapters/src/codex.ts";
import { codex } from "./scripted-codex.ts";
import { serveStream } from "./serve-stream.ts";

const program = join(import.meta.dirname, "node_modules/@openai/codex/bin/codex.js");

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Notification {
  readonly method: string;
  readonly params?: { readonly turn?: object };
}

/** The real app server, with a home of its own and nothing but the scripted model to talk to. */
async function startServer(
  url: string,
  args: readonly string[],
  onNotification: (notification: Notification) => Promise<void>,
): Promise<{ readonly request: CodexRequest; readonly work: string; readonly turnEnd: Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), "skillet-codex-"));
  closing.push(() => rmSync(home, { recursive: true, force: true }));
  const work = join(home, "work");
  for (const folder of [work, join(home, ".codex")]) mkdirSync(folder);
  const settings = [
    'model = "scripted"\nmodel_provider = "loopback"\ncheck_for_update_on_startup = false',
    `[model_providers.loopback]\nname = "Loopback"\nbase_url = "${url}/v1"\nwire_api = "responses"`,
    "[features]\nplugins = false\napps = false\n[analytics]\nenabled = false\n",
  ];
  writeFileSync(join(home, ".codex/config.toml"), settings.join("\n"));
  const proxies = { HTTPS_PROXY: url, HTTP_PROXY: url, https_proxy: url, http_proxy: url };
  const child = spawn(process.execPath, [program, "app-server", ...args], {
    cwd: work,
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: process.env.PATH, HOME: home, NO_PROXY: "127.0.0.1", ...proxies },
  });
  closing.push(() => child.kill());
  const waiting = new Map<number, (answer: { readonly result?: unknown }) => void>();
  let endTurn = (): void => undefined;
  const turnEnd = new Promise<void>((resolve) => {
    endTurn = resolve;
  });
  let told = Promise.resolve();
  createInterface(child.stdout).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.id !== undefined) return waiting.get(message.id)?.(message);
    told = told.then(() => onNotification(message));
    if (message.method === "turn/completed") told.then(endTurn);
  });
  const request: CodexRequest = (method, params) =>
    new Promise((resolve, reject) => {
      const id = waiting.size + 1;
      waiting.set(id, ({ result, ...rest }) =>
        result === undefined ? reject(new Error(JSON.stringify(rest))) : resolve(result),
      );
      child.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
    });
  const clientInfo = { name: "skillet", title: "Skillet", version: "1.0.0" };
  await request("initialize", { clientInfo, capabilities: null });
  child.stdin.write(`${JSON.stringify({ method: "initialized" })}\n`);
  return { request, work, turnEnd };
}

const NO_BUNDLED = ["-c", "skills.bundled.enabled=false"];
const FILES = { "notes/SKILL.md": "---\nname: notes\ndescription: Writes notes.\n---\nAt most ten lines.\n" };

describe.skipIf(!existsSync(program))("Codex, by its app server", () => {
  test("a skill of an extra root is seen by the model, loaded and recorded", async () => {
    const journal = memoryJournal();
    const skills = await codexSkills(await testSkills(FILES, { records: journal }));
    closing.push(skills.close);
    let root = "";
    const model = await serveStream(codex, [
      () => [{ name: "exec_command", input: { cmd: `cat ${join(root, "notes/SKILL.md")}` } }],
      "Done.",
    ]);
    closing.push(model.close);
    const { request, work, turnEnd } = await startServer(model.url, NO_BUNDLED, skills.observe);
    await skills.attach((method, params) => {
      [root = ""] = (params as { readonly extraRoots?: readonly string[] }).extraRoots ?? [];
      return request(method, params);
    });
    const how = { cwd: work, approvalPolicy: "never", sandbox: "danger-full-access" };
    const { thread } = (await request("thread/start", how)) as { readonly thread: { readonly id: string } };
    const input = [{ type: "text", text: "Take notes", text_elements: [] }];
    await request("turn/start", { threadId: thread.id, input });
    await turnEnd;
    for (const told of [`\`${root}\``, "notes: Writes notes."])
      expect(model.requests[0]?.text).toContain(told);
    expect(model.requests.at(-1)?.results.join()).toContain("At most ten lines.");
    const records = journal.read().map((line) => JSON.parse(line).record);
    expect(records.filter(({ kind }) => kind === "implicit-use")).toMatchObject([
      { name: "notes", how: "instructions", host: "codex", callId: "call_1_0" },
    ]);
    expect(model.outside).toEqual([]);
  });

  test("12. the skills that Codex ships are refused beside ours", async () => {
    const model = await serveStream(codex, []);
    closing.push(model.close);
    const skills = await codexSkills(await testSkills(FILES));
    closing.push(skills.close);
    const { request } = await startServer(model.url, [], async () => undefined);
    await expect(skills.attach(request)).rejects.toMatchObject({ code: "native-skills-active" });
  });
});
