import { lstatSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { Decision, DetectedUse, Narrowing, SessionRecord, Skill } from "@skillet/core";
import { canonicalTool, toolKind } from "@skillet/core/internal";
import { canonicalPath, leadsNowhere } from "@skillet/kit/files";
import { textOf } from "@skillet/kit/json";
import { listFirst, showLine, showName } from "@skillet/kit/text";
import type { SelectedSkill, Selector } from "@skillet/select";
import { hintText, isOrganising, MAX_NAMED } from "../bind/agent-words.ts";
import type { HookAgent } from "./hook-agents.ts";
import type { HookAnswer, HookEvent, ToolEvent } from "./hook-event.ts";
import type { Happening, HookMemory, HookState, LoadedSkill } from "./hook-state.ts";
import {
  areUnchanged,
  climb,
  createLocator,
  type HookSkill,
  type HookView,
  isAsJudged,
  isIndexed,
  type Stop,
} from "./hook-view.ts";

type ToolCallEvent = Extract<HookEvent, ToolEvent>;

/** What answers are made with; the heavier parts are loaded when an event comes to them. */
export interface HookParts {
  readonly agent: HookAgent;
  readonly state: HookState;
  readonly userHome: string;
  /** The kept view, or a new one where settings changed. */
  view(): Promise<HookView>;
  /** A new one, whatever is kept. */
  freshView(): Promise<HookView>;
  /** Over the skills of a view that are indexed. */
  selector(view: HookView): Promise<Selector<HookSkill>>;
  policy(): Promise<typeof import("./deciding.ts")>;
  reader(): Promise<typeof import("./reading.ts")>;
  detector(): Promise<typeof import("./detecting.ts")>;
}

/** Answers an event; throws where Skillet itself fails, and then the caller steps aside. */
export async function answerHook(parts: HookParts, event: HookEvent): Promise<HookAnswer> {
  switch (event.kind) {
    case "prompt":
      return answerPrompt(parts, event.text);
    case "before-tool":
      return beforeTool(parts, event);
    case "after-tool":
      return afterTool(parts, event);
    case "start":
      return answerStart(parts, event.cause);
    case "end":
      return {};
  }
}

async function answerPrompt(parts: HookParts, text: string): Promise<HookAnswer> {
  const { agent, state } = parts;
  const kept = await parts.view();
  const view = areUnchanged(kept.places) ? kept : await parts.freshView();
  const turn: Happening = { kind: "turn" };
  const named = /^\s*\/([^\s/]+)(?=\s|$)/.exec(text)?.[1];
  const asked = named === undefined ? undefined : findByName(view, named);
  if (asked !== undefined) {
    const skill = await judgedNow(parts, asked);
    if (skill.userStop !== undefined) {
      const { qualifiedName, userStop } = skill;
      const refusal = refusalOf("activate", qualifiedName, userStop.reason);
      return refuse(parts, `Skillet stopped ${qualifiedName}: ${userStop.reason}`, turn, refusal);
    }
    state.append(turn, loadedLine(skill, "user"));
    return {};
  }
  const memory = state.read();
  const loaded = new Set(memory.loaded.map(({ path }) => path));
  const isAny = view.skills.some(isOffered);
  const decided = isAny ? (await parts.selector(view)).among(isOffered).decide(text) : undefined;
  // Beside one that is sure, those that only may fit would be noise.
  const tier = decided?.action === "activate" ? "activate" : "suggest";
  const offered: SelectedSkill<HookSkill>[] = [];
  for (const one of decided?.[tier].slice(0, MAX_NAMED) ?? []) {
    const skill = await judgedNow(parts, one.skill);
    if (!loaded.has(skill.path) && isOffered(skill)) offered.push({ ...one, skill });
  }
  const skills = offered.map(({ skill: { qualifiedName: name, digest, origin } }) => {
    return { name, tier, digest, origin } as const;
  });
  const offer: Happening = { kind: "record", record: { kind: "offer", skills } };
  state.append(turn, ...(skills.length > 0 ? [offer] : []));
  if (skills.length === 0) return {};
  const fitting = offered.map(({ skill, ...one }) => ({ ...one, name: nameFor(skill) }));
  return {
    context: hintText(fitting, agent.hasSkillTool ? undefined : "read its SKILL.md before you begin"),
  };
}

function isOffered(skill: HookSkill): boolean {
  return isIndexed(skill) && skill.stop === undefined && skill.manifest.invocation.model;
}

// As the agent itself calls it.
function nameFor({ plugin, name, directory, path }: HookSkill): string {
  const shown = showName(plugin === undefined ? name : `${plugin}:${name}`);
  return directory === "" ? shown : `${shown} [${showName(path)}]`;
}

function findByName({ skills }: HookView, given: string): HookSkill | undefined {
  // Some agents take any case.
  const wanted = given.toLowerCase();
  const fits = ({ plugin, name, directoryName, qualifiedName }: HookSkill): boolean =>
    [qualifiedName, name, directoryName].some((one) =>
      [one, ...(plugin === undefined ? [] : [`${plugin}:${one}`])].some(
        (spelling) => spelling.toLowerCase() === wanted,
      ),
    );
  const found = skills.filter(fits);
  // Of several the one that the agent reads, and of those the strictest: which it loads is not certain.
  const read = found.filter(({ isRead }) => isRead);
  const meant = read.length > 0 ? read : found;
  return meant.find(({ stop }) => stop !== undefined) ?? meant[0];
}

/** The skill with a judgement about its files as they are now. */
async function judgedNow(parts: HookParts, skill: HookSkill): Promise<HookSkill> {
  if (isAsJudged(skill)) return skill;
  const view = await parts.freshView();
  return (
    view.skills.find(({ path }) => path === skill.path) ?? {
      ...skill,
      stop: GONE,
      userStop: GONE,
    }
  );
}

const GONE: Stop = { outcome: "deny", reason: "its files changed while they were looked at" };

async function beforeTool(parts: HookParts, event: ToolCallEvent): Promise<HookAnswer> {
  const { agent, state } = parts;
  const memory = state.read();
  const view = await parts.view();
  const stopped = await findStopped(parts, view, event, memory);
  const decision = stopped ?? (await decideCall(parts, view, event, memory));
  if (decision.outcome === "allow") return {};
  // Where no person can be asked, a question is a denial.
  const outcome = decision.outcome === "ask" && agent.asks ? "ask" : "deny";
  const rule = "rule" in decision && decision.rule !== undefined ? ` (${decision.rule})` : "";
  const reason = `Skillet: ${showLine(decision.reason)}${showLine(rule)}`;
  if (outcome === "ask") return { decision: outcome, reason };
  return refuse(parts, reason, refusalOf("tool", event.tool, decision.reason));
}

/** A refusal holds whether or not it can be recorded: a full disk must not lift it. */
function refuse({ state }: HookParts, reason: string, ...lines: readonly Happening[]): HookAnswer {
  try {
    state.append(...lines);
    return { decision: "deny", reason };
  } catch (error) {
    return { decision: "deny", reason, notice: `Skillet cannot record it: ${showLine(String(error))}` };
  }
}

/** Why a skill that the call is about is not to be used. */
async function findStopped(
  parts: HookParts,
  view: HookView,
  event: ToolCallEvent,
  memory: HookMemory,
): Promise<Decision | undefined> {
  const named = skillNamed(event);
  if (named !== undefined) {
    const skill = findByName(view, named) ?? findByName(await parts.freshView(), named);
    return skill && stopOf(await judgedNow(parts, skill));
  }
  for (const { skill, how } of await usesOf(parts, view, event, [])) {
    const known = skill as unknown as HookSkill;
    // A file that is only looked at matters once the skill's instructions send the agent there.
    if (how === "command" || (how === "resource" && !memory.loaded.some(({ path }) => path === known.path)))
      continue;
    const stop = stopOf(await judgedNow(parts, known));
    if (stop !== undefined) return stop;
  }
  return undefined;
}

function stopOf({ qualifiedName, stop }: HookSkill): Decision | undefined {
  return stop && { outcome: stop.outcome, reason: `${qualifiedName} is stopped: ${stop.reason}` };
}

function skillNamed({ tool, input }: ToolEvent): string | undefined {
  if (canonicalTool(tool) !== "skill") return undefined;
  // Agents trim it, and a command has arguments after it.
  return /^\s*\/?(\S+)/.exec(textOf(input, "skill") ?? "")?.[1];
}

const FOLDER_FIELDS = ["dir_path", "directory", "working_directory", "workdir"] as const;

/** Which skills a call uses, among those whose files it comes to and some others. */
async function usesOf(
  parts: HookParts,
  kept: HookView,
  { tool, input, cwd: base }: ToolCallEvent,
  others: readonly HookSkill[],
): Promise<readonly DetectedUse[]> {
  // Gemini CLI, Cursor and Codex let a command begin in another folder.
  const cwd = resolve(base, ...FOLDER_FIELDS.map((field) => textOf(input, field) ?? ""));
  const isRead = canonicalTool(tool) === "read";
  if (!isRead && toolKind(canonicalTool(tool)) !== "shell") return [];
  const given =
    !isRead && typeof input === "string" ? input : textOf(input, isRead ? "file_path" : "command");
  if (given === undefined) return [];
  const home = parts.userHome;
  const event = isRead
    ? ({ kind: "read", path: given, cwd } as const)
    : ({ kind: "command", command: given, cwd } as const);
  const inHome = given.replace(/^~(?=\/|$)/, () => home);
  const accesses =
    event.kind === "read"
      ? [{ path: resolve(cwd, inHome) }]
      : (await parts.reader()).readAgentCommand(event, { home, variables: new Map() });
  const paths = accesses.flatMap((one) => ("path" in one ? [one.path] : []));
  const near = await skillsAt(parts, kept, paths);
  const candidates = [...new Set([...near, ...others])];
  if (candidates.length === 0) return [];
  const { createUseDetector } = await parts.detector();
  return createUseDetector(candidates as unknown as readonly Skill[], { home }).detect(event);
}

/** The skills in whose folders paths lie. A SKILL.md that the view does not know makes it anew. */
async function skillsAt(
  parts: HookParts,
  view: HookView,
  paths: readonly string[],
): Promise<readonly HookSkill[]> {
  const absolute = [
    ...new Set(paths.filter((path) => isAbsolute(path)).flatMap((path) => [path, canonicalPath(path)])),
  ];
  if (absolute.length === 0) return [];
  const found = absolute.map(createLocator(view));
  const isUnknown = absolute.some((path, place) => found[place] === undefined && climb(path, holdsSkill));
  if (!isUnknown) return found.filter((skill) => skill !== undefined);
  const fresh = createLocator(await parts.freshView());
  return absolute.flatMap((path) => fresh(path) ?? []);
}

function holdsSkill(folder: string): true | undefined {
  try {
    return lstatSync(join(folder, "SKILL.md"), { throwIfNoEntry: false }) === undefined ? undefined : true;
  } catch (error) {
    if (leadsNowhere(error)) return undefined;
    throw error;
  }
}

/** By the rules of the configuration, and by what the skills of this turn say of their tools. */
async function decideCall(
  parts: HookParts,
  view: HookView,
  { tool, input }: ToolCallEvent,
  { active }: HookMemory,
): Promise<Decision> {
  const { layers, mode, project } = view;
  const hasRules = layers.some(({ values }) => values.policy?.rules?.some((rule) => rule.tool !== undefined));
  if (active.length === 0 && hasRules !== true) return ALLOWED;
  const { checkToolCall, narrowingOf } = await parts.policy();
  const home = parts.userHome;
  const narrowing = active.map((skill): Narrowing => {
    const { tools, source } = skill;
    const read = narrowingOf(
      { ...skill, manifest: { tools } as Skill["manifest"] },
      { source, project, home },
    );
    const { allowed, ...rest } = read.narrowing;
    // A skill that names the tools for its work does not mean to take away those that organise the conversation.
    return isOrganising(tool) || allowed === undefined ? rest : { ...rest, allowed };
  });
  return checkToolCall(
    { tool, input },
    {
      narrowing: [narrowing],
      layers: layers as Parameters<typeof checkToolCall>[1]["layers"],
      ...{ mode, interactive: parts.agent.asks, directories: { project, home } },
    },
  );
}

const ALLOWED: Decision = { outcome: "allow", reason: "no skill narrows it, and no rule mentions it" };

async function afterTool(parts: HookParts, event: ToolCallEvent): Promise<HookAnswer> {
  const { agent, state } = parts;
  const memory = state.read();
  const view = await parts.view();
  const named = skillNamed(event);
  if (named !== undefined) {
    const skill = findByName(view, named);
    if (skill !== undefined) state.append(loadedLine(skill, "model"));
    return {};
  }
  const loaded = view.skills.filter(({ path }) => memory.loaded.some((one) => one.path === path));
  const lines = (await usesOf(parts, view, event, loaded)).flatMap(
    ({ skill, how, certainty, subject }): Happening[] => {
      const known = skill as unknown as HookSkill;
      const { qualifiedName: name, digest, origin } = known;
      const loads = how === "instructions" && certainty === "sure" && !agent.hasSkillTool;
      if (loads && !memory.active.some(({ path }) => path === known.path))
        return [loadedLine(known, "model")];
      const record: SessionRecord = {
        kind: "implicit-use",
        ...{ name, digest, origin, how, certainty, subject },
      };
      return isRecorded(memory, record) ? [] : [{ kind: "record", record }];
    },
  );
  state.append(...lines);
  return {};
}

// Once a turn, and again when a guess becomes certain.
function isRecorded(
  { recorded }: HookMemory,
  record: Extract<SessionRecord, { kind: "implicit-use" }>,
): boolean {
  return recorded.some(
    (one) =>
      one.kind === "implicit-use" &&
      one.name === record.name &&
      (one.certainty === "sure" || record.certainty === "likely"),
  );
}

/** So many names are told at once. */
const MAX_LISTED = 20;

/** The agent lists its skills itself, so only what differs is said: what is withheld, and what was in use. */
async function answerStart(
  parts: HookParts,
  cause: Extract<HookEvent, { kind: "start" }>["cause"],
): Promise<HookAnswer> {
  const view = await parts.freshView();
  const stopped = view.skills.filter(({ isRead, stop }) => isRead && stop?.outcome === "deny");
  const names = (skills: readonly Pick<HookSkill, "name">[]): string =>
    listFirst(
      skills.map(({ name }) => showName(name)),
      MAX_LISTED,
    );
  const { loaded } = cause === "compacted" ? parts.state.read() : { loaded: [] };
  const context = [
    ...(stopped.length > 0
      ? [`Skillet stops these skills, so do not load them or follow their files: ${names(stopped)}.`]
      : []),
    ...(loaded.length > 0
      ? [
          `These skills were in use before the conversation was shortened; load them again where their instructions are missing: ${names(loaded)}.`,
        ]
      : []),
  ].join("\n");
  const notice =
    stopped.length > 0 && cause !== "compacted"
      ? `Skillet stops ${stopped.length === 1 ? "a skill" : `${stopped.length} skills`} here: ${names(stopped)}. To see why: skillet explain NAME`
      : undefined;
  return { ...(context !== "" && { context }), ...(notice !== undefined && { notice }) };
}

function loadedLine(skill: HookSkill, source: LoadedSkill["source"]): Happening {
  const { name, qualifiedName, scope, origin, path, directory, digest, manifest } = skill;
  const record: SessionRecord = {
    kind: "activation",
    ...{ name: qualifiedName, source, digest, origin, duplicate: false, drifted: false, diagnostics: [] },
    ...{ sourceId: skill.source.id, folder: skill.source.folder, skillPath: path, skillDir: directory },
  };
  const loaded = { name, qualifiedName, scope, origin, path, directory, source, tools: manifest.tools };
  return { kind: "loaded", skill: loaded, record };
}

// Of a call the tool alone: its input can hold secrets.
function refusalOf(what: "activate" | "tool", subject: string, reason: string): Happening {
  const record: SessionRecord = {
    kind: "refusal",
    what,
    subject,
    error: { code: "tool-denied", message: reason },
  };
  return { kind: "record", record };
}
