import { expect, test } from "vitest";
import { readAgentPluginServers } from "./agent-plugin-servers.ts";
import { listServers } from "./mcp-servers.ts";

const MANIFEST = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const SCHEMA = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";

const readText = (text: string, schema = MANIFEST) =>
  readAgentPluginServers(Buffer.from(text), { file: "mcp.json", schema });
const read = (mcpServers: unknown) => readText(JSON.stringify({ $schema: SCHEMA, mcpServers }));
const ROOT = `\${PLUGIN_ROOT}`;
const DATA = `\${PLUGIN_DATA}`;

test("the three kinds of server are read", () => {
  const servers = {
    local: { type: "stdio", command: "./bin/my server", args: ["", "a b"], env: { A: "" }, cwd: "./" },
    bare: { type: "stdio", command: "npx", cwd: DATA },
    web: { type: "streamable-http", url: "https://example.com/mcp?a=$B", headers: { "X-A": `${ROOT}` } },
    old: { type: "sse", url: "http://localhost:8080/sse" },
    here: { type: "sse", url: "http://[::1]/sse" },
    there: { type: "sse", url: "http://127.9.9.9/" },
  };
  const expected = Object.entries(servers).map(([name, server]) => ({ name, ...server }));
  expect(read(servers)).toEqual({ servers: expected, diagnostics: [] });
  expect(read({})).toEqual({ servers: [], diagnostics: [] });
});

const stdio = (more: object) => ({ type: "stdio", command: "node", ...more });
const web = (more: object) => ({ type: "streamable-http", url: "https://example.com/", ...more });

test.each<[string, unknown]>([
  ["not an object", 7],
  ["no type", { command: "node" }],
  ["an unknown type", { type: "http", url: "https://example.com" }],
  ["no command", { type: "stdio" }],
  ["an unknown field", stdio({ disabled: true })],
  ["a field of another kind", stdio({ url: "https://example.com" })],
  ["a key of a prototype", JSON.parse('{"type":"stdio","command":"node","__proto__":{"cwd":"/"}}')],
  ["a command above the plugin", stdio({ command: "../bin/server" })],
  ["a command that climbs out", stdio({ command: "./bin/../../server" })],
  ["a command that climbs out with backslashes", stdio({ command: ".\\..\\server" })],
  ["an absolute command", stdio({ command: "/bin/sh" })],
  ["a path without ./", stdio({ command: "bin/server" })],
  ["a placeholder for a path", stdio({ command: `${ROOT}/bin/server` })],
  ["a shell command", stdio({ command: "npx -y server" })],
  ["an empty command", stdio({ command: "" })],
  ["args that are not texts", stdio({ args: [1] })],
  ["args that are one text", stdio({ args: "a" })],
  ["a NUL", stdio({ args: ["a\0"] })],
  ["a reserved variable", stdio({ env: { PLUGIN_ROOT: "/" } })],
  ["the other reserved variable", stdio({ env: { PLUGIN_DATA: "/" } })],
  ["a variable that is not text", stdio({ env: { A: 1 } })],
  ["a cwd without ./", stdio({ cwd: "data" })],
  ["a cwd above the plugin", stdio({ cwd: "./.." })],
  ["a cwd above the data", stdio({ cwd: `${DATA}/..` })],
  ["a cwd beside the data", stdio({ cwd: `${DATA}-other` })],
  ["an absolute cwd", stdio({ cwd: "/" })],
  ["no url", { type: "sse" }],
  ["plain http", web({ url: "http://example.com/" })],
  ["http on a host that looks like this machine", web({ url: "http://127.0.0.1.example.com/" })],
  ["http on a host that ends like this machine", web({ url: "http://evil-localhost/" })],
  ["http with this machine as the user", web({ url: "http://localhost@example.com/" })],
  ["another protocol", web({ url: "file:///etc/passwd" })],
  ["a relative address", web({ url: "/mcp" })],
  ["a user", web({ url: "https://me:pw@example.com/" })],
  ["a fragment", web({ url: "https://example.com/#a" })],
  ["a header twice", web({ headers: { "X-A": "1", "x-a": "2" } })],
  ["a header with a line break", web({ headers: { "X-A": "1\r\nHost: x" } })],
  ["the name of a header with a space", web({ headers: { "X A": "1" } })],
])("a server with %s is skipped and reported, and the others are used", (_, bad) => {
  const { servers, diagnostics } = read({ bad, good: stdio({}) });
  expect(servers).toEqual([{ name: "good", ...stdio({}) }]);
  expect(diagnostics.length).toBeGreaterThan(0);
  for (const { code, severity, range, message, hint } of diagnostics) {
    expect([code, severity, range]).toEqual(["agent-plugin-server-skipped", "error", expect.anything()]);
    expect(message).toMatch(/^`mcpServers\.bad.*, so this server is not used\.$/);
    expect(hint).toMatch(/^[A-Z].*\.$/);
  }
});

const good = { good: stdio({}) };

test.each([
  ["is not JSON", "{"],
  ["has no schema", JSON.stringify({ mcpServers: good })],
  [
    "has a schema of another version",
    JSON.stringify({ $schema: SCHEMA.replace("1.0.0", "1.1.0"), mcpServers: good }),
  ],
  [
    "has a schema of another host",
    JSON.stringify({ $schema: SCHEMA.replace(".org", ".com"), mcpServers: good }),
  ],
  ["has no servers", JSON.stringify({ $schema: SCHEMA })],
  ["has a list of servers", JSON.stringify({ $schema: SCHEMA, mcpServers: [] })],
  ["has further fields", JSON.stringify({ $schema: SCHEMA, mcpServers: good, inputs: [] })],
  ["names a server twice", `{"$schema":"${SCHEMA}","mcpServers":{"a":${JSON.stringify(good.good)},"a":{}}}`],
  ["is too large", JSON.stringify({ $schema: SCHEMA, mcpServers: { ...good, x: "x".repeat(300_000) } })],
  ["is nested too deep", `{"$schema":"${SCHEMA}","mcpServers":${"[".repeat(9_999)}`],
])("an mcp.json that %s gives no server", (_, text) => {
  const { servers, diagnostics } = readText(text);
  expect(servers).toEqual([]);
  expect(diagnostics.map(({ code }) => code)).toEqual(["agent-plugin-server-skipped"]);
  expect(diagnostics[0]?.message).toContain("so no server of this plugin is used.");
});

test("a thousand bad servers are reported by the first few, and the good one is used", () => {
  const bad = Array.from({ length: 1_000 }, (_, index) => [`s${index}`, {}]);
  const { servers, diagnostics } = read({ ...Object.fromEntries(bad), ...good });
  expect(servers.map(({ name }) => name)).toEqual(["good"]);
  expect(diagnostics.length).toBe(20);
});

test("placeholders are filled once, in arguments, values and the folder, and nowhere else", () => {
  const { servers } = read({
    a: {
      type: "stdio",
      command: `./bin/${DATA}`,
      args: [`${ROOT}/x`, `${DATA}${ROOT}`, `\${HOME}`, "$PLUGIN_ROOT", `\${PLUGIN_ROOT_X}`],
      env: { A: `${DATA}/a`, [`${ROOT}`]: "key" },
      cwd: `${DATA}/work`,
    },
    b: { type: "stdio", command: "node" },
    c: { type: "streamable-http", url: `https://example.com/?${ROOT}`, headers: { A: `${ROOT}` } },
  });
  const data = `/data/${ROOT}`;
  const plugin = { name: "kit", digest: "sha256:0" as const, root: "/plugin", data, files: [], hooks: [] };
  const environment = { HOME: "/home/me", PLUGIN_ROOT: "/elsewhere" };
  expect(listServers([{ ...plugin, mcpServers: servers }], environment)).toEqual([
    {
      plugin: "kit",
      name: "a",
      type: "stdio",
      command: `/plugin/bin/${DATA}`,
      args: ["/plugin/x", `${data}/plugin`, `\${HOME}`, "$PLUGIN_ROOT", `\${PLUGIN_ROOT_X}`],
      env: { A: `${data}/a`, [`${ROOT}`]: "key", PLUGIN_ROOT: "/plugin", PLUGIN_DATA: data },
      cwd: `${data}/work`,
      missing: [],
    },
    {
      plugin: "kit",
      name: "b",
      type: "stdio",
      command: "node",
      cwd: "/plugin",
      missing: [],
      env: { PLUGIN_ROOT: "/plugin", PLUGIN_DATA: data },
    },
    { plugin: "kit", ...servers[2], missing: [] },
  ]);
});
