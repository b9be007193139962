import { drop, readBounded } from "./codex-field.ts";
import { toText } from "./coerce-values.ts";
import type { FaultList } from "./fault-list.ts";
import type { EnvironmentRequirement, McpRequirement } from "./manifest.ts";
import { isRawMap, type RawMap, type RawValue } from "./raw-header.ts";

/** What a skill needs from its host, as `agents/openai.yaml` lists it. */
export interface CodexTools {
  readonly mcp: readonly McpRequirement[];
  readonly env: readonly EnvironmentRequirement[];
}

const MAX_TYPE_CHARACTERS = 64;
const MAX_VALUE_CHARACTERS = 1024;
const PATH = "dependencies.tools";

/** Reads `dependencies.tools`: MCP servers and environment variables; other types are left out. */
export function readCodexTools(section: RawMap, faults: FaultList): CodexTools {
  const mcp = new Map<string, McpRequirement>();
  const env = new Map<string, EnvironmentRequirement>();
  const { tools } = section;
  if (tools !== undefined && !Array.isArray(tools))
    drop(faults, PATH, "is not a list", "Write a list of maps.");
  for (const item of Array.isArray(tools) ? (tools as readonly RawValue[]) : []) {
    const tool = isRawMap(item) ? item : {};
    const type = readBounded(tool.type ?? "", MAX_TYPE_CHARACTERS, faults, PATH);
    const value = readBounded(tool.value ?? "", MAX_VALUE_CHARACTERS, faults, PATH);
    if (type === undefined || value === undefined) continue;
    if (type === "mcp") addServer(mcp, value, tool, faults);
    else if (type === "env_var") addVariable(env, value, tool, faults);
    else
      drop(faults, PATH, `has an entry of the unknown type ${JSON.stringify(type)}`, "Use mcp or env_var.");
  }
  return { mcp: [...mcp.values()], env: [...env.values()] };
}

/** Two entries that lead to the same server are one. */
function addServer(
  servers: Map<string, McpRequirement>,
  name: string,
  tool: RawMap,
  faults: FaultList,
): void {
  const read = (key: string, limit: number): string | undefined =>
    tool[key] === undefined ? undefined : readBounded(tool[key], limit, faults, PATH);
  const transport = read("transport", MAX_TYPE_CHARACTERS) ?? "streamable_http";
  const url = read("url", MAX_VALUE_CHARACTERS);
  const command = read("command", MAX_VALUE_CHARACTERS);
  const description = read("description", MAX_VALUE_CHARACTERS);
  const target = transport === "stdio" ? command : url;
  if (target === undefined) {
    const key = transport === "stdio" ? "command" : "url";
    drop(faults, PATH, `has an MCP server ${JSON.stringify(name)} without ${key}`, `Add ${key}.`);
    return;
  }
  const key = `mcp__${transport}__${target}`;
  if (servers.has(key)) return;
  servers.set(key, {
    name,
    transport,
    ...(url !== undefined && { url }),
    ...(command !== undefined && { command }),
    ...(description !== undefined && { description }),
  });
}

function addVariable(
  variables: Map<string, EnvironmentRequirement>,
  name: string,
  tool: RawMap,
  faults: FaultList,
): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    drop(
      faults,
      PATH,
      `has ${JSON.stringify(name)}, which is no name of a variable`,
      "Use letters, digits and underscores.",
    );
    return;
  }
  const help = toText(tool.description);
  if (!variables.has(name)) variables.set(name, help === undefined ? { name } : { name, help });
}
