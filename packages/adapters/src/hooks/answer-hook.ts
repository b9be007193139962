import type { Decision, DetectedUse, Narrowing, SessionRecord, Skill } from "@skillet/core";
import { canonicalTool } from "@skillet/core/internal";
import { textOf } from "@skillet/kit/json";
import { listFirst, showLine, showName } from "@skillet/kit/text";
import type { SelectedSkill, Selector } from "@skillet/select";
import { hintText, isOrganising, MAX_NAMED } from "../bind/agent-words.ts";
import { MAX_FILES, type ReachParts, reachOf, shownFromAbove, usesOf } from "./call-reach.ts";
import type { HookAgent } from "./hook-agents.ts";
import { type HookAnswer, type HookEvent, type ToolEvent, withNotice } from "./hook-event.ts";
import type { Happening, HookMemory, HookState, LoadedSkill } from "./hook-state.ts";
import {
  areUnchanged,
  type HookSkill,
  type HookView,
  isAsJudged,
  isIndexed,
  type Stop,
} from "./hook-view.ts";

type ToolCallEvent = Extract<HookEvent, ToolEvent>;

/** What answers need; the heavier parts are loaded when an event uses them. */
export interface HookParts extends ReachParts {
  readonly agent: HookAgent;
  readonly state: HookState;
  /** The state as it was when the event arrived. */
  readonly memory: HookMemory;
  /** The kept view, or a new one if settings changed. */
  view(): Promise<HookView>;
  /** Searches the indexed skills of a view. */
  selector(view: HookView): Promise<Selector<HookSkill>>;
}

/** Answers an event; throws if Skillet itself fails, and then the caller steps aside. */
export async function answerHook(parts: HookParts, event: HookEvent): Promise<HookAnswer> {
  switch (event.kind) {
    case "prompt":
      return answerPrompt(parts, event.text);
    case "before-tool":
      return beforeTool(parts, event);
    case "after-tool":
    case "failed-tool":
      return afterTool(parts, event);
    case "start":
      return answerStart(parts, event);
    case "end":
      return {};
  }
}

async function answerPrompt(parts: HookParts, text: string): Promise<HookAnswer> {
  const { agent, memory } = parts;
  const view = await latestView(parts);
  const turn: Happening = { kind: "turn" };
  const asked: Happening[] = [];
  const mentions = [COMMAND, ...(agent.mention ?? [])].flatMap((form) => [...text.matchAll(form)]);
  const stopped = new Map<string, Stop>();
  for (const named of new Set(mentions.map(([, name = ""]) => name))) {
    const found = await judgedNow(parts, findByName(view, named));
    for (const { qualifiedName, userStop } of found)
      if (userStop !== undefined) stopped.set(qualifiedName, userStop);
    for (const skill of found.slice(0, 1)) asked.push(loadedLine(skill, "user"), activationOf(skill, "user"));
  }
  if (stopped.size > 0) {
    const reasons = Array.from(stopped, ([name, stop]) => `Skillet stopped ${name}: ${stop.reason}`);
    const refusals = Array.from(stopped, ([name, stop]) => refusalOf("activate", name, stop.reason));
    const reason = listFirst(reasons, MAX_LISTED, "\n");
    return recorded(parts, "prompt", { decision: "deny", reason }, turn, ...refusals);
  }
  if (asked.length > 0) return loadAsked(parts, view, [turn, ...asked]);
  const loaded = new Set(memory.loaded.map(({ path }) => path));
  // A skill is not offered if the agent passes no text on to the model.
  const isAny = agent.deaf?.includes("prompt") !== true && view.skills.some(isOffered);
  const decided = isAny ? (await parts.selector(view)).among(isOffered).decide(text) : undefined;
  // Next to a sure match, those that only may fit would be noise.
  const tier = decided?.action === "activate" ? "activate" : "suggest";
  const offered: SelectedSkill<HookSkill>[] = [];
  for (const one of decided?.[tier].slice(0, MAX_NAMED) ?? [])
    for (const skill of await judgedNow(parts, [one.skill]))
      if (!loaded.has(skill.path) && isOffered(skill)) offered.push({ ...one, skill });
  const skills = offered.map(({ skill: { qualifiedName: name, digest, origin } }) => {
    return { name, tier, digest, origin } as const;
  });
  const offer: Happening = { kind: "record", record: { kind: "offer", skills } };
  if (skills.length === 0) return recorded(parts, "prompt", {}, turn);
  const fitting = offered.map(({ skill, ...one }) => ({ ...one, name: nameFor(skill) }));
  const context = hintText(fitting, agent.hasSkillTool ? undefined : "read its SKILL.md before you begin");
  return recorded(parts, "prompt", { context }, turn, offer);
}

/** A load that cannot be recorded would narrow nothing. */
function loadAsked({ state }: HookParts, view: HookView, lines: readonly Happening[]): HookAnswer {
  try {
    state.append(...lines);
    return {};
  } catch (error) {
    if (view.ifHooksFail !== "deny") throw error;
    const reason = `Skillet cannot record that the skill is loaded, and policy.ifHooksFail is deny: ${showLine(String(error))}`;
    return { decision: "deny", reason };
  }
}

/** `/name` at the start; names can contain spaces, and arguments follow. */
const COMMAND = /^\s*\/([^\s/].*)/g;

/** A skill that was added after the view was kept can share a name with one in it. */
async function latestView({ view, freshView }: HookParts): Promise<HookView> {
  const kept = await view();
  return areUnchanged(kept.places) ? kept : freshView();
}

function isOffered(skill: HookSkill): boolean {
  return isIndexed(skill) && skill.stop === undefined && skill.manifest.invocation.model;
}

// The agent's own name for it.
function nameFor({ plugin, name, directory, readAt }: HookSkill): string {
  const shown = showName(plugin === undefined ? name : `${plugin}:${name}`);
  return directory === "" ? shown : `${shown} [${showName(readAt)}]`;
}

/** Strictest first, because it is uncertain which of several the agent loads. */
function findByName({ skills }: HookView, given: string): readonly HookSkill[] {
  // Some agents ignore case.
  const wanted = given.toLowerCase();
  const isNamed = (spelling: string): boolean =>
    wanted.startsWith(spelling.toLowerCase()) && /^(?:\s|$)/.test(wanted.slice(spelling.length));
  const fits = ({ plugin, name, directoryName, qualifiedName }: HookSkill): boolean =>
    [qualifiedName, name, directoryName].some(
      (one) => isNamed(one) || (plugin !== undefined && isNamed(`${plugin}:${one}`)),
    );
  const found = skills.filter(fits);
  // If there are several, those in the agent's folders.
  const held = found.filter(({ isHeld }) => isHeld);
  const meant = held.length > 0 ? held : found;
  return STRICTEST_FIRST.flatMap((outcome) => meant.filter(({ stop }) => stop?.outcome === outcome));
}

const STRICTEST_FIRST = ["deny", "ask", undefined] as const;

/** The skills, judged by their present files. */
async function judgedNow(parts: HookParts, skills: readonly HookSkill[]): Promise<readonly HookSkill[]> {
  if (skills.every(isAsJudged)) return skills;
  const fresh = new Map((await parts.freshView()).skills.map((skill) => [skill.path, skill]));
  return skills.map((skill) => fresh.get(skill.path) ?? { ...skill, stop: GONE, userStop: GONE });
}

const GONE: Stop = { outcome: "deny", reason: "its files changed while they were looked at" };

/** The strictest answer wins, and every objection to the call is reported, strictest first. */
async function beforeTool(parts: HookParts, event: ToolCallEvent): Promise<HookAnswer> {
  const { agent, state, memory } = parts;
  const view = await parts.view();
  const { stops, loads } = await findUsed(parts, view, event);
  const decisions = [...stops, await decideCall(parts, view, event)];
  const against = (["deny", "ask"] as const).flatMap((outcome) =>
    decisions.filter((one) => one.outcome === outcome),
  );
  // If the user cannot be asked, a question is a denial.
  const isRefused = against.length > 0 && (against[0]?.outcome === "deny" || !agent.asks);
  // Before the load: unrecorded, it would narrow nothing, so a failure here goes to the failure policy.
  const fresh = loads.filter(({ path }) => !memory.active.some((one) => one.path === path));
  if (!isRefused) state.append(...fresh.map((skill) => loadedLine(skill, "model")));
  if (against.length === 0) return {};
  const reasons = against.map(({ reason, rule }) => {
    // A denial is shown to the model, which must not learn how to approve it.
    const told = isRefused ? reason.replace(OVERRIDE, "; only the user can approve it") : reason;
    return showLine(rule === undefined ? told : `${told} (${rule})`);
  });
  const reason = `Skillet: ${listFirst(reasons, MAX_LISTED, ". ")}`;
  if (!isRefused) return { decision: "ask", reason };
  return recorded(parts, event.kind, { decision: "deny", reason }, refusalOf("tool", event.tool, reason));
}

const OVERRIDE = /; [^;]*\brun: skillet trust\b.*$/;
const ask = (reason: string): Decision => ({ outcome: "ask", reason });
/** The user decides which skills may be used, not a model that is kept from some of them. */
const PERSON_DECIDES = ask("this changes which skills may be used, which only the user decides");
const NOT_ALL_SEEN = ask(
  `this names ${MAX_FILES} files or more, and a stopped skill may be among those that are not looked at`,
);

/** An answer holds even if it cannot be recorded: a full disk must not lift a refusal or drop a hint. */
function recorded(
  { state, agent }: HookParts,
  kind: HookEvent["kind"],
  answer: HookAnswer,
  ...lines: readonly Happening[]
): HookAnswer {
  try {
    state.append(...lines);
    return answer;
  } catch (error) {
    if (answer.decision === undefined && agent.deaf?.includes(kind)) return answer;
    return withNotice(
      answer,
      state.tellOnce(`Skillet cannot record what happens here: ${showLine(String(error))}`),
    );
  }
}

/** The skills that a call would load, and what stops it: all it touches is judged, not just the first. */
async function findUsed(
  parts: HookParts,
  view: HookView,
  event: ToolCallEvent,
): Promise<{ readonly stops: readonly Decision[]; readonly loads: readonly HookSkill[] }> {
  const named = skillNamed(event);
  if (named !== undefined) {
    const known = findByName(await latestView(parts), named);
    const found = known.length > 0 ? known : findByName(await parts.freshView(), named);
    const skills = await judgedNow(parts, found);
    return { stops: stopsOf(skills), loads: skills.slice(0, 1) };
  }
  const reach = await reachOf(parts, event);
  const shown = await shownFromAbove(parts, reach, () => latestView(parts));
  const used = await usesOf(parts, view, reach, []);
  const touched = new Map(shown.map((skill) => [skill.path, skill]));
  for (const { skill, how } of used) {
    const isLoaded = parts.memory.loaded.some(({ path }) => path === skill.path);
    // A file that is only read matters once the skill's instructions send the agent there.
    if (how !== "command" && (how !== "resource" || isLoaded))
      touched.set(skill.path, skill as unknown as HookSkill);
  }
  const skills = await judgedNow(parts, [...touched.values()]);
  const loading = new Set(used.filter((use) => isLoad(parts, use)).map(({ skill }) => skill.path));
  const isCut = reach.accesses.length >= MAX_FILES && view.skills.some(({ stop }) => stop);
  return {
    stops: [
      ...stopsOf(skills),
      ...(reach.decides === true ? [PERSON_DECIDES] : []),
      ...(isCut ? [NOT_ALL_SEEN] : []),
    ],
    loads: skills.filter(({ path }) => loading.has(path)),
  };
}

function isLoad({ agent }: HookParts, { how, certainty }: DetectedUse): boolean {
  return how === "instructions" && certainty === "sure" && !agent.hasSkillTool;
}

/** One per reason, with the names of all skills that it stops. */
function stopsOf(skills: readonly HookSkill[]): readonly Decision[] {
  const reasons = new Map(skills.flatMap(({ stop }) => (stop ? [[stop.reason, stop]] : [])));
  return Array.from(reasons, ([reason, { outcome }]) => {
    const stopped = skills.filter(({ stop }) => stop?.reason === reason);
    const names = [...new Set(stopped.map(({ qualifiedName }) => qualifiedName))];
    const are = names.length === 1 ? "is" : "are";
    return { outcome, reason: `${listFirst(names, MAX_LISTED)} ${are} stopped: ${reason}` };
  });
}

function skillNamed({ tool, input }: ToolEvent): string | undefined {
  if (canonicalTool(tool) !== "skill") return undefined;
  // Agents trim the name, and a command's arguments follow it.
  return /^\s*\/?(\S.*)/s.exec(textOf(input, "skill") ?? "")?.[1];
}

/** By configured rules, and by the tool limits of this turn's skills. */
async function decideCall(
  parts: HookParts,
  view: HookView,
  { tool, input }: ToolCallEvent,
): Promise<Decision> {
  const { layers, mode, project } = view;
  const { active } = parts.memory;
  const hasRules = layers.some(({ values }) => values.policy?.rules?.some((rule) => rule.tool !== undefined));
  if (active.length === 0 && hasRules !== true) return ALLOWED;
  const { checkToolCall, narrowingOf } = await import("./deciding.ts");
  const home = parts.userHome;
  const narrowing = active.map((skill): Narrowing => {
    const { tools, source } = skill;
    const read = narrowingOf(
      { ...skill, manifest: { tools } as Skill["manifest"] },
      { source, project, home },
    );
    const { allowed, ...rest } = read.narrowing;
    // A skill that lists its tools does not mean to remove those that organise the conversation.
    return isOrganising(tool) || allowed === undefined ? rest : { ...rest, allowed };
  });
  return checkToolCall(
    { tool, input },
    {
      narrowing: [narrowing],
      layers: layers as Parameters<typeof checkToolCall>[1]["layers"],
      mode,
      interactive: parts.agent.asks,
      directories: { project, home },
    },
  );
}

const ALLOWED: Decision = { outcome: "allow", reason: "no skill narrows it, and no rule mentions it" };

async function afterTool(parts: HookParts, event: ToolCallEvent): Promise<HookAnswer> {
  const { state, memory } = parts;
  const view = await parts.view();
  const named = skillNamed(event);
  if (named !== undefined) {
    // A failed load does not end narrowing: if it was a second load, the limits of the first must stay.
    const found = event.kind === "failed-tool" ? [] : findByName(view, named);
    state.append(...found.slice(0, 1).flatMap((skill) => loadedLines(memory, skill)));
    return {};
  }
  const loaded = view.skills.filter(({ path }) => memory.loaded.some((one) => one.path === path));
  const reach = await reachOf(parts, event);
  const lines = (await usesOf(parts, view, reach, loaded)).flatMap((use): readonly Happening[] => {
    const { skill, how, certainty, subject } = use;
    const known = skill as unknown as HookSkill;
    const { qualifiedName: name, digest, origin } = known;
    const first = isLoad(parts, use) && event.kind === "after-tool" ? loadedLines(memory, known) : [];
    if (first.length > 0) return first;
    const record: SessionRecord = {
      kind: "implicit-use",
      name,
      digest,
      origin,
      how,
      certainty,
      subject,
    };
    return isRecorded(memory, record) ? [] : [{ kind: "record", record }];
  });
  state.append(...lines);
  return {};
}

/** What is not recorded about this load yet. */
function loadedLines({ active, recorded }: HookMemory, skill: HookSkill): readonly Happening[] {
  const isActive = active.some(({ path }) => path === skill.path);
  const isKnown = recorded.some((one) => one.kind === "activation" && one.skillPath === skill.path);
  return [
    ...(isActive ? [] : [loadedLine(skill, "model")]),
    ...(isKnown ? [] : [activationOf(skill, "model")]),
  ];
}

// Once per turn, and again if a guess becomes certain.
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

/** The most names that are listed. */
const MAX_LISTED = 20;

/** The agent lists its skills itself, so only differences are told: what is withheld, and what was in use. */
async function answerStart(
  parts: HookParts,
  { cause, cwd }: Extract<HookEvent, { kind: "start" }>,
): Promise<HookAnswer> {
  const view = await parts.freshView();
  const stopped = view.skills.filter(({ isHeld, stop }) => isHeld && stop?.outcome === "deny");
  const { loaded } = cause === "compacted" ? parts.memory : { loaded: [] };
  const names = (skills: readonly Pick<HookSkill, "name">[]): string =>
    listFirst(
      Array.from(skills, ({ name }) => showName(name)),
      MAX_LISTED,
    );
  const context = [
    stopped.length > 0 &&
      `Skillet stops these skills, so do not load them or follow their files: ${names(stopped)}.`,
    loaded.length > 0 &&
      `These skills were in use before the conversation was shortened; load them again where their instructions are missing: ${names(loaded)}.`,
  ]
    .filter(Boolean)
    .join("\n");
  const notice =
    stopped.length > 0 && cause !== "compacted"
      ? `Skillet stops ${stopped.length === 1 ? "a skill" : `${stopped.length} skills`} here: ${names(stopped)}. To see why: skillet explain NAME`
      : undefined;
  const answer = { ...(context !== "" && { context }), ...(notice !== undefined && { notice }) };
  // Compaction comes in the middle of a session, after commands may have changed the folder.
  return cause === "compacted" ? answer : recorded(parts, "start", answer, { kind: "begun", workspace: cwd });
}

function loadedLine(skill: HookSkill, source: LoadedSkill["source"]): Happening {
  const { name, qualifiedName, scope, origin, path, directory, manifest } = skill;
  const loaded = { name, qualifiedName, scope, origin, path, directory, source, tools: manifest.tools };
  return { kind: "loaded", skill: loaded };
}

function activationOf(skill: HookSkill, source: LoadedSkill["source"]): Happening {
  const { qualifiedName: name, origin, path, directory, digest } = skill;
  const record: SessionRecord = {
    kind: "activation",
    name,
    source,
    digest,
    origin,
    duplicate: false,
    drifted: false,
    diagnostics: [],
    sourceId: skill.source.id,
    folder: skill.source.folder,
    skillPath: path,
    skillDir: directory,
  };
  return { kind: "record", record };
}

// Only the tool of a call, since its input can contain secrets.
function refusalOf(what: "activate" | "tool", subject: string, reason: string): Happening {
  const error = { code: "tool-denied", message: reason } as const;
  return { kind: "record", record: { kind: "refusal", what, subject, error } };
}
