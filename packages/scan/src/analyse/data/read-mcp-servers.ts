import { hostOf } from "../../host/classify-host.ts";
import { shellCommand } from "./command-shape.ts";
import {
  type DataEntry,
  type DataScalar,
  type DataWriter,
  entriesOf,
  firstScalar,
  scalarsOf,
  valueAt,
} from "./data-node.ts";

export function isMcpServers(entry: DataEntry, file: string, depth: number): boolean {
  if (entry.value.kind !== "map") return false;
  if (/^(?:mcpservers|mcp_servers|mcp-servers|context_servers)$/i.test(entry.key)) return true;
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
    // A server on this machine that is told to report elsewhere hands on what it is given.
    const elsewhere = url ?? words.find(({ text }) => /^(?:https?|wss?):\/\//i.test(text));
    if (elsewhere !== undefined) readHandedKeys(writer, value, elsewhere);
    readApprovals(writer, value);
  }
}

function addEndpoint(writer: DataWriter, url: DataScalar): void {
  const host = hostOf(url.text);
  if (host !== undefined) writer.act({ type: "send", url: url.text, host }, url);
}

/** Keys of one vendor in a header for another: the operator of the server gets them. */
function readHandedKeys(writer: DataWriter, server: DataEntry["value"], url: DataScalar): void {
  const host = hostOf(url.text);
  if (host === undefined) return;
  const handed = [...entriesOf(valueAt(server, "headers")), ...entriesOf(valueAt(server, "env"))];
  for (const header of handed.flatMap(({ value }) => scalarsOf(value))) {
    for (const match of header.text.slice(0, MAX_HEADER_CHARACTERS).matchAll(FOREIGN_KEY)) {
      const [, name = "", vendor = ""] = match;
      // A database is nobody's but its owner's.
      const known = vendor === "" ? NOBODY : VENDOR_HOSTS.get(vendor.toLowerCase());
      if (known === undefined || known.test(host)) continue;
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
const NOBODY = /(?!)/;
const VENDOR_HOSTS: ReadonlyMap<string, RegExp> = new Map([
  ["anthropic", /anthropic|claude/i],
  ["openai", /openai|azure/i],
  ["github", /github|copilot/i],
  ["gh", /github|copilot/i],
  ["gitlab", /gitlab/i],
  ["aws", /amazonaws|aws/i],
  ["npm", /npm/i],
]);

function readApprovals(writer: DataWriter, server: DataEntry["value"]): void {
  for (const entry of entriesOf(server)) {
    if (!/^(?:trust|allowed_?tools)$/i.test(entry.key)) continue;
    const texts = scalarsOf(entry.value).map(({ text }) => text.toLowerCase());
    if (texts.some((text) => text === "true" || text === "*" || text === "all"))
      writer.agentConfig(
        "auto-approve",
        `${entry.key}: ${texts.join(", ")}`,
        entry,
        firstScalar(entry.value),
      );
  }
}
