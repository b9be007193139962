import { asObject, fieldOf, isJsonObject, type JsonObject, parseJson, textOf } from "@skillet/kit/json";
import { type CallResult, firstText, type TranscriptBuilder, type TranscriptFormat } from "./transcript.ts";

/** Messages in the shapes of SDKs and APIs: the AI SDK, OpenAI, Anthropic, and Skillet's own neutral form. */
export const messages: TranscriptFormat = {
  name: "messages",
  recognises: (record) =>
    Array.isArray(record.messages) ||
    (typeof record.role === "string" &&
      ["content", "parts", "text", "tool", "tool_calls"].some((key) => Object.hasOwn(record, key))) ||
    kindOf(record) !== undefined,
  open: (to) => (record) => {
    const list = Array.isArray(record.messages) ? record.messages.filter(isJsonObject) : [record];
    return list.map((message) => takeMessage(to, message)).every(Boolean);
  },
};

/** The conversation of a run of `skillet agent`, with one line per step. */
export const ownRun: TranscriptFormat = {
  name: "skillet",
  recognises: ({ type, messages }) =>
    ["said", "step", "compacted"].includes(String(type)) && Array.isArray(messages),
  open: (to) => (record) => {
    const { type, child, messages } = record;
    if (!Array.isArray(messages)) return false;
    to.agent = typeof child === "number" ? `child ${child}` : undefined;
    // It summarises lines that were read already.
    if (type === "compacted") to.compaction();
    else if (type === "said") takeTyped(to, textOf(record, "text") ?? "");
    // A child's task comes from the agent that started it, and skills are inserted as user messages.
    else for (const one of messages) if (isJsonObject(one) && one.role !== "user") takeMessage(to, one);
    return true;
  },
};

const PERSON: ReadonlySet<unknown> = new Set(["user", "human"]);
const MODEL: ReadonlySet<unknown> = new Set(["assistant", "model", "ai"]);
const RESULT: ReadonlySet<unknown> = new Set(["tool", "toolResult", "function"]);
const INSTRUCTIONS: ReadonlySet<unknown> = new Set(["system", "developer"]);

/** Reads one message, or one item of the Responses API, which has a type instead of a role. */
export function takeMessage(to: TranscriptBuilder, message: JsonObject): boolean {
  const { role, content, parts, text, tool, tool_calls } = message;
  const time = message.time ?? message.timestamp ?? message.createdAt ?? message.created_at;
  to.at(time);
  if (INSTRUCTIONS.has(role)) return true;
  // A result that is a message of its own rather than a part of one.
  if (RESULT.has(role) && idOf(message) !== undefined && !Array.isArray(parts)) {
    to.result(idOf(message), resultOf(message));
    return true;
  }
  if (role === undefined) return takePart(to, message);
  if (!PERSON.has(role) && !MODEL.has(role) && !RESULT.has(role)) return false;
  const typed: string[] = [];
  takeParts(to, content ?? parts ?? text, (one) => {
    if (PERSON.has(role)) typed.push(one);
    else if (MODEL.has(role)) to.said(one);
  });
  takeTyped(to, typed.join("\n\n"));
  if (Array.isArray(tool_calls)) for (const call of tool_calls) takeCall(to, call);
  if (isJsonObject(tool)) takeNeutralTool(to, tool);
  return true;
}

/** Reads the calls and results in a content, and passes its texts on in order. */
export function takeParts(to: TranscriptBuilder, content: unknown, onText: (text: string) => void): void {
  for (const part of Array.isArray(content) ? content : [content])
    if (typeof part === "string") onText(part);
    else if (kindOf(part) === "text") onText(textOf(part, "text") ?? textOf(part, "content") ?? "");
    else takePart(to, part);
}

type Kind = "text" | "call" | "result" | "screen" | "request" | "response";

const KINDS: ReadonlyMap<unknown, Kind> = new Map(
  Object.entries({
    text: "text input_text output_text",
    call: "tool_use server_tool_use tool-call toolCall tool_call server_tool_call function_call custom_tool_call local_shell_call web_search_call",
    result:
      "tool_result tool-result tool-error tool_call_response server_tool_call_response function_call_output custom_tool_call_output",
    screen: "dynamic-tool",
    request: "tool-approval-request",
    response: "tool-approval-response",
  }).flatMap(([kind, types]) => types.split(" ").map((type) => [type, kind as Kind])),
);

function kindOf(part: unknown): Kind | undefined {
  const type = textOf(part, "type");
  const known = KINDS.get(type);
  return known ?? (type?.startsWith("tool-") === true && textOf(part, "toolCallId") ? "screen" : undefined);
}

export function takePart(to: TranscriptBuilder, part: unknown): boolean {
  const kind = kindOf(part);
  if (kind === "call") takeCall(to, part);
  else if (kind === "result") to.result(idOf(part), resultOf(part));
  else if (kind === "screen") {
    takeCall(to, part);
    to.result(idOf(part), shownResult(part));
  } else if (kind === "request") to.alias(textOf(part, "approvalId"), idOf(part));
  else if (kind === "response" && fieldOf(part, "approved") === false)
    to.result(textOf(part, "approvalId"), { outcome: "denied", feedback: textOf(part, "reason") });
  return kind !== undefined;
}

function idOf(part: unknown): string | undefined {
  return firstText(part, "tool_use_id", "toolCallId", "tool_call_id", "call_id", "id");
}

function takeCall(to: TranscriptBuilder, part: unknown): void {
  const inner = fieldOf(part, "function") ?? part;
  // `tool-weather` and `local_shell_call` are named by their type only.
  const shown = textOf(part, "type")?.replaceAll(/^(?:tool-|local_)|_call$/g, "") ?? "";
  const name = textOf(part, "toolName") ?? textOf(inner, "name") ?? shown;
  const keys = ["input", "arguments", "args", "server_tool_call", "action"];
  const given = keys.find((key) => fieldOf(inner, key) !== undefined) ?? "";
  to.call(idOf(part), name, unwrapCommand(fieldOf(inner, given)));
}

/** Turns `["bash", "-lc", "make"]` into `make`, whatever the tool calls the field. */
function unwrapCommand(given: unknown): unknown {
  const object = asObject(typeof given === "string" ? parseJson(given) : given);
  const command = object?.command ?? object?.cmd;
  if (object === undefined || command === undefined) return given;
  const { cmd: _, ...others } = object;
  if (!Array.isArray(command)) return { ...others, command };
  const [shell, flag, script] = command;
  const isWrapped = /(?:^|[/\\])(?:ba|z|da)?sh$/.test(String(shell)) && /^-\w*c$/.test(String(flag));
  return { ...others, command: isWrapped && command.length === 3 ? script : command.join(" ") };
}

const EXIT_CODE = /(?:exit code:?|exited with code) (-?\d+)/i;
const DENIED_BY_USER = /\b(?:rejected|denied) by (?:the )?user\b/i;
const STOPPED_BY_USER = /\b(?:aborted|interrupted|cancelled) by (?:the )?user\b/i;

function resultOf(part: unknown): CallResult {
  const keys = ["output", "content", "response", "result", "error", "server_tool_call_response"];
  const value = fieldOf(part, keys.find((key) => fieldOf(part, key) !== undefined) ?? "");
  const type = textOf(part, "type") === "tool-error" ? "error" : textOf(value, "type");
  if (type === "execution-denied") return { outcome: "denied", feedback: textOf(value, "reason") };
  // Codex writes the output and its exit code as JSON in a string, or puts the code into the text.
  const packed = typeof value === "string" && value.startsWith("{") ? asObject(parseJson(value)) : undefined;
  const output = textIn(packed?.output === undefined ? value : packed);
  const head = output?.slice(0, 500) ?? "";
  const code = fieldOf(packed?.metadata, "exit_code") ?? EXIT_CODE.exec(head)?.[1];
  const isError =
    ["is_error", "isError"].some((key) => fieldOf(part, key) === true) ||
    fieldOf(fieldOf(value, "value") ?? value, "isError") === true ||
    fieldOf(value, "success") === false ||
    (code !== undefined && Number(code) !== 0) ||
    type?.startsWith("error") === true;
  if (DENIED_BY_USER.test(head)) return { outcome: "denied", output };
  if (STOPPED_BY_USER.test(head)) return { outcome: "interrupted", output };
  return { outcome: isError ? "failed" : "ok", output };
}

/** A part for the screen contains a call and its result. */
function shownResult(part: unknown): CallResult {
  const state = textOf(part, "state");
  const approval = fieldOf(part, "approval");
  if (state === "output-denied" || fieldOf(approval, "approved") === false)
    return { outcome: "denied", feedback: textOf(approval, "reason") };
  if (state === "output-error") return { outcome: "failed", output: textOf(part, "errorText") };
  if (state !== "output-available") return { outcome: "unknown" };
  return { outcome: "ok", output: textIn(fieldOf(part, "output")) };
}

function takeNeutralTool(to: TranscriptBuilder, tool: JsonObject): void {
  const { denied = false, error = false, output } = tool;
  let result: CallResult = { outcome: output === undefined ? "unknown" : "ok", output: textIn(output) };
  if (error !== false) result = { outcome: "failed", output: textIn(error === true ? output : error) };
  if (denied !== false) result = { outcome: "denied", feedback: textOf(tool, "denied") };
  to.call(undefined, textOf(tool, "name") ?? "", tool.input, result);
}

/** The text of a result in any of its shapes. */
export function textIn(value: unknown): string | undefined {
  if (typeof value === "string" || value === undefined || value === null) return value ?? undefined;
  if (Array.isArray(value)) return value.map((item) => textIn(item) ?? "").join("\n");
  for (const key of ["text", "value", "output", "content"])
    if (fieldOf(value, key) !== undefined) return textIn(fieldOf(value, key));
  // Images are long and contain no text.
  return asObject(value)?.type === undefined ? JSON.stringify(value) : undefined;
}

// Elements that agents insert into the user's message.
const INJECTED: ReadonlySet<string> = new Set(
  (
    "system-reminder system_instruction local-command-stdout local-command-stderr local-command-caveat command-name " +
    "command-message command-args command-contents bash-stdout bash-stderr task-notification user-prompt-submit-hook " +
    "ide_opened_file ide_selection ide_diagnostics new-diagnostics persisted-output teammate-message " +
    "environment_context user_instructions permissions skills_instructions apps_instructions plugins_instructions " +
    "turn_aborted user_shell_command subagent_notification collaboration_mode recommended_plugins image " +
    "in-app-browser-context INSTRUCTIONS skill skill_content available_skills"
  ).split(" "),
);
const OPENING = /<([A-Za-z][\w-]*)((?:\s[^<>]{0,500})?)>/g;
const INJECTED_WHOLE =
  /^(?:# AGENTS\.md instructions|Caveat: The messages below were generated|This session is being continued from a previous|Base directory for this skill:|Stop hook feedback:|The following is the Codex agent history|Summary of the conversation so far:)/;
const STOPPED = /^\[Request interrupted by user/;
const REQUEST = "## My request for Codex:";
// Built-in commands of the agents, which are not skills.
const OWN_COMMANDS =
  /^(?:clear|compact|model|help|exit|quit|login|logout|config|cost|resume|status|init|mcp|memory|permissions|hooks|agents|doctor|context|export|rewind|rename|effort|plugin|usage|fast|plan)$/;

/** Reads a user's message without what agents inserted: reminders, wrappers of commands, texts of skills. */
export function takeTyped(
  to: TranscriptBuilder,
  message: string,
  options: { whileWorking?: true } = {},
): void {
  const from = message.indexOf(REQUEST);
  const { text, removed } = removeInjected(from === -1 ? message : message.slice(from + REQUEST.length));
  const inner = (tag: string): string => removed.find((one) => one.tag === tag)?.inner.trim() ?? "";
  for (const { tag, attributes, inner: body } of removed)
    if (tag === "skill" || tag === "skill_content") {
      const [, name] = /\bname="([^"]*)"/.exec(attributes) ?? /<name>([^<]*)<\/name>/.exec(body) ?? [];
      to.skill(name?.trim() ?? "", "host");
    }
  if (STOPPED.test(text) || removed.some(({ tag }) => tag === "turn_aborted")) to.interruption();
  const command = inner("command-name").replace(/^\//, "");
  if (command !== "" && !OWN_COMMANDS.test(command)) {
    to.typed(`/${command} ${inner("command-args")}`, options);
    to.skill(command, "person");
  }
  if (!STOPPED.test(text) && !INJECTED_WHOLE.test(text)) to.typed(text, options);
}

type Removed = Readonly<Record<"tag" | "attributes" | "inner", string>>;

// Parsed by hand: a regular expression for a whole element would search to the end of the text for every unclosed tag.
function removeInjected(message: string): { readonly text: string; readonly removed: readonly Removed[] } {
  if (!message.includes("<")) return { text: message.trim(), removed: [] };
  const removed: Removed[] = [];
  const unclosed = new Set<string>();
  let text = "";
  let at = 0;
  OPENING.lastIndex = 0;
  for (let found = OPENING.exec(message); found !== null; found = OPENING.exec(message)) {
    const [opening, tag = "", attributes = ""] = found;
    if (!INJECTED.has(tag) || unclosed.has(tag)) continue;
    // `<permissions instructions>` is closed by `</permissions instructions>`.
    const closing = [`</${tag}${attributes}>`, `</${tag}>`].find((one) =>
      message.includes(one, OPENING.lastIndex),
    );
    if (closing === undefined) {
      unclosed.add(tag);
      continue;
    }
    const end = message.indexOf(closing, OPENING.lastIndex);
    removed.push({ tag, attributes, inner: message.slice(found.index + opening.length, end) });
    text += message.slice(at, found.index);
    at = end + closing.length;
    OPENING.lastIndex = at;
  }
  return { text: `${text}${message.slice(at)}`.trim(), removed };
}
