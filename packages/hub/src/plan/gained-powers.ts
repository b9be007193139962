import type { Gating, Manifest, TreeFile } from "@skillet/core";
import { applyCodexInterface, parseSkillBytes } from "@skillet/core/internal";
import { digestBytes } from "@skillet/kit/digest";
import { asObject, type JsonObject, present } from "@skillet/kit/json";
import { boundedText } from "../discover/plugin-documents.ts";
import { hooksOf, serversIn } from "../discover/read-active-parts.ts";
import { readPluginParts } from "../discover/read-plugin-parts.ts";
import { lockedFiles } from "../lock/lock-entry.ts";
import type { CapabilityChange, JudgedItem, PluginParts, ReadItem } from "../plan-item.ts";
import { abilitiesOf, capability, isProgramPath } from "./version-changes.ts";

type Version = Pick<ReadItem, "kind" | "files">;

interface Power extends CapabilityChange {
  /** The key of a power that includes this one: a version that already had it gains nothing. */
  readonly wider?: string;
}

interface Powers {
  readonly powers: readonly Power[];
  /** By path: what each header restricts, in the words for when the restriction is gone. */
  readonly limits: ReadonlyMap<string, readonly Power[]>;
}

/** Powers that the scanner's capabilities do not cover; all of them if the previous version is not known. */
export function gainedPowers(before: Version | undefined, after: Version): readonly CapabilityChange[] {
  const had = before && readPowers(before);
  const has = readPowers(after);
  const known = new Set(had?.powers.map(keyOf));
  const gained = has.powers.filter(
    (one) => !known.has(keyOf(one)) && !(one.wider !== undefined && known.has(one.wider)),
  );
  const all = [...gained, ...(had === undefined ? [] : lostLimits(had, has))];
  return [...new Map(all.map(({ wider: _, ...change }) => [keyOf(change), change])).values()];
}

// Fewer limits mean more power. A removed file needs no limits, and a new one is asked about anyway.
function lostLimits(had: Powers, has: Powers): readonly Power[] {
  return [...had.limits].flatMap(([path, limits]) => {
    const kept = has.limits.get(path);
    const keys = new Set(kept?.map(keyOf));
    return kept === undefined ? [] : limits.filter((limit) => !keys.has(keyOf(limit)));
  });
}

function keyOf({ kind, value }: CapabilityChange): string {
  return JSON.stringify([kind, value]);
}

// Parts that run by themselves, tools that it pre-approves, and parts that it offers to users and models.
function readPowers({ kind: whole, files }: Version): Powers {
  const parts = whole === "plugin" ? readPluginParts(files, { name: "" }).parts : undefined;
  const kinds = headedKinds(files, parts);
  const byPath = new Map(files.map((file) => [file.path.toLowerCase(), file]));
  const powers: Power[] = parts === undefined ? [] : [...partPowers(parts)];
  const limits = new Map<string, readonly Power[]>();
  for (const file of files) {
    const kind = kinds.get(file.path);
    if (kind === undefined) continue;
    const beside = `${file.path.slice(0, file.path.lastIndexOf("/") + 1)}agents/openai.yaml`;
    const companion = kind === "skill" ? byPath.get(beside.toLowerCase()) : undefined;
    const header = readHeader(file, kind, companion);
    powers.push(...header.powers);
    limits.set(file.path.toLowerCase(), header.limits);
  }
  const programs = files.filter(
    (file) => !isProgramPath(file.path) && file.mode !== "755" && isProgram(file),
  );
  return { powers: [...powers, ...programs.map(({ path }) => capability("scripts", path))], limits };
}

function partPowers(parts: PluginParts): readonly Power[] {
  const { hooks, mcpServers, skills, commands, agents, instructions, settings } = parts;
  return [
    ...hooks.map(({ event, command }) => capability("hooks", `${event}: ${command}`)),
    ...mcpServers.map((server) => serverPower(server)),
    ...skills.map(({ name, folder }) => capability("skills", `${name} (${folder || "its root"})`)),
    ...commands.map((value) => capability("slashCommands", value)),
    ...agents.map((value) => capability("agents", value)),
    ...instructions.map((value) => capability("instructions", value)),
    ...settings.map((value) => capability("settings", value)),
  ];
}

function serverPower(server: PluginParts["mcpServers"][number], where: string = ""): Power {
  const { name, command, url } = server;
  const said = [name, command ?? url].filter((part) => part !== undefined).join(": ");
  return capability("mcpServers", `${said}${where}`);
}

type HeadedKind = "skill" | "command" | "agent" | "instruction";

// By path; a file of several kinds is read as the one whose header says most.
function headedKinds(
  files: readonly TreeFile[],
  parts: PluginParts | undefined,
): ReadonlyMap<string, HeadedKind> {
  const folders = new Set(parts?.skills.map(({ folder }) => folder) ?? [""]);
  const skills = files.filter(({ path }) => {
    const match = /^(?:(.*)\/)?skill\.md$/i.exec(path);
    return match !== null && folders.has(match[1] ?? "");
  });
  const listed = (kind: HeadedKind, paths: readonly string[] = []): readonly [string, HeadedKind][] =>
    paths.map((path) => [path, kind]);
  return new Map([
    ...skills.map(({ path }) => [path, "skill"] as const),
    ...listed("command", parts?.commands),
    ...listed("instruction", parts?.instructions),
    ...listed("agent", parts?.agents),
  ]);
}

function isProgram({ bytes }: TreeFile): boolean {
  return PROGRAM_STARTS.some((start) => Buffer.from(bytes.subarray(0, start.length)).equals(start));
}

// A shebang, then executables for Linux, Windows, macOS (both byte orders, and universal) and WebAssembly.
const PROGRAM_STARTS: readonly Buffer[] =
  "2321 efbbbf2321 7f454c46 4d5a feedface feedfacf cefaedfe cffaedfe cafebabe 0061736d"
    .split(" ")
    .map((digits) => Buffer.from(digits, "hex"));

/** Everything that a new skill can do, except for the parts of a plugin, which are shown separately. */
export function firstAbilities(
  item: Pick<JudgedItem, "kind" | "files" | "parts" | "report">,
): readonly CapabilityChange[] {
  const { files, parts, report } = item;
  const { capabilities } = report;
  const all = [...abilitiesOf({ files: lockedFiles(files), capabilities }), ...gainedPowers(undefined, item)];
  // A plugin's own hooks and servers stay off, and are shown so; those in a header are used by every reader of it.
  const shown = new Set(
    parts && partPowers(parts).flatMap(({ kind, value }) => (OFF.has(kind) ? [value] : [])),
  );
  const told = all.filter(({ kind, value }) => !PARTS.has(kind) && !shown.has(value));
  return [...new Map(told.map((change) => [change.text, change])).values()];
}

type Kinds = ReadonlySet<CapabilityChange["kind"]>;
const PARTS: Kinds = new Set(["skills", "slashCommands", "agents", "instructions"]);
const OFF: Kinds = new Set(["hooks", "mcpServers", "settings"]);

/** Reads what a header grants and restricts; commands, agents and output styles have the same headers as skills. */
function readHeader(
  { path, bytes }: TreeFile,
  kind: HeadedKind,
  companion: TreeFile | undefined,
): { readonly powers: readonly Power[]; readonly limits: readonly Power[] } {
  const { manifest: written } = parseSkillBytes(bytes, { file: path, directoryName: "unnamed" });
  // A more lenient reader may find anything in it; its digest shows when it changes.
  if (written === undefined) {
    const isHeaded = Buffer.from(bytes.subarray(0, 6)).includes("---");
    const powers = isHeaded ? [capability("allowedTools", unreadText({ path, bytes }))] : [];
    return { powers, limits: [] };
  }
  const { manifest, unread } = withCompanion(written, companion);
  const where = path.toLowerCase() === "skill.md" ? "" : ` in ${path}`;
  const hooks = hooksOf({ hooks: asObject(manifest.hooks) ?? { unknown: manifest.hooks } });
  const powers = [
    ...hooks.map(({ event, command }) => capability("hooks", `${event}: ${command}${where}`)),
    ...serversOf(manifest).map((server) => serverPower(server, where)),
    ...toolPowers(manifest, kind, where),
    ...secretPowers(manifest.gating, where),
    ...executionPowers(manifest, where),
    ...(kind === "agent" || kind === "instruction" ? extraPowers(manifest, where) : []),
    ...unread.map((text) => capability("settings", text)),
  ];
  return { powers, limits: limitsOf(manifest, where) };
}

const UNREAD: ReadonlySet<string> = new Set(["companion-too-large", "companion-invalid"]);

// Another reader may follow a companion that Skillet cannot read and leaves out.
function withCompanion(
  manifest: Manifest,
  companion: TreeFile | undefined,
): { readonly manifest: Manifest; readonly unread: readonly string[] } {
  if (companion === undefined) return { manifest, unread: [] };
  const text = Buffer.from(companion.bytes).toString("utf8");
  const applied = applyCodexInterface(manifest, text, { file: companion.path });
  const isUnread = applied.diagnostics.some(({ code }) => UNREAD.has(code));
  return { manifest: applied.manifest, unread: isUnread ? [unreadText(companion)] : [] };
}

function unreadText({ path, bytes }: Pick<TreeFile, "path" | "bytes">): string {
  return `whatever ${path} says (${digestBytes(bytes)})`;
}

// An agent's header may define servers; a skill's companion names those that it needs.
function serversOf({ extra, gating }: Manifest): ReturnType<typeof serversIn> {
  const wanted = gating.mcp.map(({ name, url, command }) =>
    present<PluginParts["mcpServers"][number]>({ name, command, url }),
  );
  return [...wanted, ...(Object.hasOwn(extra, "mcpServers") ? serversIn(extra.mcpServers) : [])];
}

function toolPowers(manifest: Manifest, kind: HeadedKind, where: string): readonly Power[] {
  const own = listedTools(manifest.extra);
  const tool = (name: string): Power => capability("allowedTools", `${name}${where}`);
  const allowed = manifest.tools.allowed.map(tool);
  if (kind !== "agent") return [...allowed, ...own.map(tool)];
  // An agent without a list has every tool, so removing the list gives it more than any tool on it.
  const every = capability("allowedTools", `every tool${where}`, "may use");
  const wider = keyOf(every);
  return [...allowed, ...(own.length === 0 ? [every] : own.map((name) => ({ ...tool(name), wider })))];
}

// In an agent's header, `tools` lists everything that it may use.
function listedTools(extra: JsonObject): readonly string[] {
  const own = Object.hasOwn(extra, "tools") ? extra.tools : undefined;
  const listed: unknown = typeof own === "string" ? own.split(",") : own;
  const names = Array.isArray(listed) ? listed.filter((name) => typeof name === "string") : [];
  return names.map((name) => name.trim()).filter((name) => name !== "");
}

// A declared variable is handed over, which is more than a mention.
function secretPowers({ env, primaryEnv, credentialFiles }: Gating, where: string): readonly Power[] {
  const names = [...env.map(({ name }) => name), ...(primaryEnv === undefined ? [] : [primaryEnv])];
  const sent = env.flatMap(({ name, hosts = [] }) => hosts.map((host) => `${name} to ${host}`));
  return [
    ...names.map((name) => capability("secrets", `${name}${where}`)),
    ...credentialFiles.map((file) => capability("secrets", `${file}${where}`, "asks for the file")),
    ...sent.map((value) => capability("secrets", `${value}${where}`, "sends")),
  ];
}

// Another agent has other tools, and another shell may parse the same line differently.
function executionPowers({ execution }: Manifest, where: string): readonly Power[] {
  const { agent, shell, background } = execution;
  const said = { agent, shell, background: background === true && background };
  return Object.entries(said)
    .filter(([, value]) => value)
    .map(([key, value]) => capability("settings", `${key}: ${value}${where}`));
}

const SHOWN_OTHERWISE: ReadonlySet<string> = new Set(["tools", "mcpServers", "color"]);
const MAX_SETTING_CHARACTERS = 500;

// All other keys of an agent's or a style's header are for the program that reads it, for example `permissionMode`.
function extraPowers({ extra }: Manifest, where: string): readonly Power[] {
  return Object.entries(extra)
    .filter(([key, value]) => !SHOWN_OTHERWISE.has(key) || (key === "tools" && asObject(value) !== undefined))
    .map(([key, value]) => {
      const said = boundedText(`${key}: ${JSON.stringify(value)}`, MAX_SETTING_CHARACTERS);
      return capability("settings", `${said}${where}`);
    });
}

function limitsOf({ tools, invocation, gating }: Manifest, where: string): readonly Power[] {
  const limit = (value: string, verb?: string): Power => capability("limits", `${value}${where}`, verb);
  const bound = gating.env.filter(({ hosts = [] }) => hosts.length > 0);
  return [
    ...tools.disallowed.map((tool) => limit(tool)),
    // Sessions restrict an active skill to its list; a skill without a list is not restricted.
    ...(tools.allowed.length === 0 ? [] : [limit("the tools that it names", "is not held to")]),
    ...(invocation.model ? [] : [limit("the model", "may be called by")]),
    ...bound.map(({ name }) => limit(`${name} anywhere`, "may send")),
  ];
}
