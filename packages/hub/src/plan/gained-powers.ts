import type { Gating, Manifest, TreeFile } from "@skillet/core";
import { applyCodexInterface, parseSkillBytes } from "@skillet/core/internal";
import { digestBytes } from "@skillet/kit/digest";
import { asObject, type JsonObject } from "@skillet/kit/json";
import type { Candidate } from "../candidate/candidate.ts";
import { boundedText, type PluginParts } from "../discover/plugin-documents.ts";
import { hooksOf, serversIn } from "../discover/read-active-parts.ts";
import { readPluginParts } from "../discover/read-plugin-parts.ts";
import { lockedFiles } from "../lock/lock-entry.ts";
import type { PlanItem } from "./plan.ts";
import { abilitiesOf, type CapabilityChange, isProgramPath } from "./version-changes.ts";

type Version = Pick<Candidate, "kind" | "files">;

/** Beyond what capabilities tell; everything, where no one knows what the version before was. */
export function gainedPowers(before: Version | undefined, after: Version): readonly CapabilityChange[] {
  const had = before && readPowers(before);
  const has = readPowers(after);
  const known = new Set(had?.powers.map(powerKey));
  const gained = has.powers.filter(
    (one) => !known.has(powerKey(one)) && !(one.wider !== undefined && known.has(one.wider)),
  );
  const all = [...gained, ...(had === undefined ? [] : lostLimits(had, has))];
  return [...new Map(all.map(({ wider: _, ...change }) => [powerKey(change), change])).values()];
}

interface Powers {
  readonly powers: readonly Power[];
  readonly limits: ReadonlyMap<string, readonly Power[]>;
}

// What it would run by itself, what it lets itself use, and what it offers to people and models.
function readPowers({ kind: whole, files }: Version): Powers {
  const parts = whole === "plugin" ? readPluginParts(files, { name: "" }).parts : undefined;
  const kinds = headedKinds(files, parts);
  const byPath = new Map(files.map((file) => [file.path.toLowerCase(), file]));
  const headed = files.flatMap((file): readonly [string, HeaderPowers][] => {
    const kind = kinds.get(file.path);
    if (kind === undefined) return [];
    const companion = kind === "skill" ? byPath.get(companionOf(file.path)) : undefined;
    return [[file.path.toLowerCase(), headerPowers(file, kind, companion)]];
  });
  return {
    powers: [
      ...(parts === undefined ? [] : partPowers(parts)),
      ...headed.flatMap(([, { powers }]) => powers),
      ...files
        .filter((file) => !isProgramPath(file.path) && file.mode !== "755" && isProgram(file))
        .map(({ path }) => power("scripts", path, "has the script")),
    ],
    limits: new Map(headed.map(([path, { limits }]) => [path, limits])),
  };
}

// With less to keep it back it can do more. A file that is gone needs no limits, and a new one is asked about anyway.
function lostLimits(had: Powers, has: Powers): readonly Power[] {
  return [...had.limits].flatMap(([path, limits]) => {
    const kept = has.limits.get(path);
    const keys = new Set(kept?.map(powerKey));
    return kept === undefined ? [] : limits.filter((limit) => !keys.has(powerKey(limit)));
  });
}

function partPowers(parts: PluginParts): readonly Power[] {
  return [
    ...parts.hooks.map(({ event, command }) => power("hooks", `${event}: ${command}`, "has the hook")),
    ...parts.mcpServers.map((server) => serverPower(server)),
    ...parts.skills.map(({ name, folder }) =>
      power("skills", `${name} (${folder === "" ? "its root" : folder})`, "brings the skill"),
    ),
    ...parts.commands.map((value) => power("slashCommands", value, "brings the command")),
    ...parts.agents.map((value) => power("agents", value, "brings the agent")),
    ...parts.instructions.map((value) => power("instructions", value, "brings the instructions")),
    ...parts.settings.map((value) => power("settings", value, "sets")),
  ];
}

// By path; what counts as several things is read as the one whose header says most.
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
    ...listed(
      "skill",
      skills.map(({ path }) => path),
    ),
    ...listed("command", parts?.commands),
    ...listed("instruction", parts?.instructions),
    ...listed("agent", parts?.agents),
  ]);
}

function companionOf(path: string): string {
  return `${path.slice(0, path.lastIndexOf("/") + 1)}agents/openai.yaml`.toLowerCase();
}

function isProgram({ bytes }: TreeFile): boolean {
  return PROGRAM_STARTS.some((start) => Buffer.from(bytes.subarray(0, start.length)).equals(start));
}

// A shebang, then what Linux, Windows, macOS (both orders, and for several machines) and browsers run.
const PROGRAM_STARTS: readonly Buffer[] =
  "2321 efbbbf2321 7f454c46 4d5a feedface feedfacf cefaedfe cffaedfe cafebabe 0061736d"
    .split(" ")
    .map((digits) => Buffer.from(digits, "hex"));

/** Everything that something can do, for people who have not met it before; what a plugin's parts are tells itself. */
export function firstAbilities({
  candidate,
  report: { capabilities },
}: Pick<PlanItem, "candidate" | "report">): readonly CapabilityChange[] {
  const version = { files: lockedFiles(candidate.files), capabilities };
  const all = [...abilitiesOf(version), ...gainedPowers(undefined, candidate)];
  const shown = partTexts(candidate);
  const told = all.filter(({ kind, value }) => !PARTS.has(kind) && !shown.has(value));
  return [...new Map(told.map((change) => [change.text, change])).values()];
}

const PARTS: ReadonlySet<CapabilityChange["kind"]> = new Set([
  "skills",
  "slashCommands",
  "agents",
  "instructions",
]);

// Hooks and servers of the plugin itself stay off, and are shown so; those of a header are used by whoever reads it.
function partTexts({ parts }: Pick<PlanItem["candidate"], "parts">): ReadonlySet<string> {
  const hooks = parts?.hooks.map(({ event, command }) => `${event}: ${command}`) ?? [];
  const servers = parts?.mcpServers.map((server) => serverPower(server).value) ?? [];
  return new Set([...hooks, ...servers, ...(parts?.settings ?? [])]);
}

const MAX_SETTING_CHARACTERS = 500;

type HeadedKind = "skill" | "command" | "agent" | "instruction";

interface HeaderPowers {
  readonly powers: readonly Power[];
  /** What it keeps itself from, each in the words for when that is gone. */
  readonly limits: readonly Power[];
}

/** Reads what a header grants and what it withholds; commands, agents and output styles have the headers of skills. */
function headerPowers(
  { path, bytes }: TreeFile,
  kind: HeadedKind,
  companion: TreeFile | undefined,
): HeaderPowers {
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
    ...toolPowers(manifest, kind, where),
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

function toolPowers(manifest: Manifest, kind: HeadedKind, where: string): readonly Power[] {
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

interface Power extends CapabilityChange {
  /** The key of a power that holds this one: whoever had that gains nothing by this. */
  readonly wider?: string;
}

function power(kind: CapabilityChange["kind"], value: string, verb: string): Power {
  return { kind, value, text: `${verb} ${value}` };
}

function serverPower(server: PluginParts["mcpServers"][number], where: string = ""): Power {
  const { name, command, url } = server;
  const said = [name, command ?? url].filter((part) => part !== undefined).join(": ");
  return power("mcpServers", `${said}${where}`, "brings the server");
}

function powerKey({ kind, value }: CapabilityChange): string {
  return JSON.stringify([kind, value]);
}
