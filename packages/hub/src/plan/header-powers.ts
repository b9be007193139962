import type { Gating, Manifest, TreeFile } from "@skillet/core";
import { applyCodexInterface, parseSkillBytes } from "@skillet/core/internal";
import { digestBytes } from "@skillet/kit/digest";
import { asObject, type JsonObject } from "@skillet/kit/json";
import { boundedText } from "../discover/describe-command.ts";
import type { PluginParts } from "../discover/plugin-documents.ts";
import { hooksOf } from "../discover/read-hooks.ts";
import { serversIn } from "../discover/read-servers.ts";
import type { CapabilityChange } from "./version-changes.ts";

const MAX_SETTING_CHARACTERS = 500;

export type HeadedKind = "skill" | "command" | "agent" | "instruction";

export interface HeaderPowers {
  readonly powers: readonly Power[];
  /** What it keeps itself from, each in the words for when that is gone. */
  readonly limits: readonly Power[];
}

interface HeaderOptions {
  readonly kind: HeadedKind;
  /** `agents/openai.yaml` beside a SKILL.md, which says more of the same. */
  readonly companion?: TreeFile | undefined;
}

/** Reads what a header grants and what it withholds; commands, agents and output styles have the headers of skills. */
export function headerPowers({ path, bytes }: TreeFile, { kind, companion }: HeaderOptions): HeaderPowers {
  const { manifest: written } = parseSkillBytes(bytes, { file: path, directoryName: "unnamed" });
  const { manifest, unread } = withCompanion(written, companion);
  // A more lenient reader may find anything in it; its digest tells when that is something else.
  if (manifest === undefined) {
    const whatever = unreadText({ path, bytes });
    const isHeaded = Buffer.from(bytes.subarray(0, 6)).includes("---");
    return {
      powers: isHeaded ? [power("allowedTools", whatever, "asks other agents to pre-approve")] : [],
      limits: [],
    };
  }
  const where = path.toLowerCase() === "skill.md" ? "" : ` in ${path}`;
  const hooks = hooksOf({ hooks: asObject(manifest.hooks) ?? { unknown: manifest.hooks } });
  const powers = [
    ...hooks.map(({ event, command }) => power("hooks", `${event}: ${command}${where}`, "has the hook")),
    ...serversOf(manifest).map((server) => serverPower(server, where)),
    ...toolPowers(manifest, { kind, where }),
    ...secretPowers(manifest.gating, where),
    ...executionPowers(manifest, where),
    ...(kind === "agent" || kind === "instruction" ? extraPowers(manifest, where) : []),
    ...unread.map((text) => power("settings", text, "sets")),
  ];
  return { powers, limits: limitsOf(manifest, where) };
}

// What Skillet leaves out because it cannot be read, another reader may follow.
function withCompanion(
  manifest: Manifest | undefined,
  companion: TreeFile | undefined,
): { readonly manifest: Manifest | undefined; readonly unread: readonly string[] } {
  if (manifest === undefined || companion === undefined) return { manifest, unread: [] };
  const text = Buffer.from(companion.bytes).toString("utf8");
  const applied = applyCodexInterface(manifest, text, { file: companion.path });
  const isUnread = applied.diagnostics.some(({ code }) => UNREAD.has(code));
  return { manifest: applied.manifest, unread: isUnread ? [unreadText(companion)] : [] };
}

const UNREAD: ReadonlySet<string> = new Set(["companion-too-large", "companion-invalid"]);

function unreadText({ path, bytes }: Pick<TreeFile, "path" | "bytes">): string {
  return `whatever ${path} says (${digestBytes(bytes)})`;
}

// An agent's header may bring servers; what stands beside a skill's names those that it needs.
function serversOf({ extra, gating }: Manifest): ReturnType<typeof serversIn> {
  const wanted = gating.mcp.map(({ name, url, command }) => ({
    name,
    ...(command !== undefined && { command }),
    ...(url !== undefined && { url }),
  }));
  return [...wanted, ...(Object.hasOwn(extra, "mcpServers") ? serversIn(extra.mcpServers) : [])];
}

function toolPowers(
  manifest: Manifest,
  { kind, where }: { readonly kind: HeadedKind; readonly where: string },
): readonly Power[] {
  const own = listedTools(manifest.extra);
  const tool = (name: string): Power =>
    power("allowedTools", `${name}${where}`, "asks other agents to pre-approve");
  const allowed = manifest.tools.allowed.map(tool);
  if (kind !== "agent") return [...allowed, ...own.map(tool)];
  // An agent without a list has whatever there is, so that taking the list away gives it more than any tool on it.
  const every = power("allowedTools", `every tool${where}`, "may use");
  const wider = powerKey(every);
  return [...allowed, ...(own.length === 0 ? [every] : own.map((name) => ({ ...tool(name), wider })))];
}

// What an agent's header calls `tools` is no more than what it may use.
function listedTools(extra: JsonObject): readonly string[] {
  const own = Object.hasOwn(extra, "tools") ? extra.tools : undefined;
  const listed: unknown = typeof own === "string" ? own.split(",") : own;
  const names = Array.isArray(listed) ? listed.filter((name) => typeof name === "string") : [];
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

// Whoever declares a variable is handed it, which is more than to speak of it.
function secretPowers({ env, primaryEnv, credentialFiles }: Gating, where: string): readonly Power[] {
  const names = [...env.map(({ name }) => name), ...(primaryEnv === undefined ? [] : [primaryEnv])];
  return [
    ...names.map((name) => power("secrets", `${name}${where}`, "asks for")),
    ...credentialFiles.map((file) => power("secrets", `${file}${where}`, "asks for the file")),
    ...env.flatMap(({ name, hosts = [] }) =>
      hosts.map((host) => power("secrets", `${name} to ${host}${where}`, "sends")),
    ),
  ];
}

// Another agent has other tools, and another shell reads the same line as another command.
function executionPowers({ execution }: Manifest, where: string): readonly Power[] {
  const { agent, shell, background } = execution;
  const said = {
    ...(agent && { agent }),
    ...(shell && { shell }),
    ...(background === true && { background }),
  };
  return Object.entries(said).map(([key, value]) => power("settings", `${key}: ${value}${where}`, "sets"));
}

const SHOWN_OTHERWISE: ReadonlySet<string> = new Set(["tools", "mcpServers", "color"]);

// Whatever else an agent's or a style's header says is meant for the program that reads it, such as `permissionMode`.
function extraPowers({ extra }: Manifest, where: string): readonly Power[] {
  return Object.entries(extra)
    .filter(([key, value]) => !SHOWN_OTHERWISE.has(key) || (key === "tools" && asObject(value) !== undefined))
    .map(([key, value]) => {
      const said = boundedText(`${key}: ${JSON.stringify(value)}`, MAX_SETTING_CHARACTERS);
      return power("settings", `${said}${where}`, "sets");
    });
}

function limitsOf({ tools, invocation, gating }: Manifest, where: string): readonly Power[] {
  return [
    ...tools.disallowed.map((tool) => power("limits", `${tool}${where}`, "is no longer kept from")),
    // Sessions hold an active skill to the list that it has, and one without a list to nothing.
    ...(tools.allowed.length === 0
      ? []
      : [power("limits", `the tools that it names${where}`, "is not held to")]),
    ...(invocation.model ? [] : [power("limits", `the model${where}`, "may be called by")]),
    ...gating.env
      .filter(({ hosts = [] }) => hosts.length > 0)
      .map(({ name }) => power("limits", `${name} anywhere${where}`, "may send")),
  ];
}

export interface Power extends CapabilityChange {
  /** The key of a power that holds this one: whoever had that gains nothing by this. */
  readonly wider?: string;
}

export function power(kind: CapabilityChange["kind"], value: string, verb: string): Power {
  return { kind, value, text: `${verb} ${value}` };
}

export function serverPower(server: PluginParts["mcpServers"][number], where: string = ""): Power {
  const { name, command, url } = server;
  const said = [name, command ?? url].filter((part) => part !== undefined).join(": ");
  return power("mcpServers", `${said}${where}`, "brings the server");
}

export function powerKey({ kind, value }: CapabilityChange): string {
  return JSON.stringify([kind, value]);
}
