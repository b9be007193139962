import { hostOf } from "../../host/classify-host.ts";
import { isAligned } from "../../host/is-known-installer.ts";
import { words } from "../../word-list.ts";
import { shellCommand } from "./command-shape.ts";
import {
  type DataEntry,
  type DataScalar,
  type DataWriter,
  entriesOf,
  scalarsOf,
  valueAt,
} from "./data-node.ts";

export function readAgentSetting(writer: DataWriter, entry: DataEntry, path: readonly string[]): void {
  const { key, value } = entry;
  for (const scalar of scalarsOf(value)) {
    const what =
      settingOf(key, scalar.text, path) ?? providerOf(writer.source.file, [...path, key], scalar.text);
    if (what === undefined) continue;
    const text = `${key}: ${scalar.text}`.slice(0, MAX_TEXT_CHARACTERS);
    writer.agentConfig(what, text, entry, scalar);
    if (/^(?:apikeyhelper|statusline|awsauthrefresh)$/i.test(key)) writer.text("shell", scalar);
  }
}

export function readAgentHook(writer: DataWriter, scalar: DataScalar, path: readonly string[]): void {
  const event = path[path.indexOf("hooks") + 1] ?? "hooks";
  writer.agentConfig("hook", `${event}: ${scalar.text}`, scalar);
}

const MAX_TEXT_CHARACTERS = 400;

function settingOf(
  key: string,
  value: string,
  path: readonly string[],
): "endpoint" | "auto-approve" | "settings" | undefined {
  if (ENDPOINT_NAME.test(key)) return /^[a-z+]+:\/\//i.test(value) ? "endpoint" : undefined;
  if (/^apikeyhelper$/i.test(key)) return "settings";
  // On a server: all its tools are called without confirmation.
  if (/^(?:trust|allowed_?tools)$/i.test(key) && path.some((one) => MCP_SERVERS.test(one)))
    return YES.test(value) ? "auto-approve" : undefined;
  if (UNASKED_FLAGS.test(value) && /^(?:args|command|run|alias)/i.test(key)) return "auto-approve";
  if (ENFORCEMENT.test(key) && OFF.test(value)) return "auto-approve";
  // OpenCode: every command, edit or request.
  if (/^(?:permission|bash|edit|webfetch|\*)$/.test(key) && [...path, key].includes("permission"))
    return value === "allow" ? "auto-approve" : undefined;
  if (/^security\.workspace\.trust\.enabled$/i.test(key) && OFF.test(value)) return "auto-approve";
  const name = key.toLowerCase().replaceAll(/[_-]/g, "");
  const unasked = UNASKED.get(name) ?? UNASKED.get(name.slice(name.lastIndexOf(".") + 1));
  return unasked?.test(value) === true ? "auto-approve" : undefined;
}

/** A model's address in Codex's own settings file, as shipped with a skill. */
function providerOf(file: string, path: readonly string[], value: string): "endpoint" | undefined {
  if (!/(?:^|\/)\.codex\/config\.toml$/.test(file) || path[0] !== "model_providers") return undefined;
  const isAddress = path.at(-1) === "base_url" && /^https?:\/\//i.test(value);
  return isAddress && !LOCAL_ADDRESS.test(value) ? "endpoint" : undefined;
}

const LOCAL_ADDRESS = /^https?:\/\/(?:localhost|127\.|\[::1\]|0\.0\.0\.0)/i;
const ENDPOINT_NAME =
  /^(?:ANTHROPIC|OPENAI|CLAUDE|GEMINI|GOOGLE_GEMINI|AZURE_OPENAI|CODEX|LITELLM|LLM)_(?:API_)?(?:BASE_URL|BASE|API_BASE|ENDPOINT|BEDROCK_BASE_URL)$/i;
const UNASKED_FLAGS =
  /--dangerously-skip-permissions|--dangerously-bypass|--yolo\b|--full-auto\b|--trust-all-tools/;
/** An agent's safeguards, turned off: `AGENT_POLICY_ENFORCEMENT=disabled`. */
const ENFORCEMENT =
  /(?:^|_)(?:POLICY_ENFORCEMENT|ENFORCEMENT|GUARDRAILS?|AGENT_SANDBOX|TOOL_APPROVALS?|APPROVALS?_REQUIRED|REQUIRE_APPROVALS?)(?:_MODE|_ENABLED)?$/i;
const OFF = /^(?:disabled?|off|none|false|no|0|permissive)$/i;
const YES = /^(?:true|yes|on|1|always|all|\*)$/i;
/** Lower-case keys without dashes, and their values that allow everything. */
const UNASKED: ReadonlyMap<string, RegExp> = new Map([
  ["defaultmode", /^bypassPermissions$/i],
  ["permissionmode", /^bypassPermissions$/i],
  ["approvalpolicy", /^never$/i],
  ["sandboxmode", /^danger-full-access$/i],
  // A shell with any arguments can run everything, and `//` is the root of the machine.
  [
    "allow",
    /^(?:\*|All|Bash(?:\((?:\*|(?:\*|(?:ba|z|da|k)?sh|eval|sudo|env)?:\*)\))?|(?:Edit|Write)\(\/\/\*\*\))$/,
  ],
  ...words(`
    dangerouslyskippermissions skipdangerousmodepermissionprompt bypasspermissions
    enableallprojectmcpservers yolo yolomode autoaccept autoapprove autoapproveall alwaysallow allowall
    allowalltools allowallcommands trustalltools skipconfirmation skipconfirmations skipapproval
    skipapprovals skippermissions skippermissionchecks chat.tools.autoapprove
    chat.tools.global.autoapprove
  `).map((key): [string, RegExp] => [key, YES]),
]);

const MCP_SERVERS = /^(?:mcp[-_]?servers|context_servers)$/i;

export function isMcpServers(entry: DataEntry, file: string, depth: number): boolean {
  if (entry.value.kind !== "map") return false;
  if (MCP_SERVERS.test(entry.key)) return true;
  const isNamed = /(?:^|[/.])mcp(?:[-_.][\w.-]*)?\.(?:json|ya?ml|toml)$/i.test(file);
  if (!/^(?:servers|mcp)$/i.test(entry.key) || (!isNamed && depth > 0)) return false;
  return entriesOf(entry.value).some(
    ({ value }) => valueAt(value, "command") !== undefined || valueAt(value, "url") !== undefined,
  );
}

export function readMcpServers(writer: DataWriter, servers: DataEntry): void {
  for (const { key: name, from, value } of entriesOf(servers.value)) {
    const words = ["command", "args"].flatMap((key) => scalarsOf(valueAt(value, key)));
    const [url] = ["url", "serverUrl", "httpUrl"].flatMap((key) => scalarsOf(valueAt(value, key)));
    const told = url === undefined ? words : [...words, url];
    const command = shellCommand(words.map((word) => word.text));
    const to = Math.max(from, ...told.map((word) => word.to));
    if (told.length > 0) writer.agentConfig("mcp-server", `${name}: ${url?.text ?? command}`, { from, to });
    const first = words[0];
    if (first !== undefined) writer.text("shell", first, { text: command });
    if (url !== undefined) addEndpoint(writer, url);
    // A local server that is told to report elsewhere passes on its input.
    const elsewhere = url ?? words.find(({ text }) => /^(?:https?|wss?):\/\//i.test(text));
    if (elsewhere !== undefined) readHandedKeys(writer, value, elsewhere);
  }
}

function addEndpoint(writer: DataWriter, url: DataScalar): void {
  const host = hostOf(url.text);
  if (host !== undefined) writer.act({ type: "send", url: url.text, host }, url);
}

/** One vendor's key in a header for another host: the operator of that server gets it. */
function readHandedKeys(writer: DataWriter, server: DataEntry["value"], url: DataScalar): void {
  const host = hostOf(url.text);
  if (host === undefined) return;
  const handed = [...entriesOf(valueAt(server, "headers")), ...entriesOf(valueAt(server, "env"))];
  for (const header of handed.flatMap(({ value }) => scalarsOf(value))) {
    for (const match of header.text.slice(0, MAX_HEADER_CHARACTERS).matchAll(FOREIGN_KEY)) {
      const [, name = "", vendor = ""] = match;
      // A database belongs only to its owner.
      if (vendor !== "" && isAligned(vendor, host, new Set())) continue;
      writer.flow(
        { type: "secret", secret: vendor === "AWS" ? "cloud" : "generic", name },
        { type: "network", how: "http", url: url.text, host },
        header,
      );
    }
  }
}

const MAX_HEADER_CHARACTERS = 1_000;
const FOREIGN_KEY =
  /\$\{?(?:env:)?((ANTHROPIC|OPENAI|GITHUB|GH|GITLAB|AWS|NPM)_[A-Z_]{0,40}(?:KEY|TOKEN|SECRET|PAT)|(?:\w{1,40}_)?DSN|(?:DATABASE|POSTGRES|MYSQL|MONGO\w{0,4}|REDIS)_?(?:URL|URI|PASSWORD))\b/g;
