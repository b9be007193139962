import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { mcpSource } from "./mcp-source.ts";
import { ENTRY, SKILL } from "./testing/lying-server.ts";

const ANSWERS = {
  "server/discover": {
    capabilities: { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } },
  },
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } },
  },
  "skills/list": { skills: [ENTRY], ttlMs: 0 },
  "resources/read": { contents: [{ uri: ENTRY.uri, text: SKILL }] },
};

/** A real server over the standard streams; `body` is run for each message before it is answered. */
function place({ body = "", before = "", pass = [] as string[], environment = {} } = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "skillet-stdio-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const note = join(folder, "note");
  const script = join(folder, "server.cjs");
  writeFileSync(
    script,
    `const fs = require("node:fs"); const note = (text) => fs.appendFileSync(${JSON.stringify(note)}, text + "\\n");
     const answers = ${JSON.stringify(ANSWERS)}; ${before}
     const send = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
     require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
       const { id, method, params, error } = JSON.parse(line);
       ${body}
       if (id !== undefined) send({ jsonrpc: "2.0", id, ...(answers[method] ? { result: answers[method] } : { error: { code: -32601, message: "no" } }) });
     });`,
  );
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const source = mcpSource({
    label: "own",
    requestMs: 1_500,
    signal: ending.signal,
    command: {
      argv: [process.execPath, script],
      cwd: folder,
      environment: { PATH: process.env.PATH, HOME: folder, ...environment },
      pass,
    },
  });
  const notes = (): string[] => (existsSync(note) ? readFileSync(note, "utf8").trim().split("\n") : []);
  return { source, notes, end: () => ending.abort() };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("a server that is started by a command is asked over its streams, and ends with everything that it started", async () => {
  const before = `const { spawn } = require("node:child_process");
    note(process.pid); note(spawn("sleep", ["1000"], { detached: true }).pid);`;
  const { source, notes, end } = place({ before });
  expect(notes()).toEqual([]);
  expect((await source.listSkills()).folders).toMatchObject([{ path: "pdf" }]);
  const { bytes } = await source.read("pdf/SKILL.md", { maxBytes: 10_000 });
  expect(Buffer.from(bytes).toString()).toBe(SKILL);
  const pids = notes().map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  end();
  await expect.poll(() => pids.map(isAlive), { timeout: 20_000 }).toEqual([false, false]);
});

test("it gets no variable but the usual ones and those that are named, and none of their values is in a message", async () => {
  const environment = { API_KEY: "key-0123456789", OTHER_KEY: "not-for-it", NODE_OPTIONS: "--no-warnings" };
  const { source, notes } = place({
    environment,
    pass: ["API_KEY"],
    body: `note(Object.keys(process.env).sort().join(" "));
      if (method === "skills/list") { console.error("bad " + process.env.API_KEY); process.exit(3); }`,
  });
  const error = await source.listSkills().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "mcp-unreachable",
    message: expect.stringContaining("ended with 3, and said: bad [hidden]"),
  });
  expect(inspect(error, { depth: 9 })).not.toContain("key-0123456789");
  expect(notes()[0]).toBe("API_KEY HOME PATH PWD SKILLET_PROCESS_MARK");
});

test("a server that hangs is ended at the deadline, and started again for the next request", async () => {
  const { source, notes } = place({
    body: `if (method === "resources/read" && !require("node:fs").existsSync(__filename + "x")) {
      fs.writeFileSync(__filename + "x", ""); note(process.pid); return; }`,
  });
  await source.listSkills();
  const read = () => source.read("pdf/SKILL.md", { maxBytes: 10_000 });
  await expect(read()).rejects.toMatchObject({ code: "mcp-timeout" });
  expect(notes().map(Number).map(isAlive)).toEqual([false]);
  expect((await read()).size).toBe(Buffer.byteLength(SKILL));
});

test("a server that knows only the handshake is understood, also if it keeps silent about what it does not know", async () => {
  // For its silence it is ended, and started once more; not again for each request.
  for (const [silence, starts] of [
    ["", 1],
    ["return;", 2],
  ] as const) {
    const { source, notes } = place({
      before: 'note("start");',
      body: `if (method === "server/discover") { ${silence} send({ id, error: { code: -32601, message: "no" } }); return; }`,
    });
    expect((await source.listSkills()).folders).toHaveLength(1);
    expect((await source.read("pdf/SKILL.md", { maxBytes: 10_000 })).size).toBe(Buffer.byteLength(SKILL));
    expect(notes()).toHaveLength(starts);
  }
});

test("what it asks is answered with a no, noise is passed over, and a line without an end ends it", async () => {
  const { source, notes } = place({
    body: `if (error) note("error " + error.code + " " + error.message);
      if (method === "skills/list") { console.log("noise"); console.log("[1,2"); send({ id: 1000, result: {} });
        send({ id: "r", method: "roots/list" }); }
      if (method === "resources/read") { const block = "x".repeat(1 << 20);
        const write = () => { while (process.stdout.write(block)); process.stdout.once("drain", write); }; write(); return; }`,
  });
  expect((await source.listSkills()).folders).toHaveLength(1);
  await expect.poll(notes).toEqual(["error -32601 This client answers no requests except ping."]);
  const read = source.read("pdf/SKILL.md", { maxBytes: 10_000 });
  await expect(read).rejects.toMatchObject({
    code: expect.stringMatching(/mcp-(?:message-too-large|timeout)/),
  });
});

test("a server that asks without end and does not read the answers does not have them kept for it", async () => {
  const { source, notes } = place({
    before: "let answers_ = 0;",
    body: `if (error) { answers_ += 1; return; }
      if (method === "skills/list") {
        process.stdin.pause();
        for (let at = 0; at < 40000; at += 1) send({ id: at + 100, method: "roots/list" });
        process.stdout.write("\\n", () => process.stdin.resume());
      }
      if (method === "resources/read") note(answers_);`,
  });
  await source.listSkills();
  await source.read("pdf/SKILL.md", { maxBytes: 10_000 });
  expect(Number(notes()[0])).toBeLessThan(20_000);
});

test("a program that is not there is a typed error, and an argument is never read by a shell", async () => {
  const command = { argv: ["skillet-no-such-program"], cwd: "/", environment: { PATH: "/usr/bin:bin" } };
  await expect(mcpSource({ label: "a", command }).listSkills()).rejects.toMatchObject({
    code: "mcp-command-not-found",
  });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "skillet-stdio-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const argv = ["/bin/echo", `$(touch ${folder}/made)`, ";", `touch ${folder}/made`];
  const source = mcpSource({ label: "a", requestMs: 1_000, command: { ...command, argv } });
  await expect(source.listSkills()).rejects.toMatchObject({ code: "mcp-unreachable" });
  expect(existsSync(join(folder, "made"))).toBe(false);
});
