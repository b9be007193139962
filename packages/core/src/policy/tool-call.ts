/** A call that an agent is about to make with one of its own tools. */
export interface ToolCall {
  /** As the host spells it: `Bash`, `Read`, `mcp__github__create_issue`. */
  readonly tool: string;
  /** The command of a shell tool, the path of a file tool; other inputs as they are. */
  readonly input?: unknown;
}
