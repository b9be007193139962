import { asObject, type JsonObject, textOf } from "@skillet/kit/json";
import { takeMessage, takePart, takeParts, takeTyped } from "./messages.ts";
import type { TranscriptBuilder, TranscriptFormat } from "./transcript.ts";

const IGNORED: ReadonlySet<unknown> = new Set(
  "turn_context world_state inter_agent_communication security_risk_score ghost_snapshot".split(" "),
);
const ITEMS: ReadonlySet<unknown> = new Set(
  (
    "message reasoning function_call function_call_output custom_tool_call custom_tool_call_output local_shell_call " +
    "web_search_call tool_search_call tool_search_output ghost_snapshot compaction"
  ).split(" "),
);

/** Rollouts of Codex: two logs in one file, items for the model and events for the screen, with the same content. */
export const codex: TranscriptFormat = {
  name: "codex",
  recognises: (record) =>
    (asObject(record.payload) !== undefined && typeof record.type === "string") ||
    record.record_type === "state" ||
    (Object.hasOwn(record, "instructions") && typeof record.id === "string" && record.role === undefined),
  open: (to) => {
    // A typed message occurs in both logs, next to each other.
    const typed = { item: "", event: "" };
    const takeUser = (text: string, log: "item" | "event"): void => {
      const other = log === "item" ? "event" : "item";
      const isRepeated = text.trim() !== "" && typed[other] === text.trim();
      typed[other] = "";
      typed[log] = isRepeated ? "" : text.trim();
      if (!isRepeated) takeTyped(to, text);
    };
    return (record) => {
      to.at(record.timestamp);
      // The first versions had neither an envelope nor events.
      const payload = asObject(record.payload) ?? record;
      const type = record.payload === undefined && ITEMS.has(record.type) ? "response_item" : record.type;
      if (type === "session_meta" || (type === undefined && Object.hasOwn(record, "instructions")))
        to.belongs(payload, "id");
      else if (type === "response_item") return takeItem(to, payload, takeUser);
      else if (type === "event_msg") takeEvent(to, payload, takeUser);
      else if (type === "compacted") to.compaction();
      else return IGNORED.has(type) || record.record_type === "state";
      return true;
    };
  },
};

type TakeUser = (text: string, log: "item" | "event") => void;

function takeItem(to: TranscriptBuilder, item: JsonObject, takeUser: TakeUser): boolean {
  const { type, role, content } = item;
  if (type !== "message") return takePart(to, item) || ITEMS.has(type);
  if (role !== "user") return takeMessage(to, { role, content });
  // Each text separately: the user typed one, and Codex added the others to the message.
  takeParts(to, content, (text) => takeUser(text, "item"));
  return true;
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
