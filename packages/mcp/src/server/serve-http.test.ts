import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import type { OpenSkillsOptions } from "@skillet/core";
import { expect, onTestFinished, test } from "vitest";
import { type HttpOptions, serveHttp } from "./serve-http.ts";
import { modern, openFiles, request, skillText, writeFiles } from "./testing/serve-files.ts";

const FILES = { "greet/SKILL.md": skillText("greet") };

async function serve(options: HttpOptions & { readonly open?: OpenSkillsOptions } = {}) {
  const { open, ...given } = options;
  const { skills, folder } = await openFiles(FILES, open);
  const server = await serveHttp(skills, { watch: false, ...given });
  onTestFinished(() => server.close());
  const { port } = new URL(server.url);
  const headers = { "content-type": "application/json", authorization: `Bearer ${server.token}` };
  const post = (message: object, more: Record<string, string> = {}) =>
    fetch(server.url, {
      method: "POST",
      body: JSON.stringify(message),
      headers: { ...headers, ...more },
    });
  return { ...server, port: Number(port), headers, post, folder };
}

/** As a browser or an attacker's script would send it: any Host, also several. */
async function send(
  port: number,
  {
    method = "POST",
    path = "/mcp",
    headers = {},
    body = JSON.stringify(request("ping")),
  }: {
    method?: string;
    path?: string;
    headers?: Record<string, string | string[]>;
    body?: string;
  },
): Promise<number> {
  const sent = httpRequest({ host: "127.0.0.1", port, method, path, headers, setHost: false });
  sent.end(method === "GET" ? undefined : body);
  const [response] = await once(sent, "response");
  response.resume();
  return response.statusCode;
}

function modernHeaders(message: Record<string, unknown>, name?: string): Record<string, string> {
  return {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": String(message.method),
    ...(name !== undefined && { "mcp-name": name }),
  };
}

test("a request under another name than this machine's is refused, whatever token it has", async () => {
  const { port, headers } = await serve();
  const hosts = [
    "evil.test",
    `evil.test:${port}`,
    `127.evil.test:${port}`,
    "127.0.0.1",
    `127.0.0.1:${port}x`,
    "",
  ];
  for (const host of hosts)
    expect([host, await send(port, { headers: { ...headers, host } })]).toEqual([host, 421]);
  expect(await send(port, { headers: { ...headers, host: `localhost:${port}` } })).toBe(400);
  expect(await send(port, { headers, path: "/mcp" })).toBeOneOf([400, 421]);
  const absolute = { headers: { ...headers, host: `127.0.0.1:${port}` }, path: "http://evil.test/mcp" };
  expect(await send(port, absolute)).toBe(404);
});

test("two Hosts are refused", async () => {
  const { port, token } = await serve();
  const socket = connect(port, "127.0.0.1");
  const lines = [
    "POST /mcp HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Host: evil.test",
    `Authorization: Bearer ${token}`,
  ];
  socket.end(`${lines.join("\r\n")}\r\nContent-Length: 0\r\n\r\n`);
  const [data] = await once(socket, "data");
  expect(String(data)).toMatch(/^HTTP\/1\.1 4(?:00|21) /);
});

test("without the token nothing is served, and a wrong one is none", async () => {
  const { port, token } = await serve();
  const host = `127.0.0.1:${port}`;
  for (const authorization of [undefined, "", "Bearer ", `Bearer ${token}x`, token, `Basic ${token}`])
    for (const method of ["POST", "GET", "DELETE"]) {
      const headers = {
        host,
        "content-type": "application/json",
        ...(authorization !== undefined && { authorization }),
      };
      expect(await send(port, { method, headers })).toBe(401);
    }
  await expect(serve({ token: "short" })).rejects.toMatchObject({ code: "mcp-token-weak" });
});

test("pages of other origins are refused, and no browser is told that it may ask", async () => {
  const { port, headers, url, post } = await serve();
  const host = `127.0.0.1:${port}`;
  for (const origin of ["http://evil.test", "null", `http://127.0.0.1:${port + 1}`, `https://${host}`])
    expect(await send(port, { headers: { ...headers, host, origin } })).toBe(403);
  expect(await send(port, { headers: { ...headers, host, "sec-fetch-site": "cross-site" } })).toBe(403);
  expect(await send(port, { method: "OPTIONS", headers: { ...headers, host } })).toBe(403);
  const own = await post(request("initialize"), { origin: new URL(url).origin });
  expect(own.status).toBe(200);
  expect([...own.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
});

test("only JSON of a bounded size is read, and only at its one address", async () => {
  const { port, headers } = await serve();
  const host = `127.0.0.1:${port}`;
  expect(await send(port, { headers: { ...headers, host, "content-type": "text/plain" } })).toBe(415);
  expect(await send(port, { headers: { ...headers, host }, path: "/" })).toBe(404);
  expect(await send(port, { headers: { ...headers, host }, body: "no json" })).toBe(400);
  expect(await send(port, { method: "PUT", headers: { ...headers, host } })).toBe(405);
  const large = { ...headers, host, "content-length": "5000000" };
  expect(await send(port, { headers: large, body: "" }).catch(() => 413)).toBe(413);
});

test("a client of 2025 has a session by its id, hears of changes on its stream, and ends it", async () => {
  const { post, url, headers, folder } = await serve({ watch: true });
  const opened = await post(request("initialize", { protocolVersion: "2025-11-25" }));
  const id = opened.headers.get("mcp-session-id") ?? "";
  expect(await opened.json()).toMatchObject({ result: { serverInfo: { name: "skillet" } } });
  const session = { "mcp-session-id": id };
  expect((await post({ jsonrpc: "2.0", method: "notifications/initialized" }, session)).status).toBe(202);
  const tools = await post(request("tools/list"), session);
  expect(await tools.json()).toMatchObject({ result: { tools: [{ name: "load_skill" }, {}, {}] } });
  const stream = await fetch(url, { headers: { ...headers, ...session, accept: "text/event-stream" } });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  writeFiles(folder, { "new/SKILL.md": skillText("new") });
  expect((await reader?.read())?.value).toContain("notifications/tools/list_changed");
  expect((await fetch(url, { method: "DELETE", headers: { ...headers, ...session } })).status).toBe(200);
  expect((await post(request("tools/list"), session)).status).toBe(404);
  expect((await post(request("tools/list"))).status).toBe(400);
});

test("a client of 2026 is answered without a session, if its headers say what its body says", async () => {
  const { post } = await serve();
  const list = modern("skills/list");
  const answered = await post(list, modernHeaders(list));
  expect(await answered.json()).toMatchObject({ result: { skills: [{ uri: "skill://greet/SKILL.md" }] } });
  expect(answered.headers.get("mcp-session-id")).toBeNull();
  const read = modern("resources/read", { uri: "skill://greet/SKILL.md" });
  const encoded = `=?base64?${Buffer.from("skill://greet/SKILL.md").toString("base64")}?=`;
  for (const [name, status] of [
    ["skill://greet/SKILL.md", 200],
    [encoded, 200],
    ["skill://x", 400],
  ] as const)
    expect((await post(read, modernHeaders(read, name))).status).toBe(status);
  expect(
    (await post(list, { "mcp-method": "tools/list", "mcp-protocol-version": "2026-07-28" })).status,
  ).toBe(400);
  expect((await post(list)).status).toBe(400);
  const none = modern("nothing/here");
  expect((await post(none, modernHeaders(none))).status).toBe(404);
});

test("a subscription of 2026 is a stream that is acknowledged and told of changes", async () => {
  const { post, folder } = await serve({ watch: true });
  const listen = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const stream = await post(listen, modernHeaders(listen));
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toContain("notifications/subscriptions/acknowledged");
  writeFiles(folder, { "new/SKILL.md": skillText("new") });
  expect((await reader?.read())?.value).toContain("notifications/tools/list_changed");
  await reader?.cancel();
});

test("a client that is not heard of any more loses its session", async () => {
  const { post } = await serve({ idleMs: 1 });
  const opened = await post(request("initialize"));
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  await expect.poll(async () => (await post(request("ping"), session)).status, { timeout: 60_000 }).toBe(404);
});

test("clients that never end their sessions lose the oldest, and the newest works", async () => {
  const { post } = await serve();
  const sessions: Record<string, string>[] = [];
  for (let at = 0; at < 258; at += 1) {
    const opened = await post(request("initialize"));
    sessions.push({ "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" });
  }
  const status = async (at: number) => (await post(request("ping"), sessions.at(at))).status;
  expect([await status(0), await status(1), await status(2), await status(-1)]).toEqual([404, 404, 200, 200]);
});

test("what one client loaded is not loaded for another", async () => {
  const { post } = await serve();
  const open = async () => {
    const opened = await post(request("initialize"));
    return { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  };
  const [one, other] = [await open(), await open()];
  const load = { name: "load_skill", arguments: { name: "greet" } };
  const text = async (session: Record<string, string>) =>
    JSON.stringify(await (await post(request("tools/call", load), session)).json());
  expect(await text(one)).toContain("Do it.");
  expect(await text(one)).not.toContain("Do it.");
  expect(await text(other)).toContain("Do it.");
});
