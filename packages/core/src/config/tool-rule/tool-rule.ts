/** The calls that an entry of `allowed-tools`, or the `tool` of a policy rule, is about. */
export type ToolRule = WholeToolRule | ShellRule | PathRule | DomainRule | ValueRule;

interface WrittenRule {
  readonly text: string;
  readonly tool: ToolName;
}

/** A canonical tool name, or a prefix of several. */
export interface ToolName {
  readonly name: string;
  readonly match: "exact" | "prefix";
}

/** Every call of a tool: `Read`, `mcp__github__*`. */
interface WholeToolRule extends WrittenRule {
  readonly kind: "tool";
}

/** Shell commands: `Bash(git status)`, `Bash(git log:*)`. */
export interface ShellRule extends WrittenRule {
  readonly kind: "shell";
  readonly words: readonly WordPattern[];
  readonly match: "exact" | "prefix";
}

/** A word of a command: exactly this, anything that starts with it, or any word that is not an option. */
export interface WordPattern {
  readonly text: string;
  readonly match: "exact" | "prefix" | "any";
}

/** Calls for files: `Read(./docs/**)`. */
export interface PathRule extends WrittenRule {
  readonly kind: "path";
  readonly patterns: readonly PathPattern[];
}

/** A folder's segments, and what has to follow: `**` is any number of segments, `*` a part of one. */
export interface PathPattern {
  readonly folder: readonly string[];
  readonly rest: readonly string[];
}

/** Calls for web addresses: `WebFetch(domain:example.com)`. */
export interface DomainRule extends WrittenRule {
  readonly kind: "domain";
  readonly domain: string;
  readonly match: "exact" | "subdomains";
}

/** Calls by the name in them: `Skill(pdf)`, `Agent(Explore)`. */
export interface ValueRule extends WrittenRule {
  readonly kind: "value";
  readonly value: string;
  readonly match: "exact" | "prefix";
}

/** The folders that paths and variables in rules mean; a rule that needs an absent one is invalid. */
export interface RuleDirectories {
  /** For relative paths, `/…` and `${CLAUDE_PROJECT_DIR}`. */
  readonly project?: string;
  /** For `${CLAUDE_SKILL_DIR}`. */
  readonly skill?: string;
  /** For `~`. */
  readonly home?: string;
}

/** A tool's canonical name, in which rules are compared: hosts call their shells differently. */
export function canonicalTool(name: string): string {
  const lower = name.normalize().toLowerCase();
  return ALIASES.get(lower) ?? lower;
}

export type ToolKind = "shell" | "path" | "domain" | "value" | "other";

export function toolKind(tool: string): ToolKind {
  if (tool === "bash") return "shell";
  if (PATH_TOOLS.has(tool)) return "path";
  if (tool === "webfetch") return "domain";
  return VALUE_TOOLS.has(tool) ? "value" : "other";
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ...["shell", "sh", "exec", "exec_command", "run_shell_command", "shell_command", "local_shell"].map(
    (name): [string, string] => [name, "bash"],
  ),
  ...["execute_command", "run_command", "run_in_terminal", "terminal"].map((name): [string, string] => [
    name,
    "bash",
  ]),
  ...["multiedit", "notebookedit"].map((name): [string, string] => [name, "edit"]),
  ["notebookread", "read"],
  ["task", "agent"],
  ["web_fetch", "webfetch"],
]);

const PATH_TOOLS: ReadonlySet<string> = new Set(["read", "write", "edit", "glob", "grep", "ls"]);
/** The tool that runs scripts of skills; rules refer to its calls as `skill:scripts/path`. */
export const SCRIPT_TOOL = "run_skill_script";

const VALUE_TOOLS: ReadonlySet<string> = new Set(["skill", "agent", "slashcommand", SCRIPT_TOOL]);
