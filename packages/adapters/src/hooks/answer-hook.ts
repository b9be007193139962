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

/** What answers are made with; the heavier parts are loaded when an event comes to them. */
export interface HookParts extends ReachParts {
  readonly agent: HookAgent;
  readonly state: HookState;
  /** The state as it was when the event came. */
  readonly memory: HookMemory;
  /** The kept view, or a new one where settings changed. */
  view(): Promise<HookView>;
  /** Over the skills of a view that are indexed. */
  selector(view: HookView): Promise<Selector<HookSkill>>;
}

/** Answers an event; throws where Skillet itself fails, and then the caller steps aside. */
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
  // What the model never reads was not offered.
  const isAny = agent.deaf?.includes("prompt") !== true && view.skills.some(isOffered);
  const decided = isAny ? (await parts.selector(view)).among(isOffered).decide(text) : undefined;
  // Beside one that is sure, those that only may fit would be noise.
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

/** One that cannot be written down would narrow nothing. */
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

/** `/name` at the start; a name can have spaces, and arguments come after it. */
const COMMAND = /^\s*\/([^\s/].*)/g;

/** A skill that came since the view was kept can have the name of one in it. */
async function latestView({ view, freshView }: HookParts): Promise<HookView> {
  const kept = await view();
  return areUnchanged(kept.places) ? kept : freshView();
}

function isOffered(skill: HookSkill): boolean {
  return isIndexed(skill) && skill.stop === undefined && skill.manifest.invocation.model;
}

// As the agent itself calls it.
function nameFor({ plugin, name, directory, readAt }: HookSkill): string {
  const shown = showName(plugin === undefined ? name : `${plugin}:${name}`);
  return directory === "" ? shown : `${shown} [${showName(readAt)}]`;
}

/** The strictest first: which of several the agent loads is not certain. */
function findByName({ skills }: HookView, given: string): readonly HookSkill[] {
  // Some agents take any case.
  const wanted = given.toLowerCase();
  const isNamed = (spelling: string): boolean =>
    wanted.startsWith(spelling.toLowerCase()) && /^(?:\s|$)/.test(wanted.slice(spelling.length));
  const fits = ({ plugin, name, directoryName, qualifiedName }: HookSkill): boolean =>
    [qualifiedName, name, directoryName].some(
      (one) => isNamed(one) || (plugin !== undefined && isNamed(`${plugin}:${one}`)),
    );
  const found = skills.filter(fits);
  // Of several those in the agent's folders.
  const held = found.filter(({ isHeld }) => isHeld);
  const meant = held.length > 0 ? held : found;
  return STRICTEST_FIRST.flatMap((outcome) => meant.filter(({ stop }) => stop?.outcome === outcome));
}

const STRICTEST_FIRST = ["deny", "ask", undefined] as const;

/** The skills with a judgement about their files as they are now. */
async function judgedNow(parts: HookParts, skills: readonly HookSkill[]): Promise<readonly HookSkill[]> {
  if (skills.every(isAsJudged)) return skills;
  const fresh = new Map((await parts.freshView()).skills.map((skill) => [skill.path, skill]));
  return skills.map((skill) => fresh.get(skill.path) ?? { ...skill, stop: GONE, userStop: GONE });
}

const GONE: Stop = { outcome: "deny", reason: "its files changed while they were looked at" };

/** The strictest answer wins, and every objection to the call is reported, the strictest first. */
async function beforeTool(parts: HookParts, event: ToolCallEvent): Promise<HookAnswer> {
  const { agent, state, memory } = parts;
  const view = await parts.view();
  const { stops, loads } = await findUsed(parts, view, event);
  const decisions = [...stops, await decideCall(parts, view, event)];
  const against = (["deny", "ask"] as const).flatMap((outcome) =>
    decisions.filter((one) => one.outcome === outcome),
  );
  // Where no person can be asked, a question is a denial.
  const isRefused = against.length > 0 && (against[0]?.outcome === "deny" || !agent.asks);
  // Before it is loaded: one that cannot be written down would narrow nothing, so that the policy for failures decides.
  const fresh = loads.filter(({ path }) => !memory.active.some((one) => one.path === path));
  if (!isRefused) state.append(...fresh.map((skill) => loadedLine(skill, "model")));
  if (against.length === 0) return {};
  const reasons = against.map(({ reason, rule }) => {
    // What is denied is told to the model, which must not learn how to approve it.
    const told = isRefused ? reason.replace(OVERRIDE, "; only the user can approve it") : reason;
    return showLine(rule === undefined ? told : `${told} (${rule})`);
  });
  const reason = `Skillet: ${listFirst(reasons, MAX_LISTED, ". ")}`;
  if (!isRefused) return { decision: "ask", reason };
  return recorded(parts, event.kind, { decision: "deny", reason }, refusalOf("tool", event.tool, reason));
}

const OVERRIDE = /; [^;]*\brun: skillet trust\b.*$/;
const ask = (reason: string): Decision => ({ outcome: "ask", reason });
/** Which skills may be used is for a person to say, not for a model that is kept from some of them. */
const PERSON_DECIDES = ask("this changes which skills may be used, which only the user decides");
const NOT_ALL_SEEN = ask(
  `this names ${MAX_FILES} files or more, and a stopped skill may be among those that are not looked at`,
);

/** An answer holds whether or not it can be recorded: a full disk must lift no refusal, and take no hint away. */
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

/** The skills that a call would load, and what stops it: everything that it touches is judged, not the first alone. */
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
    // A file that is only looked at matters once the skill's instructions send the agent there.
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

/** One for each reason, with the names of all skills that it stops. */
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
  // Agents trim it, and a command has arguments after it.
  return /^\s*\/?(\S.*)/s.exec(textOf(input, "skill") ?? "")?.[1];
}

/** By the rules of the configuration, and by what the skills of this turn say of their tools. */
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
    // A skill that names the tools for its work does not mean to take away those that organise the conversation.
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
    // One that could not be loaded goes on narrowing: a second load that fails must not lift what the first brought.
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

/** What is not on record of this load yet. */
function loadedLines({ active, recorded }: HookMemory, skill: HookSkill): readonly Happening[] {
  const isActive = active.some(({ path }) => path === skill.path);
  const isKnown = recorded.some((one) => one.kind === "activation" && one.skillPath === skill.path);
  return [
    ...(isActive ? [] : [loadedLine(skill, "model")]),
    ...(isKnown ? [] : [activationOf(skill, "model")]),
  ];
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
  // Compaction comes in the middle of a session, wherever a command went by then.
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

// Of a call the tool alone: its input can hold secrets.
function refusalOf(what: "activate" | "tool", subject: string, reason: string): Happening {
  const error = { code: "tool-denied", message: reason } as const;
  return { kind: "record", record: { kind: "refusal", what, subject, error } };
}
