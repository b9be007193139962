/** A tool's name in the one spelling that rules are compared in: hosts call their shells differently. */
export function canonicalTool(name: string): string {
  const lower = name.normalize().toLowerCase();
  return ALIASES.get(lower) ?? lower;
}

/** What a tool's input is about, as far as rules can say. */
export type ToolKind = "shell" | "path" | "domain" | "value" | "other";

/** What rules can say about the calls of a tool, by its canonical name. */
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
/** The tool that runs scripts of skills; rules know its calls as `skill:scripts/path`. */
export const SCRIPT_TOOL = "run_skill_script";

const VALUE_TOOLS: ReadonlySet<string> = new Set(["skill", "agent", "slashcommand", SCRIPT_TOOL]);
