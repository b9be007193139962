import type { Diagnostic } from "@skillet/kit/diagnostics";
import { readBoolean, readList, readMap, toText } from "./coerce-values.ts";
import { FaultList } from "./fault-list.ts";
import { MAX_HEADER_CHARACTERS } from "./format-limits.ts";
import type { EnvironmentRequirement, Invocation, Manifest, McpRequirement, Ui } from "./manifest.ts";
import { isRawMap, present, type RawHeader, type RawMap, type RawValue } from "./raw-header.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";

/**
 * Adds to a manifest what Codex's `agents/openai.yaml` beside the SKILL.md says.
 *
 * It fails open field by field: what cannot be used is left out with a warning, and the skill still loads.
 */
export function applyCodexInterface(
  manifest: Manifest,
  text: string,
  options: { readonly file: string },
): { readonly manifest: Manifest; readonly diagnostics: readonly Diagnostic[] } {
  const faults = new FaultList(options.file, "lenient");
  faults.header = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const header = readCompanion(faults);
  if (header === undefined) return { manifest, diagnostics: faults.finish() };
  const section = (key: string): RawMap =>
    readMap(header.values[header.keys.indexOf(key)], faults, key) ?? {};
  const tools = readCodexTools(section("dependencies"), faults);
  const applied: Manifest = {
    ...manifest,
    ui: { ...manifest.ui, ...readInterface(section("interface"), faults) },
    invocation: readPolicy(section("policy"), manifest.invocation, faults),
    gating: { ...manifest.gating, mcp: tools.mcp, env: mergeVariables(manifest.gating.env, tools) },
  };
  return { manifest: applied, diagnostics: faults.finish() };
}

function readCompanion(faults: FaultList): RawHeader | undefined {
  if (faults.header.length > MAX_HEADER_CHARACTERS) {
    faults.add(
      {
        code: "companion-too-large",
        severity: "warning",
        message: `The file has more than ${MAX_HEADER_CHARACTERS} characters, and is left out.`,
        hint: "Keep only interface, dependencies and policy in it.",
      },
      1,
      1,
    );
    return undefined;
  }
  const read = readYamlHeader(faults.header);
  if (!isHeaderFault(read)) return read;
  const { line, column, message, hint } = read;
  faults.add(
    { code: "companion-invalid", severity: "warning", message: `${message} The file is left out.`, hint },
    line,
    column,
  );
  return undefined;
}

const MAX_TITLE_CHARACTERS = 64;
const MAX_TEXT_CHARACTERS = 1024;

function readInterface(section: RawMap, faults: FaultList): Ui {
  const read = (key: string, limit: number): string | undefined =>
    readBounded(section[key], limit, faults, `interface.${key}`);
  return present<Ui>({
    displayName: read("display_name", MAX_TITLE_CHARACTERS),
    shortDescription: read("short_description", MAX_TEXT_CHARACTERS),
    iconSmall: readIcon(section.icon_small, faults, "interface.icon_small"),
    iconLarge: readIcon(section.icon_large, faults, "interface.icon_large"),
    brandColor: readColor(section.brand_color, faults, "interface.brand_color"),
    defaultPrompt: read("default_prompt", MAX_TEXT_CHARACTERS),
  });
}

/** A path below `assets/` that leads nowhere else. */
function readIcon(value: RawValue | undefined, faults: FaultList, path: string): string | undefined {
  if (value === undefined) return undefined;
  const icon = toText(value)?.replace(/^\.\//, "") ?? "";
  const isInside = icon.startsWith("assets/") && !/[\\\0]/.test(icon) && !icon.split("/").some(isStep);
  if (isInside && icon.length <= MAX_TEXT_CHARACTERS) return icon;
  drop(faults, path, "is not a path inside assets/", "Put the icon into the skill's assets/ folder.");
  return undefined;
}

function isStep(segment: string): boolean {
  return segment === "" || segment === "." || segment === "..";
}

function readColor(value: RawValue | undefined, faults: FaultList, path: string): string | undefined {
  if (value === undefined) return undefined;
  const color = toText(value) ?? "";
  if (/^#[0-9A-Fa-f]{6}$/.test(color)) return color;
  drop(faults, path, "is not a colour", 'Write six hexadecimal digits in quotes, such as "#1A2B3C".');
  return undefined;
}

function readPolicy(section: RawMap, invocation: Invocation, faults: FaultList): Invocation {
  const allowed = readBoolean(section.allow_implicit_invocation, faults, "policy.allow_implicit_invocation");
  return {
    ...invocation,
    // Either file can take the skill away from the model; neither can give it back.
    model: invocation.model && allowed !== false,
    products: readList(section.products, faults, "policy.products"),
  };
}

function mergeVariables(
  present: readonly EnvironmentRequirement[],
  tools: CodexTools,
): readonly EnvironmentRequirement[] {
  if (tools.env.length === 0) return present;
  const names = new Set(present.map(({ name }) => name));
  return [...present, ...tools.env.filter(({ name }) => !names.has(name))];
}

interface CodexTools {
  readonly mcp: readonly McpRequirement[];
  readonly env: readonly EnvironmentRequirement[];
}

const MAX_TYPE_CHARACTERS = 64;
const MAX_VALUE_CHARACTERS = 1024;
const PATH = "dependencies.tools";

/** Reads `dependencies.tools`: MCP servers and environment variables; other types are left out. */
function readCodexTools(section: RawMap, faults: FaultList): CodexTools {
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
  servers.set(key, present<McpRequirement>({ name, transport, url, command, description }));
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

/** A text on one line of at most `limit` characters; others are dropped with a warning. */
function readBounded(
  value: RawValue | undefined,
  limit: number,
  faults: FaultList,
  path: string,
): string | undefined {
  if (value === undefined) return undefined;
  const text = toText(value)?.replace(/\s+/g, " ");
  if (text !== undefined && [...text].length <= limit) return text;
  const what = text === undefined ? "is empty or not text" : `has more than ${limit} characters`;
  drop(faults, path, what, "Correct or remove it.");
  return undefined;
}

function drop(faults: FaultList, path: string, what: string, hint: string): void {
  faults.addAtKey(
    {
      code: "companion-field",
      severity: "warning",
      message: `The value of ${path} ${what}, and is left out.`,
      hint,
    },
    path,
  );
}
