import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { callInvalid } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { markdownBlocks } from "@skillet/kit/markdown";
import { quoteName } from "@skillet/kit/text";
import { resolvePath } from "@skillet/shell";
import { programName } from "@skillet/shell/programs";
import type { Skill } from "../registry/skill.ts";
import { type Access, readAgentCommand } from "./read-agent-command.ts";

/**
 * Prepares skills so that an agent's commands and reads can be traced to the skills they belong to.
 *
 * A script that runs from a copy elsewhere is not recognised.
 *
 * @example
 * const detector = createUseDetector(skills.list());
 * detector.detect({ kind: "command", command: "cd skills/pdf && uv run scripts/fill.py", cwd: "/project" });
 * // [{ skill, how: "script", certainty: "sure", subject: "scripts/fill.py", reason: 'runs "scripts/fill.py"' }]
 */
export function createUseDetector(skills: readonly Skill[], options: UseDetectorOptions = {}): UseDetector {
  const { canonical = canonicalPath, home = homedir(), variables = {} } = options;
  const places = new SkillPlaces(skills, canonical);
  const wrapped = indexWrappedCommands(skills, options.bodyOf);
  const settings = { home, variables: new Map(Object.entries(variables)) };
  const useOf = (access: Access): readonly DetectedUse[] => {
    if (access.kind === "program") {
      const { text = "", isKnown = false } = access.words[0] ?? {};
      const name = isKnown && !/[/\\]/.test(text) ? programName(text) : "";
      return commandUses(name, wrapped.get(name) ?? []);
    }
    return places.locate(access.path).flatMap((place) => fileUse(access, place) ?? []);
  };
  return {
    detect: (event) => {
      checkAgentEvent(event);
      return strongest(accessesOf(event, settings).flatMap(useOf));
    },
  };
}

function accessesOf(
  event: AgentEvent,
  settings: { readonly home: string; readonly variables: ReadonlyMap<string, string> },
): readonly Access[] {
  if (event.kind === "command") return readAgentCommand(event, settings);
  const text = event.path.replace(/^~(?=[\\/]|$)/, () => settings.home);
  const path = resolvePath(text, event.cwd);
  return path === undefined ? [] : [{ kind: "read", path, isSure: true, isOpen: false }];
}

function fileUse(
  { kind, isSure }: Exclude<Access, { kind: "program" }>,
  { skill, subject, isSkillFile }: Place,
): DetectedUse | undefined {
  if (subject === "" || subject === "*" || subject.startsWith(".git/")) return undefined;
  const certainty = isSure ? "sure" : "likely";
  const shown = quoteName(subject);
  if (kind === "module")
    return subject.startsWith("scripts/")
      ? { skill, how: "script", certainty: "likely", subject, reason: `runs the module ${shown}` }
      : undefined;
  if (isSkillFile) return { skill, how: "instructions", certainty, subject, reason: `reads ${shown}` };
  if (kind === "run") return { skill, how: "script", certainty, subject, reason: `runs ${shown}` };
  // Subfolders have no file extension; listing a folder does not read its files.
  if (FOLDERS.has(subject) || (kind === "search" && !/\.[^/]+$/.test(subject))) return undefined;
  return { skill, how: "resource", certainty, subject, reason: `reads ${shown}` };
}

const FOLDERS: ReadonlySet<string> = new Set(
  "agents assets evals examples references reference resources scripts templates".split(" "),
);

function commandUses(name: string, skills: readonly Skill[]): readonly DetectedUse[] {
  const sharing = skills.length === 1 ? "no other skill wraps" : `${skills.length} skills wrap`;
  return skills.map((skill) => ({
    skill,
    how: "command",
    certainty: "likely",
    subject: name,
    reason: `calls ${quoteName(name)}, which ${sharing}`,
  }));
}

function strongest(uses: readonly DetectedUse[]): readonly DetectedUse[] {
  const best = new Map<Skill, DetectedUse>();
  for (const use of uses) {
    const known = best.get(use.skill);
    if (known === undefined || weaknessOf(use) < weaknessOf(known)) best.set(use.skill, use);
  }
  return [...best.values()].sort((left, right) => weaknessOf(left) - weaknessOf(right));
}

function weaknessOf({ certainty, how }: DetectedUse): number {
  return (certainty === "sure" ? 0 : WEAKNESS.length) + WEAKNESS.indexOf(how);
}

const WEAKNESS: readonly DetectedUse["how"][] = ["script", "instructions", "resource", "command"];

/** Hosts build events from whatever their tools were called with, so the shape is checked. */
function checkAgentEvent(event: AgentEvent): void {
  if (typeof event !== "object" || event === null) throw callInvalid("The event", KINDS);
  const { kind, command, path, cwd }: Loose = event;
  if (kind !== "command" && kind !== "read") throw callInvalid("`kind` of the event", KINDS);
  if (kind === "read" && typeof path !== "string") throw callInvalid("`path` of the event", "a path");
  const words: readonly unknown[] = Array.isArray(command) ? command : [undefined];
  const isCommand = typeof command === "string" || words.every((word) => typeof word === "string");
  if (kind === "command" && !isCommand)
    throw callInvalid("`command` of the event", "a command line, or a program and its arguments");
  if (cwd !== undefined && typeof cwd !== "string")
    throw callInvalid("`cwd` of the event", "a path, or leave it out");
}

const KINDS = '{ kind: "command", command } or { kind: "read", path }';

type Loose = { readonly [Name in "kind" | "command" | "path" | "cwd"]?: unknown };

/** A command that more skills than this wrap is not evidence for any of them. */
const MAX_WRAPPING_SKILLS = 3;
const MAX_COMMANDS = 32;
/** The same limit as selection. */
const MAX_BODY_CHARACTERS = 16_000;

/** Maps wrapped commands to enabled skills, without common commands and those that many skills wrap. */
function indexWrappedCommands(
  skills: readonly Skill[],
  bodyOf: (skill: Skill) => string | undefined = () => undefined,
): ReadonlyMap<string, readonly Skill[]> {
  const wrapping = new Map<string, Skill[]>();
  for (const skill of skills) {
    if (skill.state !== "enabled" || skill.kind !== "skill") continue;
    for (const command of wrappedCommands(skill, bodyOf(skill) ?? "")) {
      const others = wrapping.get(command);
      if (others === undefined) wrapping.set(command, [skill]);
      else if (others.length <= MAX_WRAPPING_SKILLS) others.push(skill);
    }
  }
  for (const [command, { length }] of wrapping) if (length > MAX_WRAPPING_SKILLS) wrapping.delete(command);
  return wrapping;
}

/** The programs that a skill declares or calls at the start of a line in its shell blocks. */
function wrappedCommands({ manifest }: Skill, body: string): readonly string[] {
  const { bins, anyBins, commands } = manifest.gating;
  const allowed = manifest.tools.allowed.flatMap((tool) => /^Bash\(\s*([\w.+-]+)/.exec(tool)?.[1] ?? []);
  const called = markdownBlocks(body.slice(0, MAX_BODY_CHARACTERS))
    .filter(({ info }) => info !== undefined && SHELL.test(info))
    .flatMap(({ text }) => Array.from(text.matchAll(COMMAND_LINE), ([, command = ""]) => command));
  const all = [...bins, ...anyBins, ...commands, ...allowed, ...called].map((name) => name.toLowerCase());
  return [...new Set(all)].filter((name) => !COMMON.has(name)).slice(0, MAX_COMMANDS);
}

const SHELL = /^\s*(?:(?:ba|z|fi)?sh|shell|console|terminal)?\s*$/i;
const COMMAND_LINE = /^[ \t]*(?:\$ |> |sudo )?([a-z][\w.+-]{1,30})(?=[ \t]+[\w./"'$<{-]|$)/gm;

// Called for every kind of task, so a mention in a skill proves nothing.
const COMMON: ReadonlySet<string> = new Set(
  (
    "alias apt apt-get awk basename bash brew bun bunx bzip2 cargo cat cd chmod chown clear cmp command cp curl cut date " +
    "dd deno df diff dirname dnf do docker done du echo elif else env esac eval exec exit export false fi file find fish " +
    "for from g++ gcc getopt git go grep gunzip gzip head history hostname id if import in java javac jq kill killall " +
    "less let ln ls lsof make man md5sum mkdir more mv nano nice nl node nohup npm npx od open pdm perl php pip pip3 pipx " +
    "pnpm poetry popd powershell print printf ps pushd pwd pwsh pytest python python3 read readlink realpath return rg rm " +
    "rmdir rsync ruby rustc scp sed seq set sh sha256sum shasum shift sleep sort source ssh stat su sudo tail tar tee " +
    "test then time timeout top touch tr trap tree true ts-node tsx type umask uname uniq unset unzip uv uvx vi vim wait " +
    "watch wc wget which while who whoami xargs xdg-open xxd xz yarn yes zip zsh"
  ).split(" "),
);

/** A file of a skill, or its folder if the subject is empty. */
interface Place {
  readonly skill: Skill;
  readonly subject: string;
  readonly isSkillFile: boolean;
}

/** Deeper paths are ignored, so that no path costs more than this many look-ups. */
const MAX_DEPTH = 128;

class SkillPlaces {
  readonly #folders = new Map<string, Skill>();
  /** Skill files outside their skill's folder, and commands, which share a folder. */
  readonly #files = new Map<string, Skill>();
  readonly #canonical: (path: string) => string;

  constructor(skills: readonly Skill[], canonical: (path: string) => string) {
    this.#canonical = (path) => (isAbsolute(path) ? canonical(path) : path);
    // If two skills are in one place, the enabled one wins.
    const isOffered = ({ state }: Skill): boolean => state === "enabled";
    const ranked = [...skills.filter(isOffered), ...skills.filter((skill) => !isOffered(skill))];
    for (const skill of ranked) this.#add(skill, skill.path);
    for (const skill of ranked) for (const path of skill.alsoAt) this.#add(skill, path);
    for (const skill of ranked) this.#addCanonical(skill);
  }

  /** The innermost skills that hold a path, both as the agent wrote it and with links resolved. */
  locate(path: string): readonly Place[] {
    const real = resolvePath(this.#canonical(path), undefined);
    return [...new Set([path, real])].flatMap((one) => (one === undefined ? [] : (this.#find(one) ?? [])));
  }

  #find(path: string): Place | undefined {
    const key = keyOf(path);
    const file = this.#files.get(key);
    if (file !== undefined) return { skill: file, subject: baseOf(file.path), isSkillFile: true };
    let end = key.length;
    for (let depth = 0; depth < MAX_DEPTH && end > 0; depth += 1) {
      const skill = this.#folders.get(key.slice(0, end));
      if (skill !== undefined) {
        const base = baseOf(skill.path);
        const isSkillFile = key.slice(end + 1) === (key === path ? base : base.toLowerCase());
        return { skill, subject: path.slice(end + 1), isSkillFile };
      }
      end = key.lastIndexOf("/", end - 1);
    }
    return undefined;
  }

  #add(skill: Skill, path: string): void {
    const file = resolvePath(path, undefined);
    if (file === undefined) return;
    if (skill.kind === "command") setFirst(this.#files, file, skill);
    else setFirst(this.#folders, file.slice(0, Math.max(file.lastIndexOf("/"), 0)), skill);
  }

  #addCanonical(skill: Skill): void {
    if (!isAbsolute(skill.path)) return;
    const file = this.#canonical(skill.path);
    if (file === skill.path) return;
    setFirst(this.#files, file, skill);
    if (skill.kind === "skill") setFirst(this.#folders, this.#canonical(skill.directory), skill);
  }
}

// Windows ignores case, and only Windows paths begin with a drive or a server.
function keyOf(path: string): string {
  if (!/^(?:[A-Za-z]:\/|\\\\)/.test(path)) return path;
  const lower = path.toLowerCase();
  // Lengths of keys are used to slice paths, so lower case must not change the length.
  return lower.length === path.length ? lower : path;
}

function baseOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

function setFirst(map: Map<string, Skill>, path: string, skill: Skill): void {
  const place = resolvePath(path, undefined);
  const key = place && keyOf(place);
  if (key !== undefined && !map.has(key)) map.set(key, skill);
}

/** Something an agent did with a tool: ran a command, or read a file. */
export type AgentEvent =
  | {
      readonly kind: "command";
      /** A command line for a shell, or a program and its arguments, run without a shell. */
      readonly command: string | readonly string[];
      /** The working directory; without it, relative paths match nothing. */
      readonly cwd?: string;
      /** Default: `posix`. */
      readonly shell?: "posix" | "powershell";
    }
  | { readonly kind: "read"; readonly path: string; readonly cwd?: string };

/** A skill that an event shows in use. */
export interface DetectedUse {
  readonly skill: Skill;
  /** It ran a script, read SKILL.md, read another file of the skill, or called a command that it wraps. */
  readonly how: "script" | "instructions" | "resource" | "command";
  /** `likely` if part of a path is unknown, if the step is in a branch, and for wrapped commands. */
  readonly certainty: "sure" | "likely";
  /** The path relative to the skill, with `/`, or the command. */
  readonly subject: string;
  /** For display, such as `runs "scripts/fill.py"`. */
  readonly reason: string;
}

/** Tells which skills an agent uses, from what it does. */
export interface UseDetector {
  /** One row per skill with its strongest evidence; strongest rows first, then in the order of the event. */
  detect(event: AgentEvent): readonly DetectedUse[];
}

export interface UseDetectorOptions {
  /** Resolves links; default: `canonicalPath`, which reads the file system. */
  readonly canonical?: (path: string) => string;
  /** The meaning of `~`; default: the home of this process's user. */
  readonly home?: string;
  /** Variables of the agent's shell, such as `CLAUDE_SKILL_DIR`; this process's own are never used. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The body of SKILL.md, whose code blocks name wrapped commands; without it, only the header counts. */
  readonly bodyOf?: (skill: Skill) => string | undefined;
}
