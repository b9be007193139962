import { showLine } from "@skillet/kit/text";

/** The most skills that are named for one message: more would be a list, which the agent has already. */
export const MAX_NAMED = 3;
const MAX_REASON_CHARACTERS = 200;

/** The hint for an agent that lists its skills itself; empty if none fits. */
export function hintText(
  fitting: readonly { readonly name: string; readonly score: number; readonly reasons: readonly string[] }[],
  how = "load it with your skill tool before you begin",
): string {
  if (fitting.length === 0) return "";
  const lines = fitting.map(({ name, score, reasons }) => {
    const why = showLine(reasons[0] ?? "").slice(0, MAX_REASON_CHARACTERS);
    return `- ${name} (${Math.round(score * 100)} %): ${why}`;
  });
  const first = `Skillet: installed skills that probably fit this request. If one does, ${how}.`;
  return [first, ...lines].join("\n");
}

/** Agents' tools that only organise the conversation: no skill's `allowed-tools` removes them. */
const ORGANISING: ReadonlySet<string> = new Set(
  (
    "skill slashcommand todowrite askuserquestion enterplanmode exitplanmode toolsearch taskcreate taskget tasklist " +
    "taskupdate taskoutput taskstop bashoutput killshell activate_skill ask_user write_todos update_plan todoread " +
    "update_topic enter_plan_mode exit_plan_mode list_background_processes read_background_output " +
    "request_user_input tool_search get_goal create_goal update_goal"
  ).split(" "),
);

export function isOrganising(tool: string): boolean {
  return ORGANISING.has(tool.toLowerCase());
}
