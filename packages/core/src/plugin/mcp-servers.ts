import { join } from "node:path";
import { canonicalPath } from "@skillet/kit/files";
import { asObject, present, textOf } from "@skillet/kit/json";
import type { AllowedPlugin } from "./allowed-plugin.ts";

/** An MCP server as a plugin defines it, with placeholders. */
export interface ServerDefinition {
  readonly name: string;
  readonly type?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The working directory; always given for servers of Agent Plugins. */
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An MCP server that the host may start or connect to. */
export interface McpServer extends ServerDefinition {
  readonly plugin: string;
  /** Variables that it asks for and was not granted; their placeholders stay as they are. */
  readonly missing: readonly string[];
}

/** Reads servers from `.mcp.json` or a manifest; skips entries with neither a command nor an address. */
export function readServers(document: unknown): readonly ServerDefinition[] {
  const servers = asObject(asObject(document)?.mcpServers) ?? asObject(document) ?? {};
  return Object.entries(servers).flatMap(([name, value]): readonly ServerDefinition[] => {
    const server = asObject(value);
    const [type, command] = [textOf(server, "type"), textOf(server, "command")];
    const url = textOf(server, "url") ?? textOf(server, "httpUrl") ?? textOf(server, "serverUrl");
    if (command === undefined && url === undefined) return [];
    const { args, env, headers } = server ?? {};
    return [
      present<ServerDefinition>({
        name,
        type,
        command,
        args: Array.isArray(args) ? args.map(String) : undefined,
        env: textFields(env),
        url,
        headers: textFields(headers),
      }),
    ];
  });
}

function textFields(value: unknown): Readonly<Record<string, string>> | undefined {
  const fields = asObject(value);
  const texts = Object.entries(fields ?? {}).filter(([, text]) => typeof text === "string");
  return fields && (Object.fromEntries(texts) as Record<string, string>);
}

/** Reads only variables that the host grants here: a server must not get other keys by asking for them. */
export function listServers(
  plugins: readonly AllowedPlugin[],
  granted: Readonly<Record<string, string>> = {},
): readonly McpServer[] {
  return plugins.flatMap(({ name: plugin, root, data, mcpServers }) =>
    mcpServers.map((server): McpServer => {
      if (data !== undefined)
        return { plugin, ...inAgentPlugin(server, canonicalPath(root), data), missing: [] };
      const missing = new Set<string>();
      const fill = (text: string): string =>
        text.replace(PLACEHOLDER, (placeholder, variable: string, otherwise: string | undefined) => {
          if (variable === "CLAUDE_PLUGIN_ROOT") return root;
          const value = Object.hasOwn(granted, variable) ? granted[variable] : otherwise;
          if (value === undefined) missing.add(variable);
          return value ?? placeholder;
        });
      const fillAll = (fields: ServerDefinition["env"]): ServerDefinition["env"] =>
        fields && Object.fromEntries(Object.entries(fields).map(([key, text]) => [key, fill(text)]));
      const { command, args, env, url, headers } = server;
      const filled = {
        command: command && fill(command),
        args: args?.map(fill),
        env: fillAll(env),
        url: url && fill(url),
        headers: fillAll(headers),
      };
      return present<McpServer>({ plugin, ...server, ...filled, missing: [...missing] });
    }),
  );
}

const PLACEHOLDER = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

// The specification allows two placeholders, in three fields, and resolving the program's path: nothing else.
function inAgentPlugin(server: ServerDefinition, root: string, data: string): ServerDefinition {
  const { command, args, env = {}, cwd = root } = server;
  if (command === undefined) return server;
  const fill = (text: string): string =>
    text.replace(/\$\{PLUGIN_(?:(ROOT)|DATA)\}/g, (_, isRoot?: string) =>
      isRoot === undefined ? data : root,
    );
  const atRoot = (path: string): string => (path.startsWith("./") ? join(root, path) : path);
  const filled = Object.entries(env).map(([key, text]) => [key, fill(text)]);
  return {
    ...server,
    command: atRoot(command),
    ...(args && { args: args.map(fill) }),
    env: { ...Object.fromEntries(filled), PLUGIN_ROOT: root, PLUGIN_DATA: data },
    cwd: atRoot(fill(cwd)),
  };
}
