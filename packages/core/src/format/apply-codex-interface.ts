import type { Diagnostic } from "@skillet/kit/diagnostics";
import { present } from "@skillet/kit/json";
import { FaultList } from "./fault-list.ts";
import { Field, toText } from "./field.ts";
import { MAX_HEADER_CHARACTERS } from "./format-limits.ts";
import type { EnvironmentRequirement, Gating, Manifest, McpRequirement, Ui } from "./manifest.ts";
import { isRawMap, type RawHeader, type RawMap, type RawValue } from "./raw-header.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";

const MAX_TITLE_CHARACTERS = 64;
const MAX_TEXT_CHARACTERS = 1024;

/** Fails open field by field: an unusable field is dropped with a warning, and the skill still loads. */
export function applyCodexInterface(
  manifest: Manifest,
  text: string,
  options: { readonly file: string },
): { readonly manifest: Manifest; readonly diagnostics: readonly Diagnostic[] } {
  const faults = new FaultList(options.file, "lenient");
  faults.header = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const header = readCompanion(faults);
  if (header === undefined) return { manifest, diagnostics: faults.finish() };
  const section = (key: string): Field => {
    const field = new Field(header.values.get(key), key, faults);
    return field.holding(field.map());
  };
  const { mcp, env } = readTools(section("dependencies").at("tools"));
  const policy = section("policy");
  const allowed = policy.at("allow_implicit_invocation").flag();
  const known = new Set(manifest.gating.env.map(({ name }) => name));
  const applied: Manifest = {
    ...manifest,
    ui: { ...manifest.ui, ...readInterface(section("interface")) },
    invocation: {
      ...manifest.invocation,
      // Either file can hide the skill from the model; neither can show it again.
      model: manifest.invocation.model && allowed !== false,
      products: policy.at("products").list(),
    },
    gating: {
      ...manifest.gating,
      mcp,
      env: [...manifest.gating.env, ...env.filter(({ name }) => !known.has(name))],
    },
  };
  return { manifest: applied, diagnostics: faults.finish() };
}

function readCompanion(faults: FaultList): RawHeader | undefined {
  if (faults.header.length > MAX_HEADER_CHARACTERS) {
    const message = `The file has more than ${MAX_HEADER_CHARACTERS} characters, and is left out.`;
    const hint = "Keep only interface, dependencies and policy in it.";
    faults.add({ code: "companion-too-large", severity: "warning", message, hint }, 1, 1);
    return undefined;
  }
  const read = readYamlHeader(faults.header);
  if (!isHeaderFault(read)) return read;
  const message = `${read.message} The file is left out.`;
  const { hint, line, column } = read;
  faults.add({ code: "companion-invalid", severity: "warning", message, hint }, line, column);
  return undefined;
}

function readInterface(section: Field): Ui {
  return present<Ui>({
    displayName: readBounded(section.at("display_name"), MAX_TITLE_CHARACTERS),
    shortDescription: readBounded(section.at("short_description"), MAX_TEXT_CHARACTERS),
    iconSmall: readIcon(section.at("icon_small")),
    iconLarge: readIcon(section.at("icon_large")),
    brandColor: readColor(section.at("brand_color")),
    defaultPrompt: readBounded(section.at("default_prompt"), MAX_TEXT_CHARACTERS),
  });
}

function readIcon(field: Field): string | undefined {
  if (field.value === undefined) return undefined;
  const icon = field.text()?.replace(/^\.\//, "") ?? "";
  const isInside =
    icon.startsWith("assets/") && !/[\\\0]/.test(icon) && !/(?:^|\/)\.{0,2}(?:\/|$)/.test(icon);
  if (isInside && icon.length <= MAX_TEXT_CHARACTERS) return icon;
  return drop(field, "is not a path inside assets/", "Put the icon into the skill's assets/ folder.");
}

function readColor(field: Field): string | undefined {
  if (field.value === undefined) return undefined;
  const color = field.text() ?? "";
  if (/^#[0-9A-Fa-f]{6}$/.test(color)) return color;
  return drop(field, "is not a colour", 'Write six hexadecimal digits in quotes, such as "#1A2B3C".');
}

/** Reads `dependencies.tools`: MCP servers and environment variables. Other types are dropped. */
function readTools(field: Field): Pick<Gating, "mcp" | "env"> {
  const mcp = new Map<string, McpRequirement>();
  const env = new Map<string, EnvironmentRequirement>();
  const { value: tools } = field;
  if (tools !== undefined && !Array.isArray(tools)) drop(field, "is not a list", "Write a list of maps.");
  for (const item of Array.isArray(tools) ? (tools as readonly RawValue[]) : []) {
    const tool = isRawMap(item) ? item : {};
    const type = readBounded(field.holding(tool.type ?? ""), MAX_TITLE_CHARACTERS);
    const value = readBounded(field.holding(tool.value ?? ""), MAX_TEXT_CHARACTERS);
    if (type === undefined || value === undefined) continue;
    if (type === "mcp") addServer(mcp, value, tool, field);
    else if (type === "env_var") addVariable(env, value, tool, field);
    else drop(field, `has an entry of the unknown type ${JSON.stringify(type)}`, "Use mcp or env_var.");
  }
  return { mcp: [...mcp.values()], env: [...env.values()] };
}

function addServer(servers: Map<string, McpRequirement>, name: string, tool: RawMap, field: Field): void {
  const read = (key: string, limit: number): string | undefined =>
    readBounded(field.holding(tool[key]), limit);
  const transport = read("transport", MAX_TITLE_CHARACTERS) ?? "streamable_http";
  const url = read("url", MAX_TEXT_CHARACTERS);
  const command = read("command", MAX_TEXT_CHARACTERS);
  const description = read("description", MAX_TEXT_CHARACTERS);
  const target = transport === "stdio" ? command : url;
  if (target === undefined) {
    const key = transport === "stdio" ? "command" : "url";
    drop(field, `has an MCP server ${JSON.stringify(name)} without ${key}`, `Add ${key}.`);
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
  field: Field,
): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    const what = `has ${JSON.stringify(name)}, which is not the name of a variable`;
    drop(field, what, "Use letters, digits and underscores.");
    return;
  }
  const help = toText(tool.description);
  if (!variables.has(name)) variables.set(name, help === undefined ? { name } : { name, help });
}

/** A text in one line, of at most `limit` characters; anything else is dropped with a warning. */
function readBounded(field: Field, limit: number): string | undefined {
  if (field.value === undefined) return undefined;
  const text = field.text()?.replace(/\s+/g, " ");
  if (text !== undefined && [...text].length <= limit) return text;
  const what = text === undefined ? "is empty or not text" : `has more than ${limit} characters`;
  return drop(field, what, "Correct or remove it.");
}

function drop({ faults, path }: Field, what: string, hint: string): undefined {
  const message = `The value of ${path} ${what}, and is left out.`;
  faults.addAtKey({ code: "companion-field", severity: "warning", message, hint }, path);
}
