import type { TreeFile } from "@skillet/core";
import type { Candidate } from "../candidate/candidate.ts";
import type { PluginParts } from "../discover/plugin-documents.ts";
import { readPluginParts } from "../discover/read-plugin-parts.ts";
import {
  type HeadedKind,
  type HeaderPowers,
  headerPowers,
  type Power,
  power,
  powerKey,
  serverPower,
} from "./header-powers.ts";
import type { PlanItem } from "./plan.ts";
import { lockedFiles } from "./plan-item.ts";
import { abilitiesOf, type CapabilityChange, isProgramPath } from "./version-changes.ts";

type Version = Pick<Candidate, "kind" | "files">;

/**
 * What a version can do that the one before could not, beyond what capabilities tell; all of it, where nobody knows what
 * that one was.
 */
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
    return [[file.path.toLowerCase(), headerPowers(file, { kind, companion })]];
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
