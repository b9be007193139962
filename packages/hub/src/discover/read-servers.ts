import type { TreeFile } from "@skillet/core";
import { asObject, type JsonObject, textOf } from "@skillet/kit/json";
import { boundedText, describeCommand } from "./describe-command.ts";
import { type PluginParts, pluginDocuments } from "./plugin-documents.ts";

const MAX_NAME_CHARACTERS = 100;

/**
 * The servers that a plugin would bring: of its manifest, of the files that it names, of `.mcp.json`, and those for
 * languages, which an agent starts as well.
 */
export function readServers(files: readonly TreeFile[], manifest: JsonObject): PluginParts["mcpServers"] {
  return [
    ...serversOf(files, { value: manifest.mcpServers, usual: ".mcp.json", key: "mcpServers", mark: "" }),
    ...serversOf(files, {
      value: manifest.lspServers,
      usual: ".lsp.json",
      key: "lspServers",
      mark: " (language)",
    }),
  ];
}

/** The servers that a value names or describes, as an agent's header does: by name, with what they are, or in a list. */
export function serversIn(value: unknown): PluginParts["mcpServers"] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items
    .filter((item) => item !== undefined && item !== null)
    .flatMap((item) => {
      const servers = asObject(item);
      if (servers !== undefined) return describeServers(servers, "");
      const name = typeof item === "string" ? item : JSON.stringify(item);
      return [{ name: boundedText(name, MAX_NAME_CHARACTERS) }];
    });
}

interface Kind {
  readonly value: unknown;
  readonly usual: string;
  readonly key: string;
  readonly mark: string;
}

function serversOf(files: readonly TreeFile[], { value, usual, key, mark }: Kind): PluginParts["mcpServers"] {
  const { documents, unreadable } = pluginDocuments(files, { value, usual });
  const servers = documents.flatMap((document) => describeServers(asObject(document[key]) ?? document, mark));
  return [...servers, ...unreadable.map((name) => ({ name }))];
}

function describeServers(servers: JsonObject, mark: string): PluginParts["mcpServers"] {
  return Object.entries(servers).map(([name, server]) =>
    serverOf(`${boundedText(name, MAX_NAME_CHARACTERS)}${mark}`, server),
  );
}

const URLS: readonly string[] = ["url", "httpUrl", "serverUrl"];

function serverOf(name: string, value: unknown): PluginParts["mcpServers"][number] {
  const server = asObject(value);
  if (server === undefined) return { name, command: describeCommand([], { value }, { shown: [] }) };
  const program = textOf(server, "command");
  const key = URLS.find((one) => textOf(server, one) !== undefined);
  const url = key === undefined ? {} : { url: boundedText(textOf(server, key) ?? "", MAX_URL_CHARACTERS) };
  if (program !== undefined) {
    const { args } = server;
    const words = [program, ...(args === undefined ? [] : Array.isArray(args) ? args : [args])];
    return { name, command: describeCommand(words, server, { shown: ["command", "args"] }), ...url };
  }
  if (key === undefined) return { name, command: describeCommand([], server, { shown: [] }) };
  return { name, url: describeCommand([server[key]], server, { shown: [key] }) };
}

const MAX_URL_CHARACTERS = 1_000;
