import { asObject, fieldOf, parseJsonObject, present, textOf } from "@skillet/kit/json";
import { cutText, removeHidden, showLine, showName } from "@skillet/kit/text";
import { loadRe2 } from "@skillet/select/parts";
import { canonicalTool } from "../../config/tool-rule/tool-rule.ts";
import type { AllowedPlugin, HookEnd, HookEvent, PluginHook } from "../../plugin/allowed-plugin.ts";
import type { ToolCall } from "../../policy/check-tool-call.ts";
import type { Decision } from "../../policy/decision.ts";
import { toJson } from "../model-input.ts";
import type { SessionState } from "../state.ts";

/** What hooks say to the model. */
export interface HookFeedback {
  readonly context: readonly string[];
}

const OUTCOMES = ["allow", "ask", "deny"] as const;

/**
 * The decision of the policy, made stricter by the hooks that run before a tool call. No hook can loosen it
 * or change the call. A hook that does not answer refuses: hanging or crashing a guard must not get past it.
 */
export async function hookedDecision(
  session: SessionState,
  call: ToolCall,
  decide: () => Decision,
  { isBeforehand = false }: { readonly isBeforehand?: boolean } = {},
): Promise<Decision & { readonly byHook?: true }> {
  const first = decide();
  if (first.outcome === "deny") return first;
  const answers = (await guardsOf(session, call, isBeforehand)).map(({ outcome, reason, by }) => ({
    // If no user can be asked, a question is a refusal.
    outcome: outcome === "ask" && !session.interactive ? "deny" : outcome,
    reason,
    rule: by,
    byHook: true as const,
  }));
  // A hook's question is about this very call, so it precedes the policy's. The policy decides again, because
  // hooks take time and a call may have been denied meanwhile.
  const decisions = [...answers.filter(({ outcome }) => outcome !== "allow"), first, decide()];
  return decisions.reduce((strictest, decision) =>
    OUTCOMES.indexOf(decision.outcome) > OUTCOMES.indexOf(strictest.outcome) ? decision : strictest,
  );
}

// With more calls in a turn, hooks run again for the rest.
const MAX_KEPT_ANSWERS = 100;

async function guardsOf(
  session: SessionState,
  call: ToolCall,
  isBeforehand: boolean,
): Promise<readonly HookAnswer[]> {
  const { hookAnswers } = session.turn;
  // The key has the mode and the guards: after a change, new guards have not answered yet.
  const asked = hooksFor(session, "PreToolUse", call.tool).map(({ plugin, hook }) => [plugin.digest, hook]);
  const key = toJson([call.tool, call.input, session.mode, asked]) ?? "";
  const answers = hookAnswers.get(key) ?? (await runHooks(session, "PreToolUse", { call }));
  if (!isBeforehand) hookAnswers.delete(key);
  else if (key !== "" && hookAnswers.size < MAX_KEPT_ANSWERS) hookAnswers.set(key, answers);
  return answers;
}

export async function tellHooks(
  session: SessionState,
  call: ToolCall,
  response: unknown,
): Promise<HookFeedback> {
  return feedbackOf(await runHooks(session, "PostToolUse", { call, response }));
}

/** Runs the hooks for the start of a session; their output is for the prompt. */
export async function startHooks(
  session: SessionState,
  source: "startup" | "resume",
): Promise<readonly string[]> {
  return feedbackOf(await runHooks(session, "SessionStart", { source })).context;
}

function feedbackOf(answers: readonly HookAnswer[]): HookFeedback {
  return { context: answers.flatMap(({ context }) => (context === undefined ? [] : [context])) };
}

export interface HookAnswer extends Decision {
  readonly by: string;
  readonly context?: string;
}

interface HookEventFacts {
  readonly call?: ToolCall;
  readonly response?: unknown;
  readonly source?: string;
}

/** Runs every allowed hook of an event in turn, records each, and stops when one refuses. */
async function runHooks(
  session: SessionState,
  event: HookEvent,
  facts: HookEventFacts,
): Promise<readonly HookAnswer[]> {
  const { tool } = facts.call ?? {};
  const answers: HookAnswer[] = [];
  for (const { plugin, hook } of hooksFor(session, event, tool)) {
    const end = await startHook(session, plugin, hook, facts);
    const answer = { ...readAnswer(event, plugin.name, end), by: `${event} hook of ${plugin.name}` };
    answers.push(answer);
    const outcome = "failed" in end ? "failed" : RECORDED[answer.outcome];
    const exitCode = "exitCode" in end ? end.exitCode : undefined;
    const record = { plugin: plugin.name, digest: plugin.digest, event, tool, outcome, exitCode } as const;
    await session.recorder.append({
      kind: "hook",
      ...present({ ...record, reason: answer.reason || undefined }),
    });
    if (answer.outcome === "deny") return answers;
  }
  return answers;
}

function hooksFor(
  session: SessionState,
  event: HookEvent,
  tool?: string,
): readonly { readonly plugin: AllowedPlugin; readonly hook: PluginHook }[] {
  const { plugins, options, mode } = session;
  // In plan mode, only guards are started.
  if (options.hooks === undefined || (mode === "plan" && event !== "PreToolUse")) return [];
  return plugins.flatMap((plugin) =>
    plugin.hooks
      .filter((hook) => hook.event === event && isMeant(session, hook, tool))
      .map((hook) => ({ plugin, hook })),
  );
}

const RECORDED = { allow: "passed", ask: "asked", deny: "refused" } as const;

// Matchers as in Claude Code: plain names, or else a regular expression. An invalid one matches every tool.
function isMeant(session: SessionState, { matcher = "", skill }: PluginHook, tool = ""): boolean {
  if (skill !== undefined && !wasLoaded(session, skill)) return false;
  if (matcher === "" || tool === "") return true;
  const canonical = canonicalTool(tool);
  if (/^[\w\s|]+$/.test(matcher))
    return matcher.split("|").some((name) => canonicalTool(name.trim()) === canonical);
  const { RE2JS } = loadRe2();
  try {
    const patterns = [RE2JS.compile(matcher), RE2JS.compile(matcher, RE2JS.CASE_INSENSITIVE)];
    return patterns.some((pattern) => [tool, canonical].some((name) => pattern.matcher(name).find()));
  } catch {
    return true;
  }
}

// A skill's guards also hold for children, and after a compaction has dropped its text.
function wasLoaded({ narrowings, parent }: SessionState, skill: string): boolean {
  return narrowings.has(skill) || (parent !== undefined && wasLoaded(parent.session, skill));
}

const LEAVES_PLUGIN = /CLAUDE_PLUGIN_ROOT.*\/\.\.(?![\w.-])/s;
const MAX_INPUT_CHARACTERS = 4 * 1024 * 1024;

async function startHook(
  session: SessionState,
  plugin: AllowedPlugin,
  { command, event, timeoutMs }: PluginHook,
  { call, response, source }: HookEventFacts,
): Promise<HookEnd> {
  const { options, recorder, workspace: cwd, mode, secrets } = session;
  // Files outside the plugin are not the bytes that were allowed.
  if (LEAVES_PLUGIN.test(command)) return { failed: "its command leaves the plugin's folder" };
  const input = inputOf(session, {
    session_id: recorder.runId,
    cwd,
    hook_event_name: event,
    permission_mode: mode,
    source,
    tool_name: call && hookName(call.tool),
    tool_input: call && inputAsObject(call),
    tool_response: response,
  });
  if (input === undefined || input.length > MAX_INPUT_CHARACTERS)
    return { failed: "the call is too large for it, or not JSON" };
  const job = { plugin, command, input, ...(session.isTrusted && { cwd }), timeoutMs };
  try {
    const end = (await options.hooks?.(job)) ?? { failed: "it was not started" };
    if ("failed" in end) return end;
    return { ...end, stdout: secrets.redact(end.stdout), stderr: secrets.redact(end.stderr) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

// A host's values may be circular, or fail to be JSON in other ways.
function inputOf({ secrets }: SessionState, event: object): string | undefined {
  try {
    return JSON.stringify(event, function (this: Record<string, unknown>, key, value) {
      const given = this[key];
      if (given instanceof Uint8Array) return secrets.redact(new TextDecoder().decode(given));
      if (typeof value === "string") return secrets.redact(value);
      const entries = Object.entries(asObject(value) ?? {});
      const isPlain = entries.every(([name]) => secrets.redact(name) === name);
      return isPlain ? value : Object.fromEntries(entries.map(([name, one]) => [secrets.redact(name), one]));
    });
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}

const CLAUDE_NAMES = "Bash Read Write Edit Glob Grep LS WebFetch WebSearch Skill Agent".split(" ");

/** The tool's name for hooks, which are written for Claude Code; other hosts spell names differently. */
function hookName(tool: string): string {
  const canonical = canonicalTool(tool);
  const isOther = canonical !== "bash" && canonical !== tool.toLowerCase();
  return (isOther ? undefined : CLAUDE_NAMES.find((name) => canonicalTool(name) === canonical)) ?? tool;
}

/** Hooks expect an object; a plain text is the tool's command, path or address. */
function inputAsObject({ tool, input }: ToolCall): unknown {
  if (typeof input !== "string") return input ?? {};
  const name = canonicalTool(tool);
  const key = name === "bash" ? "command" : name.startsWith("web") ? "url" : "file_path";
  return { [key]: input };
}

/** Reads an answer: exit code 2 refuses, 0 may come with JSON, and any other is a failure. */
function readAnswer(event: HookEvent, plugin: string, end: HookEnd): Omit<HookAnswer, "by"> {
  const isBefore = event === "PreToolUse";
  const failed = (why: string): Omit<HookAnswer, "by"> => ({
    outcome: isBefore ? "deny" : "allow",
    reason: `the hook of ${showName(plugin)} did not answer: ${oneLine(why)}`,
  });
  const refused = (why: string): Omit<HookAnswer, "by"> => ({
    outcome: isBefore ? "deny" : "allow",
    reason: `the hook of ${showName(plugin)} refuses it: ${oneLine(why)}`,
    ...(!isBefore && contextOf(why)),
  });
  if ("failed" in end) return failed(end.failed);
  const { exitCode, stdout, stderr } = end;
  if (exitCode === 2) return refused(stderr.trim());
  if (exitCode !== 0) return failed(`it ended with exit code ${exitCode}`);
  const said = parseJsonObject(stdout);
  if (said === undefined) return { outcome: "allow", reason: "", ...(!isBefore && contextOf(stdout)) };
  if (said.continue === false) return refused(textOf(said, "stopReason") ?? "it stops the session");
  if (said.decision === "block") return refused(textOf(said, "reason") ?? "without a reason");
  const own = asObject(fieldOf(said, "hookSpecificOutput"));
  if (own === undefined) return { outcome: "allow", reason: "" };
  if ((own.hookEventName ?? event) !== event) return failed("its answer is about another event");
  const outcome = OUTCOMES.find((one) => one === (own.permissionDecision ?? "allow"));
  if (outcome === undefined) return failed("its decision is not one of allow, ask and deny");
  const why = textOf(own, "permissionDecisionReason") ?? "without a reason";
  if (outcome === "deny") return refused(why);
  return {
    outcome: isBefore ? outcome : "allow",
    reason: outcome === "ask" ? `the hook of ${showName(plugin)} asks: ${oneLine(why)}` : "",
    ...contextOf(textOf(own, "additionalContext") ?? ""),
  };
}

const MAX_REASON_CHARACTERS = 500;
const MAX_CONTEXT_CHARACTERS = 10_000;

function oneLine(text: string): string {
  return showLine(cutText(removeHidden(text).replace(/\s+/g, " ").trim(), MAX_REASON_CHARACTERS));
}

function contextOf(text: string): { readonly context?: string } {
  const shown = cutText(removeHidden(text).trim(), MAX_CONTEXT_CHARACTERS);
  return shown === "" ? {} : { context: shown };
}
