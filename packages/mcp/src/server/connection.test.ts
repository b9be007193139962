import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeRunner } from "@skillet/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { modern, request, serveFiles, skillText, writeFiles } from "./testing/serve-files.ts";

const PNG = Buffer.from("89504e470d0a1a0a00000000", "hex");
const FILES = {
  "deploy/SKILL.md": skillText("deploy", "Push it.", "metadata:\n  version: 1.10\n"),
  "deploy/references/hosts.md": "one\ntwo\n",
  "deploy/assets/logo.png": PNG,
  "greet/SKILL.md": skillText("greet", "Wave at $ARGUMENTS.", "argument-hint: who\n"),
  "quiet/SKILL.md": skillText("quiet", "Hush.", "disable-model-invocation: true\n"),
};

function digest(content: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

test("a client of 2025 is told the catalogue, the lists that change and the extension", async () => {
  const { ask } = await serveFiles(FILES, { version: "1.2.3" });
  const { result } = await ask("initialize", { protocolVersion: "2025-06-18", clientInfo: { name: "x" } });
  expect(result).toMatchObject({
    protocolVersion: "2025-06-18",
    serverInfo: { name: "skillet", version: "1.2.3" },
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true },
      extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } },
    },
    instructions: expect.stringMatching(/deploy[\s\S]*skill:\/\/NAME\/SKILL\.md/),
  });
  expect(result.instructions).not.toContain("quiet");
  const newer = await ask("initialize", { protocolVersion: "2099-01-01" });
  expect(newer.result.protocolVersion).toBe("2025-11-25");
});

test("a client of 2026 needs no handshake, and its results say how long they may be kept", async () => {
  const { connection } = await serveFiles(FILES);
  expect(await connection.handle(modern("server/discover"))).toMatchObject({
    result: {
      supportedVersions: ["2026-07-28"],
      resultType: "complete",
      ttlMs: 5000,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "skillet" } },
    },
  });
  expect(await connection.handle(modern("ping"))).toMatchObject({ error: { code: -32601 } });
  const other = modern("tools/list");
  Object.assign((other.params as { _meta: object })._meta, {
    "io.modelcontextprotocol/protocolVersion": "2030-01-01",
  });
  expect(await connection.handle(other)).toMatchObject({
    error: { code: -32022, data: { supported: ["2026-07-28"], requested: "2030-01-01" } },
  });
});

test("a client's name is recorded as one short line, in both forms", async () => {
  const name = `${"x".repeat(1000)}\n\u001b[2J`;
  const records = realpathSync(mkdtempSync(join(tmpdir(), "skillet-mcp-records-")));
  onTestFinished(() => rmSync(records, { recursive: true }));
  const call = { name: "load_skill", arguments: { name: "greet" } };
  const newer = modern("tools/call", call);
  Object.assign((newer.params as { _meta: object })._meta, {
    "io.modelcontextprotocol/clientInfo": { name },
  });
  for (const [form, messages] of Object.entries({
    newer: [newer],
    older: [request("initialize", { clientInfo: { name } }), request("tools/call", call)],
  })) {
    const { connection } = await serveFiles(FILES, { session: { records: join(records, form) } });
    for (const message of messages) await connection.handle(message);
    const journal = readFileSync(join(records, form, "journal.jsonl"), "utf8");
    expect(journal.match(/"host":"x+[^"]*"/)?.[0].length).toBeLessThan(120);
  }
});

test("arguments that are nested without end cost their own call alone", async () => {
  const { connection, ask } = await serveFiles(FILES, { onError: () => undefined });
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  for (const [method, params] of [
    ["tools/call", { name: "load_skill", arguments: { name: "greet", arguments: deep } }],
    ["tools/call", { name: "search_skills", arguments: deep }],
    ["prompts/get", { name: "greet", arguments: deep }],
    ["tools/list", deep],
  ] as const)
    expect(await connection.handle({ jsonrpc: "2.0", id: 1, method, params })).toMatchObject({ id: 1 });
  expect(await ask("tools/list")).toHaveProperty("result");
});

test("the extension lists every file of the skills for models with its digest, and gets those for people too", async () => {
  const { ask } = await serveFiles(FILES);
  const { result } = await ask("skills/list");
  expect(result.skills.map(({ uri }: { uri: string }) => uri)).toEqual([
    "skill://deploy/SKILL.md",
    "skill://greet/SKILL.md",
  ]);
  const file = (path: keyof typeof FILES) => ({
    uri: `skill://${path}`,
    digest: digest(FILES[path]),
    size: FILES[path].length,
  });
  expect(result.skills[0]).toEqual({
    uri: "skill://deploy/SKILL.md",
    frontmatter: { name: "deploy", description: "Does deploy.", metadata: { version: 1.1 } },
    resources: [file("deploy/SKILL.md"), file("deploy/assets/logo.png"), file("deploy/references/hosts.md")],
  });
  const got = await ask("skills/get", { uri: "skill://quiet/SKILL.md" });
  expect(got.result.skill.frontmatter).toMatchObject({ name: "quiet" });
});

test("files are read as text or base64, and nothing outside a skill has an address", async () => {
  const { ask, folder } = await serveFiles(FILES);
  writeFiles(join(folder, ".."), { "secret.txt": "secret" });
  const text = await ask("resources/read", { uri: "skill://deploy/references/hosts.md" });
  expect(text.result.contents).toEqual([
    { uri: "skill://deploy/references/hosts.md", mimeType: "text/markdown", text: "one\ntwo\n" },
  ]);
  const image = await ask("resources/read", { uri: "skill://deploy/assets/logo.png" });
  expect(image.result.contents[0].blob).toBe(PNG.toString("base64"));
  for (const uri of [
    "skill://deploy/../secret.txt",
    "skill://deploy/%2e%2e/%2e%2e/secret.txt",
    "skill://deploy/..%2f..%2fsecret.txt",
    "skill://deploy/references",
    "skill://nothing/SKILL.md",
    "file:///etc/passwd",
    "skill://deploy/SKILL.md?x",
  ])
    expect(await ask("resources/read", { uri })).toMatchObject({ error: { code: -32602 } });
  expect(await ask("skills/get", { uri: "skill://nothing/SKILL.md" })).toMatchObject({
    error: { code: -32602 },
  });
});

test("a folder lists its direct children, and what is not a folder is refused", async () => {
  const { ask } = await serveFiles(FILES);
  const { result } = await ask("resources/directory/read", { uri: "skill://deploy" });
  expect(result.resources).toEqual([
    { uri: "skill://deploy/SKILL.md", name: "SKILL.md", mimeType: "text/markdown", size: expect.any(Number) },
    { uri: "skill://deploy/assets", name: "assets", mimeType: "inode/directory" },
    { uri: "skill://deploy/references", name: "references", mimeType: "inode/directory" },
  ]);
  const inner = await ask("resources/directory/read", { uri: "skill://deploy/references/" });
  expect(inner.result.resources).toMatchObject([{ uri: "skill://deploy/references/hosts.md", size: 8 }]);
  for (const uri of ["skill://deploy/SKILL.md", "skill://deploy/..", "skill://"])
    expect(await ask("resources/directory/read", { uri })).toMatchObject({ error: { code: -32602 } });
});

test("a file that changed after it was listed is refused until its skill is asked for again", async () => {
  const { ask, folder } = await serveFiles(FILES);
  const uri = "skill://deploy/references/hosts.md";
  await ask("skills/list");
  writeFileSync(join(folder, "deploy/references/hosts.md"), "three\n");
  expect(await ask("resources/read", { uri })).toMatchObject({
    error: { code: -32603, message: expect.stringContaining("skills/get") },
  });
  const { result } = await ask("skills/get", { uri: "skill://deploy/SKILL.md" });
  expect(result.skill.resources[2]).toEqual({ uri, digest: digest("three\n"), size: 6 });
  expect((await ask("resources/read", { uri })).result.contents[0].text).toBe("three\n");
});

test("lists come in pages of a hundred, and a cursor from elsewhere is refused", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 120 }, (_, at) => {
      const name = `skill-${String(at).padStart(3, "0")}`;
      return [`${name}/SKILL.md`, skillText(name)];
    }),
  );
  const { ask } = await serveFiles(files);
  const first = await ask("skills/list");
  const second = await ask("skills/list", { cursor: first.result.nextCursor });
  expect([first.result.skills.length, second.result.skills.length]).toEqual([100, 20]);
  expect(second.result.nextCursor).toBeUndefined();
  expect(second.result.skills[0].uri).toBe("skill://skill-100/SKILL.md");
  expect(await ask("skills/list", { cursor: "bm8" })).toMatchObject({ error: { code: -32602 } });
});

test("a skill that the extension cannot carry is offered by tool and prompt, and the operator is told why", async () => {
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`big/data/${at}.txt`, `${at}`]));
  const notices: string[] = [];
  const { ask } = await serveFiles(
    { "big/SKILL.md": skillText("big"), ...many, "Odd_Name/SKILL.md": skillText("Odd_Name") },
    { onNotice: (notice) => notices.push(notice) },
  );
  expect((await ask("skills/list")).result.skills).toEqual([]);
  await ask("skills/list");
  expect(notices.sort()).toEqual([
    "Odd_Name is offered by tool and prompt only: the name breaks the rules of Agent Skills.",
    "big is offered by tool and prompt only: it has more than 512 files.",
  ]);
  expect(await ask("skills/get", { uri: "skill://big/SKILL.md" })).toMatchObject({
    error: { code: -32602, message: expect.stringContaining("512 files") },
  });
  const loaded = await ask("tools/call", { name: "load_skill", arguments: { name: "big" } });
  expect(loaded.result).toMatchObject({ isError: false });
});

test("tools load, read and search, and say truthfully what they do", async () => {
  const { ask } = await serveFiles(FILES);
  const { tools } = (await ask("tools/list")).result;
  expect(tools.map(({ name }: { name: string }) => name)).toEqual([
    "load_skill",
    "read_skill_resource",
    "search_skills",
  ]);
  for (const { annotations } of tools)
    expect(annotations).toEqual({ readOnlyHint: true, destructiveHint: false, openWorldHint: false });
  const loaded = await ask("tools/call", { name: "load_skill", arguments: { name: "deploy" } });
  expect(loaded.result.content[0].text).toContain("Push it.");
  const image = await ask("tools/call", {
    name: "read_skill_resource",
    arguments: { skill: "deploy", path: "assets/logo.png" },
  });
  expect(image.result.content[1]).toEqual({
    type: "image",
    data: PNG.toString("base64"),
    mimeType: "image/png",
  });
  const outside = { skill: "deploy", path: "../../secret.txt" };
  const refused = await ask("tools/call", { name: "read_skill_resource", arguments: outside });
  expect(refused.result).toMatchObject({ isError: true });
  const hidden = await ask("tools/call", { name: "load_skill", arguments: { name: "quiet" } });
  expect(hidden.result).toMatchObject({ isError: true });
  expect(await ask("tools/call", { name: "Bash", arguments: {} })).toMatchObject({ error: { code: -32602 } });
});

test("a search gives ten rows at most, whatever a model asks for", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => {
      const text = `---\nname: pdf-${at}\ndescription: Merges PDF files, way ${at}.\n---\nMerge.\n`;
      return [`pdf-${at}/SKILL.md`, text];
    }),
  );
  const { ask } = await serveFiles(files);
  const call = { name: "search_skills", arguments: { query: "merge pdf files", limit: 1000 } };
  const { result } = await ask("tools/call", call);
  const rows = result.content[0].text.match(/pdf-\d+/g);
  expect(new Set(rows).size).toBe(10);
});

test("scripts are a tool only where the operator allows one, and run only after the skill was loaded", async () => {
  const files = { ...FILES, "deploy/scripts/push.sh": "echo pushed\n" };
  const runner = fakeRunner({ "deploy:scripts/push.sh": () => "pushed" });
  const { ask, connect } = await serveFiles(files, { session: { runner } });
  const { tools } = (await ask("tools/list")).result;
  expect(tools.find(({ name }: { name: string }) => name === "run_skill_script").annotations).toEqual({
    readOnlyHint: false,
    destructiveHint: true,
    openWorldHint: true,
  });
  const run = { name: "run_skill_script", arguments: { skill: "deploy", path: "scripts/push.sh" } };
  await ask("tools/call", { name: "load_skill", arguments: { name: "deploy" } });
  const ran = await ask("tools/call", run);
  expect(ran.result.content[0].text).toContain("pushed");
  // What one client loaded, another has not.
  const other = await connect().handle(request("tools/call", run));
  expect(other).toMatchObject({ result: { isError: true } });
  expect(runner.calls).toHaveLength(1);
});

test("every skill that people may start is a prompt, with its arguments", async () => {
  const { ask } = await serveFiles(FILES);
  const { prompts } = (await ask("prompts/list")).result;
  expect(prompts).toEqual([
    { name: "deploy", description: "Does deploy." },
    {
      name: "greet",
      description: "Does greet.",
      arguments: [{ name: "arguments", description: "who", required: false }],
    },
    { name: "quiet", description: "Does quiet." },
  ]);
  const { result } = await ask("prompts/get", { name: "greet", arguments: { arguments: "Ann" } });
  expect(result.messages).toMatchObject([{ role: "user", content: { type: "text" } }]);
  expect(result.messages[0].content.text).toContain("Wave at Ann.");
  expect(await ask("prompts/get", { name: "nothing" })).toMatchObject({ error: { code: -32602 } });
});

test("messages that are not requests are refused, and notifications are not answered", async () => {
  const { connection } = await serveFiles(FILES);
  expect(await connection.handle([])).toMatchObject({ id: null, error: { code: -32600 } });
  expect(await connection.handle({ jsonrpc: "2.0", id: 1, result: {} })).toMatchObject({
    error: { code: -32600 },
  });
  expect(await connection.handle({ jsonrpc: "2.0", method: "notifications/initialized" })).toBeUndefined();
  expect(await connection.handle(request("toString"))).toMatchObject({ error: { code: -32601 } });
});

test("changed skills are told to clients that listen, each in its own form, and the next list has them", async () => {
  const { connection, sent, folder, ask } = await serveFiles(FILES);
  await ask("initialize", { protocolVersion: "2025-11-25" });
  await connection.handle({ jsonrpc: "2.0", method: "notifications/initialized" });
  writeFiles(folder, { "new/SKILL.md": skillText("new") });
  await connection.refresh();
  connection.tell();
  expect(sent.splice(0).map(({ method }) => method)).toEqual([
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
  ]);
  expect(JSON.stringify(await ask("skills/list"))).toContain("skill://new/SKILL.md");
});

test("a subscription is acknowledged, told what it asked for, and ended by its id", async () => {
  const { connection, sent } = await serveFiles(FILES);
  const listen = modern("subscriptions/listen", { notifications: { promptsListChanged: true } });
  await connection.handle(modern("tools/list"));
  expect(await connection.handle(listen)).toBeUndefined();
  connection.tell();
  const _meta = { "io.modelcontextprotocol/subscriptionId": listen.id };
  expect(sent.splice(0)).toMatchObject([
    { method: "notifications/subscriptions/acknowledged", params: { _meta } },
    { method: "notifications/prompts/list_changed", params: { _meta } },
  ]);
  const params = { requestId: listen.id };
  await connection.handle({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  connection.tell();
  expect(sent).toEqual([]);
});

test("a fault of the machine reaches the operator, and no client learns its words", async () => {
  const faults: unknown[] = [];
  const { ask, skills } = await serveFiles(FILES, { onError: (error) => faults.push(error) });
  await ask("skills/list");
  skills.reader.readFile = () => Promise.reject(new Error("EIO: /home/ann/skills"));
  const { error } = await ask("resources/read", { uri: "skill://deploy/SKILL.md" });
  expect(error).toEqual({ code: -32603, message: "The request could not be carried out." });
  expect(faults).toMatchObject([{ message: "EIO: /home/ann/skills" }]);
});
