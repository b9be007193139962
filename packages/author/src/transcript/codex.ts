import { asObject, fieldOf, type JsonObject, parseJson, textOf } from "@skillet/kit/json";
import { takeMessage, takeParts, takeTyped, textIn } from "./messages.ts";
import { type CallOutcome, readTime, type TranscriptBuilder, type TranscriptFormat } from "./transcript.ts";

const IGNORED: ReadonlySet<unknown> = new Set(
  "turn_context world_state inter_agent_communication security_risk_score ghost_snapshot".split(" "),
);
const ITEMS: ReadonlySet<unknown> = new Set(
  (
    "message reasoning function_call function_call_output custom_tool_call custom_tool_call_output local_shell_call " +
    "web_search_call tool_search_call tool_search_output ghost_snapshot compaction"
  ).split(" "),
);
const EXIT_CODE = /(?:exit code:?|exited with code) (-?\d+)/i;
const DENIED = /\b(?:rejected|denied) by (?:the )?user\b/i;
const STOPPED = /\b(?:aborted|interrupted|cancelled) by (?:the )?user\b/i;

/** Rollouts of Codex: two logs in one file, items for the model and events for the screen, which repeat each other. */
export const codex: TranscriptFormat = {
  name: "codex",
  recognises: (record) =>
    (asObject(record.payload) !== undefined && typeof record.type === "string") ||
    record.record_type === "state" ||
    (Object.hasOwn(record, "instructions") && typeof record.id === "string" && record.role === undefined),
  open: (to) => {
    // What was typed is in both logs, next to each other.
    const typed = { item: "", event: "" };
    const takeUser = (text: string, log: "item" | "event"): void => {
      const other = log === "item" ? "event" : "item";
      const isRepeated = text.trim() !== "" && typed[other] === text.trim();
      typed[other] = "";
      typed[log] = isRepeated ? "" : text.trim();
      if (!isRepeated) takeTyped(to, text);
    };
    return (record) => {
      const time = record.timestamp;
      if (time !== undefined) to.time = readTime(time);
      // The first versions had neither an envelope nor events.
      const payload = asObject(record.payload) ?? record;
      const type = record.payload === undefined && ITEMS.has(record.type) ? "response_item" : record.type;
      if (type === "session_meta" || (type === undefined && Object.hasOwn(record, "instructions"))) {
        to.id ??= textOf(payload, "id");
        to.workspace ??= textOf(payload, "cwd");
      } else if (type === "response_item") return takeItem(to, payload, takeUser);
      else if (type === "event_msg") takeEvent(to, payload, takeUser);
      else if (type === "compacted") to.compaction();
      else return IGNORED.has(type) || record.record_type === "state";
      return true;
    };
  },
};

type TakeUser = (text: string, log: "item" | "event") => void;

function takeItem(to: TranscriptBuilder, item: JsonObject, takeUser: TakeUser): boolean {
  const { type, call_id, action } = item;
  const id = typeof call_id === "string" ? call_id : textOf(item, "id");
  if (type === "message" && item.role === "user")
    // Each text by itself: one is typed, and the others are added to it.
    takeParts(to, item.content, (text) => takeUser(text, "item"));
  else if (type === "message") return takeMessage(to, { role: item.role, content: item.content });
  else if (type === "function_call") to.call(id, textOf(item, "name") ?? "", unwrapCommand(item.arguments));
  else if (type === "custom_tool_call") to.call(id, textOf(item, "name") ?? "", item.input);
  else if (type === "local_shell_call") to.call(id, "shell", unwrapCommand(action));
  else if (type === "web_search_call") to.call(id, "web_search", action, { outcome: "ok" });
  else if (type === "function_call_output" || type === "custom_tool_call_output")
    takeOutput(to, id, item.output);
  else return ITEMS.has(type);
  return true;
}

/** `["bash", "-lc", "make"]` is `make`, whatever the tool calls it. */
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

function takeOutput(to: TranscriptBuilder, id: string | undefined, given: unknown): void {
  // Some versions write the output and its exit code as JSON in a string.
  const parsed = typeof given === "string" && given.startsWith("{") ? asObject(parseJson(given)) : undefined;
  const output = textIn(parsed ?? given) ?? "";
  const head = output.slice(0, 500);
  const code = fieldOf(parsed?.metadata, "exit_code") ?? EXIT_CODE.exec(head)?.[1];
  const isFailed = asObject(given)?.success === false || (code !== undefined && Number(code) !== 0);
  const ended: CallOutcome = isFailed ? "failed" : "ok";
  to.result(id, {
    outcome: DENIED.test(head) ? "denied" : STOPPED.test(head) ? "interrupted" : ended,
    output,
  });
}

function takeEvent(to: TranscriptBuilder, event: JsonObject, takeUser: TakeUser): void {
  const { type, exit_code, success } = event;
  if (type === "user_message") takeUser(textOf(event, "message") ?? "", "event");
  else if (type === "turn_aborted" && event.reason !== "replaced") to.interruption();
  else if (type === "exec_command_end" || type === "patch_apply_end") {
    const isFailed = success === false || (typeof exit_code === "number" && exit_code !== 0);
    const output = textOf(event, "aggregated_output");
    to.result(textOf(event, "call_id"), { outcome: isFailed ? "failed" : "ok", output });
  }
}
