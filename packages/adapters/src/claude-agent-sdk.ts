import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type AgentEvent,
  createUseDetector,
  parseSkill,
  type Session,
  type Skill,
  SkilletError,
  type UseDetector,
} from "@skillet/core";
import { asObject, fieldOf, textOf } from "@skillet/kit/json";
import { showLine, showName } from "@skillet/kit/text";
import { hintText, isOrganising, MAX_NAMED } from "./bind/agent-words.ts";
import { type BoundCall, type BoundSession, bindSession, refuseNativeSkills } from "./bind/bind-session.ts";
import { type ClaudeHostOptions, findNativeSkills, settingsOf } from "./claude-agent-sdk/native-skills.ts";
import { scriptServer } from "./claude-agent-sdk/script-server.ts";
import { findChange, openVerifiedFolder, type PlacedSkill, type VerifiedFolder } from "./verified-folder.ts";

export type { ClaudeHostOptions } from "./claude-agent-sdk/native-skills.ts";

/** Skills in an agent of the Claude Agent SDK. */
export interface ClaudeSkills<Given> {
  /** Your options and those for skills, for `query`. */
  readonly options: Given & ClaudeOptions;
  /** Skills that cannot be given to Claude Code as they were judged, and why. */
  readonly leftOut: VerifiedFolder["leftOut"];
  /** Picks up changed skills and tells the model once. Pass the running query to have it list them again. */
  refresh(query?: { reloadSkills(): Promise<unknown> }): Promise<void>;
  /** Ends the turn and removes the copies; throws faults that the operator must fix and no model was told. */
  close(): Promise<void>;
}

/** The additions to the options of `query`. */
export interface ClaudeOptions {
  readonly plugins: { type: "local"; path: string; skipMcpDiscovery?: boolean }[];
  readonly skills: string[];
  readonly settingSources: ("user" | "project" | "local")[];
  readonly settings: ReturnType<typeof settingsOf>;
  /** In the SDK's own types, which are not repeated here; the same holds for the servers. */
  readonly hooks: Record<HookName, never[]>;
  readonly canUseTool?: CanUseTool;
  /** Contains the server `skillet` for scripts if the session runs any. */
  readonly mcpServers?: Record<string, never>;
}

type HookName =
  | ("PreToolUse" | "PostToolUse" | "PostToolUseFailure")
  | ("UserPromptSubmit" | "UserPromptExpansion" | "SessionStart");
type HookAnswer = Readonly<Record<string, unknown>>;
type Hook = (input: object, id: string | undefined, options: { signal: AbortSignal }) => Promise<HookAnswer>;
type CanUseTool = (
  tool: string,
  input: Record<string, unknown>,
  options: { readonly signal: AbortSignal; readonly toolUseID: string },
) => Promise<
  { behavior: "allow"; updatedInput?: Record<string, unknown> } | { behavior: "deny"; message: string } | null
>;

const HOST = "claude-agent-sdk";
const PLUGIN = "skillet";
const MANIFEST = { name: PLUGIN, version: "1.0.0", description: "Skills that Skillet has checked." };
const FAILED = "Skillet failed, so the agent was stopped; see the error of the program that runs it.";
/** Longer than a user has for an answer: a hook that is late would let the call pass. */
const TIMEOUT_SECONDS = 15 * 60;
/** Claude Code moves more than about 10,000 characters of a hook into a file, and shows how it begins. */
const COMPACT_TOKENS = 2_400;

/**
 * Skills for the Claude Agent SDK: a plugin folder with verified copies, hooks that hold its tools to
 * `allowed-tools` and rules, the selector's hint on each message, and records.
 *
 * @param given Your own options of `query`; returned along with those for skills.
 * @example
 * const skills = await claudeOptions(session, { cwd: "/work/project" });
 * for await (const message of query({ prompt, options: skills.options })) show(message);
 * await skills.close();
 */
export async function claudeOptions<Given extends ClaudeHostOptions>(
  session: Session,
  given: Given = {} as Given,
): Promise<ClaudeSkills<Given>> {
  refuseNativeSkills(findNativeSkills(given));
  const settings = settingsOf(given);
  const bound = await bindSession(session, HOST, { guidance: { toolName: "Skill" }, tellsHooks: false });
  const folder = await openVerifiedFolder(session, { rewrite: withoutGrants, nameOf: shownName });
  mkdirSync(join(folder.path, ".claude-plugin"));
  writeFileSync(join(folder.path, ".claude-plugin/plugin.json"), JSON.stringify(MANIFEST), { mode: 0o444 });
  const state: State = { session, bound, folder, given, approved: new Set() };
  const yours = (given.hooks ?? {}) as Partial<ClaudeOptions["hooks"]>;
  const hooks = { ...yours } as ClaudeOptions["hooks"];
  for (const [name, answer] of Object.entries(HOOKS) as [HookName, Answering][])
    hooks[name] = [hook(state, answer) as never, ...(yours[name] ?? [])];
  const server = scriptServer(bound, (id) => state.approved.delete(id));
  if (server !== undefined) state.scriptPrefix = `mcp__${PLUGIN}__`;
  const plugin = { type: "local", path: folder.path, skipMcpDiscovery: true } as const;
  const options: ClaudeOptions = {
    plugins: [...(given.plugins ?? []), ...(folder.skills.size > 0 ? [plugin] : [])],
    skills: Array.from(folder.skills.values(), shownName),
    settingSources: [...(given.settingSources ?? [])],
    settings,
    hooks,
    ...(server && { mcpServers: { ...given.mcpServers, [PLUGIN]: server } as never }),
    ...(given.canUseTool !== undefined && { canUseTool: askFirst(state, given.canUseTool as CanUseTool) }),
  };
  return {
    options: { ...given, ...options },
    leftOut: folder.leftOut,
    refresh: async (query) => {
      await bound.loop.refresh();
      await folder.update();
      state.detector = undefined;
      await query?.reloadSkills();
    },
    close: async () => {
      folder.close();
      await bound.loop.close().catch((error: unknown) => {
        state.fault ??= error;
      });
      if (state.fault !== undefined) throw state.fault;
    },
  };
}

interface State {
  readonly session: Session;
  readonly bound: BoundSession;
  readonly folder: VerifiedFolder;
  readonly given: ClaudeHostOptions;
  /** Ids of script calls that the user approved. */
  readonly approved: Set<string>;
  /** The start of tool names of our own server, if there is one. */
  scriptPrefix?: string;
  fault?: unknown;
  detector?: UseDetector | undefined;
}

interface Event {
  readonly input: object;
  readonly cwd: string;
  /** The call of one of Claude Code's tools. */
  readonly call: BoundCall;
  readonly signal: AbortSignal;
}

/** A failure in a hook ends the query: the operator must fix it, and an unjudged call must not be made. */
function hook(state: State, answer: Answering): object {
  const run: Hook = async (input, id, { signal }) => {
    const callId = textOf(input, "tool_use_id") ?? id;
    const call = callOf(textOf(input, "tool_name") ?? "", asObject(input)?.tool_input, callId);
    try {
      const answered = await answer(state, { input, cwd: textOf(input, "cwd") ?? "/", call, signal });
      state.bound.throwFault();
      return answered;
    } catch (error) {
      if (!signal.aborted) state.fault ??= error;
      const isCall = textOf(input, "hook_event_name") === "PreToolUse";
      return { continue: false, stopReason: FAILED, ...(isCall && deny(FAILED)) };
    }
  };
  return { hooks: [run], timeout: TIMEOUT_SECONDS, onFailure: "block" };
}

type Answering = (state: State, event: Event) => Promise<HookAnswer>;

const HOOKS: Readonly<Record<HookName, Answering>> = {
  PreToolUse: beforeTool,
  PostToolUse: afterTool,
  // A failed script was used too, and faults that the operator must fix make it fail.
  PostToolUseFailure: afterTool,
  UserPromptSubmit: onPrompt,
  UserPromptExpansion: onCommand,
  SessionStart: onStart,
};

function callOf(name: string, given: unknown, callId: string | undefined): BoundCall {
  const own = textOf(OWN_FIELDS, name);
  const isMeant = ([field]: [string, unknown]): boolean => field === own || !SUBJECTS.has(field);
  const input =
    own && asObject(given) ? Object.fromEntries(Object.entries(given as object).filter(isMeant)) : given;
  return { name, input, callId, ...(isOrganising(name) && { isHostTool: true }) };
}

// Rules know a subject by many agents' field names; a name that Claude Code does not read is a decoy.
const SUBJECTS: ReadonlySet<string> = new Set(
  "file_path path filePath notebook_path skill name subagent_type agent command".split(" "),
);
const OWN_FIELDS = {
  Read: "file_path",
  Write: "file_path",
  Edit: "file_path",
  MultiEdit: "file_path",
  NotebookEdit: "notebook_path",
  Glob: "path",
  Grep: "path",
  LS: "path",
  Bash: "command",
  Skill: "skill",
  SlashCommand: "command",
  Agent: "subagent_type",
  Task: "subagent_type",
};

function decide(permissionDecision: "allow" | "ask" | "deny", permissionDecisionReason: string): HookAnswer {
  const hookEventName = "PreToolUse" satisfies HookName;
  return { hookSpecificOutput: { hookEventName, permissionDecision, permissionDecisionReason } };
}

const deny = (reason: string): HookAnswer => decide("deny", reason);

const shownName = ({ folder }: PlacedSkill): string => `${PLUGIN}:${folder}`;

function findPlaced({ folder }: State, name: string): PlacedSkill | undefined {
  return [...folder.skills.values()].find((placed) => shownName(placed) === name);
}

async function beforeTool(state: State, event: Event): Promise<HookAnswer> {
  const { folder } = state;
  const { call, cwd, signal } = event;
  const asked = asSkillCall(state, call, cwd);
  if (asked !== undefined) return useSkill(state, asked, signal);
  const path = textOf(call.input, "file_path") ?? textOf(call.input, "notebook_path");
  if (path !== undefined && folder.locate(resolve(cwd, path)) !== undefined)
    return deny(`${call.name} was not called: the files of skills are verified copies and stay as they are.`);
  const judgement = await state.bound.judge(call);
  if (judgement.outcome === "deny") return deny(judgement.text);
  const seen = eventOf(event);
  for (const { skill } of seen ? detectorOf(state).detect(seen) : []) {
    const placed = folder.skills.get(skill.qualifiedName);
    const change = placed && findChange(placed);
    if (change !== undefined) return deny(changed(skill, change));
  }
  return judgement.outcome === "ask" ? ask(state, judgement.text, judgement.question.reason) : {};
}

function changed({ qualifiedName }: Pick<Skill, "qualifiedName">, change: string): string {
  return `The skill ${showName(qualifiedName)} was stopped: ${showLine(change)} since it was checked. Do without it, and tell the user.`;
}

// Without a way to ask the user, the SDK would refuse without giving a reason.
function ask({ given }: State, text: string, reason: string): HookAnswer {
  return given.canUseTool === undefined ? deny(text) : decide("ask", reason);
}

interface SkillCall {
  readonly call: BoundCall;
  /** Undefined for a script, and for an unknown name. */
  readonly placed: PlacedSkill | undefined;
  readonly isScript?: boolean;
}

/** The skill tool call that a call of Claude Code amounts to, if any; reading a SKILL.md loads the skill. */
function asSkillCall(state: State, { name, input, callId }: BoundCall, cwd: string): SkillCall | undefined {
  const { scriptPrefix: prefix, folder } = state;
  if (prefix !== undefined && name.startsWith(prefix))
    return { call: { name: name.slice(prefix.length), input, callId }, placed: undefined, isScript: true };
  // Ours even without the plugin's name: Claude Code refuses others, since `skills` does not list them.
  const given = (textOf(input, "skill") ?? "").replace(/^\/?(?:skillet:)?/, "");
  const named = name === "Skill" ? findPlaced(state, `${PLUGIN}:${given}`) : undefined;
  const path = name === "Read" ? textOf(input, "file_path") : undefined;
  const { placed = named, file = "SKILL.md" } = (path && folder.locate(resolve(cwd, path))) || {};
  if (name !== "Skill" && placed === undefined) return undefined;
  const skill = placed?.skill.qualifiedName ?? given;
  const [tool, fields] =
    file === "SKILL.md"
      ? ["load_skill", { name: skill, arguments: textOf(input, "args") ?? "" }]
      : ["read_skill_resource", { skill, path: file }];
  return { call: { name: tool, input: fields, callId }, placed };
}

async function useSkill(state: State, asked: SkillCall, signal: AbortSignal): Promise<HookAnswer> {
  const judgement = await state.bound.judge(asked.call);
  if (judgement.outcome === "ask") return ask(state, judgement.text, judgement.question.reason);
  const refusal = await carryOut(state, asked, { signal, isApproved: false });
  return refusal === undefined ? decide("allow", "Skillet allows this skill.") : deny(refusal);
}

/** Records the call and returns the reason if it is refused; the model then reads the verified copy. */
async function carryOut(
  { bound, approved, folder }: State,
  { call, placed, isScript }: SkillCall,
  how: { readonly signal: AbortSignal; readonly isApproved: boolean },
): Promise<string | undefined> {
  // The server runs it, and reports any objection.
  if (isScript && how.isApproved) approved.add(call.callId ?? "");
  if (isScript) return undefined;
  const change = placed && findChange(placed);
  if (placed !== undefined && change !== undefined) return changed(placed.skill, change);
  const name = textOf(call.input, "name") ?? "";
  const left = placed === undefined && folder.leftOut.find((one) => one.name === name);
  if (left) return left.reason;
  const { text, isError, value } = await bound.execute(call, how);
  if (isError) return text;
  const { treeDigest, digestMatchesRegistry } = asObject(value) ?? {};
  const isSame = treeDigest ? treeDigest === placed?.treeDigest : digestMatchesRegistry === true;
  return isSame ? undefined : changed(placed?.skill ?? { qualifiedName: name }, "its files have changed");
}

/** The user's answer, given by the host's own means; Skillet's objections to the call stand. */
function askFirst(state: State, canUseTool: CanUseTool): CanUseTool {
  return async (tool, input, options) => {
    const answer = await canUseTool(tool, input, options);
    if (answer?.behavior !== "allow") return answer;
    const call = callOf(tool, answer.updatedInput ?? input, options.toolUseID);
    try {
      const asked = asSkillCall(state, call, "/");
      if (asked !== undefined) {
        const refusal = await carryOut(state, asked, { signal: options.signal, isApproved: true });
        return refusal === undefined ? answer : { behavior: "deny", message: refusal };
      }
      const judgement = await state.bound.guard(call, { isApproved: true });
      return judgement.outcome === "allow" ? answer : { behavior: "deny", message: judgement.text };
    } catch (error) {
      if (!options.signal.aborted) state.fault ??= error;
      return { behavior: "deny", message: "The call was not made: it could not be checked." };
    }
  };
}

function eventOf({ call: { name, input }, cwd }: Event): AgentEvent | undefined {
  const command = name === "Bash" ? textOf(input, "command") : undefined;
  if (command !== undefined) return { kind: "command", command, cwd };
  const path = name === "Read" ? textOf(input, "file_path") : undefined;
  return path === undefined ? undefined : { kind: "read", path, cwd };
}

function detectorOf(state: State): UseDetector {
  state.detector ??= createUseDetector(Array.from(state.folder.skills.values(), ({ skill }) => skill));
  return state.detector;
}

async function afterTool(state: State, event: Event): Promise<HookAnswer> {
  const { session } = state;
  const { call, cwd, input } = event;
  const [seen, { callId }] = [eventOf(event), call];
  // Reading a skill's file is recorded already.
  if (seen !== undefined && asSkillCall(state, call, cwd) === undefined)
    await session.observe(seen, { calledBy: { host: HOST, callId }, detector: detectorOf(state) });
  const response = fieldOf(input, "tool_response") ?? fieldOf(input, "error");
  const { context } = await session.afterToolCall({ tool: call.name, input: call.input }, response);
  return addContext(textOf(input, "hook_event_name") as HookName, [...context, ...takeNews(state)]);
}

function addContext(hookEventName: HookName, texts: readonly string[]): HookAnswer {
  const additionalContext = texts.filter((text) => text !== "").join("\n\n");
  return additionalContext === "" ? {} : { hookSpecificOutput: { hookEventName, additionalContext } };
}

async function onPrompt(state: State, { input, signal }: Event): Promise<HookAnswer> {
  const { session, bound, folder } = state;
  await bound.beginTurn();
  const prompt = textOf(input, "prompt") ?? "";
  const news = takeNews(state);
  // A command itself says which skill is meant.
  if (prompt.startsWith("/")) return addContext("UserPromptSubmit", news);
  const { action, activate, suggest } = await session.decide(prompt, { signal });
  // Next to a sure match, those that only may fit would be noise.
  const best = (action === "activate" ? activate : suggest).slice(0, MAX_NAMED);
  const fitting = best.flatMap(({ skill, ...one }) => {
    const placed = folder.skills.get(skill.qualifiedName);
    return placed ? [{ ...one, name: shownName(placed) }] : [];
  });
  return addContext("UserPromptSubmit", [...news, hintText(fitting)]);
}

/** The user's `/skillet:name`, which Claude Code runs without a tool call, completing a shortened name. */
async function onCommand(state: State, { input, signal, call: { callId } }: Event): Promise<HookAnswer> {
  const placed = findPlaced(state, textOf(input, "command_name") ?? "");
  if (placed === undefined) return {};
  try {
    const change = findChange(placed);
    if (change !== undefined) return { decision: "block", reason: changed(placed.skill, change) };
    const given = { source: "user", arguments: textOf(input, "command_args") ?? "", signal } as const;
    const how = { ...given, calledBy: { host: HOST, callId } };
    const { treeDigest } = await state.session.activate(placed.skill.qualifiedName, how);
    if (treeDigest === placed.treeDigest) return {};
    return { decision: "block", reason: changed(placed.skill, "its files have changed") };
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return { decision: "block", reason: error.message };
  }
}

async function onStart({ bound, folder, session }: State, { input }: Event): Promise<HookAnswer> {
  if (textOf(input, "source") !== "compact") return addContext("SessionStart", session.startContext);
  return addContext("SessionStart", [folder.relocate(await bound.compact({ budgetTokens: COMPACT_TOKENS }))]);
}

// The list of skills that Claude Code started with is fixed: later skills are read from their files.
function takeNews({ bound, folder }: State): readonly string[] {
  const news = bound.takeNotices();
  if (news.length === 0) return [];
  const how = `To load a skill that is new here, read ${join(folder.path, "skills/NAME/SKILL.md")}.`;
  return [...news.map(folder.relocate), how];
}

/**
 * A SKILL.md with only the header fields that tell Claude Code what the skill is for and how to run it:
 * `allowed-tools` would let tools run without a question, and `hooks` are commands that run on every call.
 * The body stays as it is.
 */
function withoutGrants({ manifest, path, directoryName }: Skill, text: string): string {
  const { body } = parseSkill(text, { mode: "lenient", file: path, directoryName });
  const { name, description, whenToUse, args, invocation, execution, license, compatibility, version } =
    manifest;
  const fields: Readonly<Record<string, unknown>> = {
    name,
    description,
    when_to_use: whenToUse,
    license,
    compatibility,
    version,
    "argument-hint": args.hint,
    arguments: args.names.length > 0 ? args.names : undefined,
    "disable-model-invocation": invocation.model ? undefined : true,
    "user-invocable": invocation.user ? undefined : false,
    ...(execution.context === "fork" && { context: "fork", agent: execution.agent }),
    model: execution.model,
    effort: execution.effort,
  };
  // JSON is YAML, and leaves no room for interpretation.
  const lines = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${JSON.stringify(value)}\n`],
  );
  return `---\n${lines.join("")}---\n${body}\n`;
}
