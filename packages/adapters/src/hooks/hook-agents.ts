import { dirname, isAbsolute, join, resolve } from "node:path";
import { asObject, fieldOf, type JsonObject, textOf, textsOf } from "@skillet/kit/json";
import type { HookAnswer, HookEvent, HookKind, ToolEvent } from "./hook-event.ts";

/** Where agents keep their settings on this machine. */
interface HookPlaces {
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How one agent calls hooks: one row per protocol, which translates and decides nothing. */
export interface HookAgent {
  /** The id in core's table of agents. */
  readonly id: string;
  readonly title: string;
  /** Maps the agent's own names of events. */
  readonly events: Events;
  /** The user's file that lists hooks under `hooks`, or that is a plugin. */
  settings(places: HookPlaces): string;
  /** The entry in an event's list; absent if the file is a plugin. */
  readonly item?: (event: string, command: string) => JsonObject;
  /** The file before it lists anything; default: `{}`. */
  readonly empty?: string;
  /** The answer to a tool call can ask the user; otherwise a question is a denial. */
  readonly asks: boolean;
  /** It loads skills with a tool of its own; otherwise reading a SKILL.md loads the skill. */
  readonly hasSkillTool: boolean;
  /** Events for which it ignores text in the answer, both for the model and for the user. */
  readonly deaf?: readonly HookKind[];
  /** How a user names skills in a prompt, besides `/name` at its start. */
  readonly mention?: readonly RegExp[];
  /** The agent's names for session, prompt and so on. */
  readonly fields?: Partial<typeof FIELDS>;
  /**
   * Maps tools to the names that rules know, if they differ, and renames their properties. A property that
   * only another agent would read means nothing here, and must not be judged instead.
   */
  readonly tools?: Readonly<Record<string, string | readonly [tool: string, properties: Properties]>>;
  /** Whether the user approved the hooks of a file in the agent, which skips them until then. */
  isReviewed?(file: string, read: (path: string) => string): boolean;
  write(event: string, answer: HookAnswer): JsonObject | undefined;
}

/** Maps the agent's names of properties to those that rules know. */
type Properties = Readonly<Record<string, string>>;

type Events = Readonly<Record<string, HookKind>>;
const CLAUDE_EVENTS: Events = {
  SessionStart: "start",
  UserPromptSubmit: "prompt",
  PreToolUse: "before-tool",
  PostToolUse: "after-tool",
};
const COPILOT_EVENTS: Events = {
  sessionStart: "start",
  preToolUse: "before-tool",
  postToolUse: "after-tool",
  postToolUseFailure: "failed-tool",
  sessionEnd: "end",
};
const FIELDS = { session: "session_id", tool: "tool_name", input: "tool_input" };

const TIMEOUT_SECONDS = 30;
const FILE_PATH: Properties = { filePath: "file_path" };
const VERSION_1 = '{ "version": 1 }\n';

// A group in Claude Code's format, which Codex and Gemini CLI adopted; no matcher means everything.
const group =
  (timeout: number) =>
  (_event: string, command: string): JsonObject => ({ hooks: [{ type: "command", command, timeout }] });

/** The answer in Claude Code's format. */
function writeClaude(
  event: string,
  { decision, reason, context, notice }: HookAnswer,
): JsonObject | undefined {
  const isTool = event === "PreToolUse";
  const own = {
    ...(isTool && decision && { permissionDecision: decision, permissionDecisionReason: reason }),
    ...(context !== undefined && { additionalContext: context }),
  };
  const answer = {
    ...(!isTool && decision && { decision: "block", reason }),
    ...(Object.keys(own).length > 0 && { hookSpecificOutput: { hookEventName: event, ...own } }),
    ...(notice !== undefined && { systemMessage: notice }),
  };
  return unlessEmpty(answer);
}

function unlessEmpty(answer: JsonObject): JsonObject | undefined {
  return Object.keys(answer).length > 0 ? answer : undefined;
}

function folder({ environment, userHome }: HookPlaces, variable: string, fallback: string): string {
  const moved = environment[variable];
  // Agents themselves ignore an empty or relative value too.
  return moved !== undefined && isAbsolute(moved) ? moved : join(userHome, fallback);
}

/** Agents whose hooks Skillet answers, according to their documentation. */
export const HOOK_AGENTS: readonly HookAgent[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    events: { ...CLAUDE_EVENTS, PostToolUseFailure: "failed-tool", SessionEnd: "end" },
    settings: (places) => join(folder(places, "CLAUDE_CONFIG_DIR", ".claude"), "settings.json"),
    item: group(TIMEOUT_SECONDS),
    asks: true,
    hasSkillTool: true,
    tools: {
      SlashCommand: ["Skill", { command: "skill" }],
      Monitor: ["Bash", { persistent: "run_in_background" }],
    },
    write: writeClaude,
  },
  {
    id: "codex",
    title: "Codex",
    events: CLAUDE_EVENTS,
    settings: (places) => join(folder(places, "CODEX_HOME", ".codex"), "hooks.json"),
    item: group(TIMEOUT_SECONDS),
    asks: false,
    hasSkillTool: false,
    mention: [/\$([\w:-]+)/g],
    tools: { Bash: ["Bash", { workdir: "workdir" }], apply_patch: "Edit" },
    isReviewed: (file, read) => {
      const config = read(join(dirname(file), "config.toml")).replaceAll("\\\\", "\\");
      return ["session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use"].every((event) =>
        config.includes(`${file}:${event}:`),
      );
    },
    write: writeClaude,
  },
  {
    id: "gemini-cli",
    title: "Gemini CLI",
    events: {
      SessionStart: "start",
      BeforeAgent: "prompt",
      BeforeTool: "before-tool",
      AfterTool: "after-tool",
      SessionEnd: "end",
    },
    settings: (places) => join(folder(places, "GEMINI_CLI_HOME", ""), ".gemini/settings.json"),
    item: group(TIMEOUT_SECONDS * 1_000),
    asks: false,
    hasSkillTool: true,
    tools: {
      run_shell_command: [
        "Bash",
        { dir_path: "workdir", is_background: "run_in_background", delay_ms: "timeout_ms" },
      ],
      read_file: "Read",
      read_many_files: "Read",
      write_file: "Write",
      replace: "Edit",
      glob: ["Glob", { dir_path: "path" }],
      grep_search: ["Grep", { dir_path: "path" }],
      list_directory: ["LS", { dir_path: "path" }],
      activate_skill: ["Skill", { name: "skill" }],
      invoke_agent: ["Agent", { agent_name: "agent" }],
      web_fetch: "WebFetch",
      google_web_search: "WebSearch",
    },
    write: (event, { decision, reason, ...rest }) =>
      unlessEmpty({ ...writeClaude(event, rest), ...(decision && { decision: "deny", reason }) }),
  },
  {
    id: "cursor",
    title: "Cursor",
    events: { ...COPILOT_EVENTS, beforeSubmitPrompt: "prompt" },
    settings: ({ userHome }) => join(userHome, ".cursor/hooks.json"),
    empty: VERSION_1,
    item: (_event, command) => ({ command, timeout: TIMEOUT_SECONDS }),
    asks: false,
    hasSkillTool: false,
    deaf: ["prompt", "before-tool", "failed-tool", "end"],
    fields: { session: "conversation_id" },
    tools: {
      Shell: ["Bash", { working_directory: "workdir" }],
      Read: ["Read", { target_file: "file_path", path: "file_path" }],
    },
    write: (event, { decision, ...texts }) => {
      const text = inOneText(texts);
      if (event === "beforeSubmitPrompt")
        return decision === undefined ? { continue: true } : { continue: false, user_message: text };
      if (decision !== undefined) return { permission: "deny", user_message: text, agent_message: text };
      return text === undefined ? undefined : { additional_context: text };
    },
  },
  {
    id: "github-copilot",
    title: "GitHub Copilot",
    events: { ...COPILOT_EVENTS, userPromptSubmitted: "prompt" },
    settings: ({ userHome }) => join(userHome, ".copilot/hooks/skillet.json"),
    empty: VERSION_1,
    item: (_event, command) => ({ type: "command", bash: command, timeoutSec: TIMEOUT_SECONDS }),
    asks: true,
    hasSkillTool: true,
    deaf: ["before-tool", "end"],
    fields: { session: "sessionId", tool: "toolName", input: "toolArgs" },
    tools: {
      bash: "Bash",
      view: ["Read", { path: "file_path" }],
      create: ["Write", { path: "file_path" }],
      edit: ["Edit", { path: "file_path" }],
      skill: "Skill",
    },
    write: (_event, { decision, ...texts }) => {
      const text = inOneText(texts);
      if (decision !== undefined) return { permissionDecision: decision, permissionDecisionReason: text };
      return text === undefined ? undefined : { additionalContext: text };
    },
  },
  {
    id: "opencode",
    title: "OpenCode",
    // Its plugin uses these names, and writes input in the common fields.
    events: {
      "session.created": "start",
      "chat.message": "prompt",
      "session.deleted": "end",
      "tool.execute.before": "before-tool",
      "tool.execute.after": "after-tool",
    },
    settings: (places) => join(folder(places, "XDG_CONFIG_HOME", ".config"), "opencode/plugins/skillet.js"),
    empty: "",
    asks: false,
    hasSkillTool: true,
    tools: {
      bash: ["Bash", { workdir: "workdir" }],
      read: ["Read", FILE_PATH],
      write: ["Write", FILE_PATH],
      edit: ["Edit", FILE_PATH],
      apply_patch: ["Edit", { patchText: "command" }],
      skill: ["Skill", { name: "skill" }],
      task: ["Agent", { subagent_type: "agent" }],
    },
    write: (_event, answer) => ({ ...answer }),
  },
];

/** Without a text for the user alone, the model gets that too. */
function inOneText({ reason, context, notice }: HookAnswer): string | undefined {
  return [reason, context, notice].filter((text) => text !== undefined).join("\n") || undefined;
}

/** The rest of a prompt is ignored; it says nothing new about which skill is meant. */
const MAX_PROMPT_CHARACTERS = 20_000;
const MAX_NAME_CHARACTERS = 512;
// Gemini CLI puts hooks' texts from the session start before the first prompt; names in them do not count.
const OWN_CONTEXT = /^<hook_context>[\s\S]*?<\/hook_context>\s*/;

/** Parses an event of the agent; undefined if it is not one, or says too little. */
export function readHookEvent(agent: HookAgent, name: string, input: JsonObject): HookEvent | undefined {
  const kind = Object.hasOwn(agent.events, name) ? agent.events[name] : undefined;
  const fields = { ...FIELDS, ...agent.fields };
  const session = textOf(input, fields.session);
  const cwd = textOf(input, "cwd") ?? textsOf(input, "workspace_roots")[0];
  if (kind === undefined || !session || session.length > MAX_NAME_CHARACTERS) return undefined;
  if (cwd === undefined || !isAbsolute(cwd)) return undefined;
  const base = { session, cwd };
  switch (kind) {
    case "prompt": {
      const text = textOf(input, "prompt");
      if (text === undefined) return undefined;
      return { ...base, kind, text: text.replace(OWN_CONTEXT, "").slice(0, MAX_PROMPT_CHARACTERS) };
    }
    case "start": {
      const cause = textOf(input, "source");
      if (cause === "compact") return { ...base, kind, cause: "compacted" };
      return { ...base, kind, cause: cause === "resume" ? "resumed" : "new" };
    }
    case "end":
      return { ...base, kind };
    default:
      return readTool(agent, { ...base, kind }, input, fields);
  }
}

function readTool(
  agent: HookAgent,
  base: Pick<HookEvent, "session" | "cwd"> & Pick<ToolEvent, "kind">,
  input: JsonObject,
  fields: typeof FIELDS,
): HookEvent | undefined {
  const named = textOf(input, fields.tool);
  if (named === undefined || named.length > MAX_NAME_CHARACTERS) return undefined;
  const row = fieldOf(agent.tools, named) as string | readonly [string, Properties] | undefined;
  const [tool, properties = {}] = typeof row === "string" ? [row] : (row ?? [named]);
  const given = fieldOf(input, fields.input);
  // Copilot writes the arguments as a JSON text.
  const parsed = typeof given === "string" ? parseText(given) : given;
  const own = renamed(properties, parsed);
  const read = named === "apply_patch" ? patched(own) : own;
  const folder = Object.values(properties).includes("workdir") ? textOf(read, "workdir") : undefined;
  return { ...base, tool, input: read, folder: resolve(base.cwd, folder ?? "") };
}

/** The one file that a patch changes; path rules do not cover a patch of several, or an unreadable one. */
function patched(input: unknown): unknown {
  const patch = textOf(input, "command") ?? "";
  const marks = [...patch.matchAll(/^[^\S\n]*\*\*\*(?! (?:(?:Begin|End) Patch|End of File)\s*$)(.*)$/gm)];
  const [, path] = /^ (?:Add|Update|Delete) File: (.*\S)\s*$/.exec(marks[0]?.[1] ?? "") ?? [];
  return marks.length === 1 && path !== undefined ? { file_path: path } : input;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function renamed(names: Properties, input: unknown): unknown {
  const given = asObject(input);
  if (given === undefined) return input;
  const known = Object.entries(names).filter(([name]) => Object.hasOwn(given, name));
  // The first for each; a second stays as it is, and rules do not match a call that names two files.
  const own = new Map(known.reverse().map(([name, meant]) => [meant, name]));
  const replaced = new Set([...own].flat());
  const others = Object.entries(given).filter(([name]) => !replaced.has(name));
  return Object.fromEntries([
    ...others,
    ...Array.from(own, ([meant, name]) => [meant, given[name]] as const),
  ]);
}
