import type { TreeFile } from "@skillet/core";
import { asObject, type JsonObject, textOf, textsOf } from "./json-object.ts";
import { pluginDocuments } from "./plugin-documents.ts";
import type { PluginParts } from "./plugin-parts.ts";

/** The servers that a plugin would bring: of its manifest, of the files that it names, and of `.mcp.json`. */
export function readMcpServers(files: readonly TreeFile[], manifest: JsonObject): PluginParts["mcpServers"] {
  const { documents, unreadable } = pluginDocuments(files, {
    value: manifest.mcpServers,
    usual: ".mcp.json",
  });
  const servers = documents.flatMap((document) =>
    Object.entries(asObject(document.mcpServers) ?? document).map(([name, value]) => serverOf(name, value)),
  );
  return [...servers, ...unreadable.map((path) => ({ name: `whatever ${path} says` }))];
}

function serverOf(name: string, value: unknown): PluginParts["mcpServers"][number] {
  const server = asObject(value);
  const program = textOf(server, "command");
  const url = textOf(server, "url") ?? textOf(server, "httpUrl") ?? textOf(server, "serverUrl");
  const words = program === undefined ? [] : [program, ...textsOf(server, "args")];
  return { name, ...(words.length > 0 && { command: words.join(" ") }), ...(url !== undefined && { url }) };
}
