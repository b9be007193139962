import { fieldOf, isJsonObject, textOf } from "@skillet/kit/json";
import { takeMessage } from "./messages.ts";
import type { TranscriptBuilder, TranscriptFormat } from "./transcript.ts";

const IGNORED: ReadonlySet<unknown> = new Set(
  "branch_summary context_edit custom custom_message model_change thinking_level_change label".split(" "),
);

/** How many entries keep a known parent; the text of older entries is always kept. */
const MAX_PARENTS = 100_000;

/** Sessions of pi: a tree in one file, in which the path from the last entry to the root is the conversation. */
export const pi: TranscriptFormat = {
  name: "pi",
  recognises: (record) =>
    (record.type === "session" && typeof record.version === "number") ||
    (typeof record.id === "string" && Object.hasOwn(record, "parentId") && isJsonObject(record.message)),
  open: (to) => {
    const parents = new Map<string, string>();
    let last = "";
    let way: Set<string> | undefined;
    to.isKept = (entry) => {
      let at = way === undefined ? last : undefined;
      for (way ??= new Set(); at !== undefined && !way.has(at); at = parents.get(at)) way.add(at);
      return way.has(entry) || !parents.has(entry);
    };
    return (record) => {
      const { type, parentId } = record;
      to.at(record.timestamp);
      if (type === "session") {
        to.belongs(record, "id");
        return true;
      }
      last = textOf(record, "id")?.slice(0, 64) ?? last;
      to.entry = last;
      parents.set(last, typeof parentId === "string" ? parentId.slice(0, 64) : "");
      const [oldest = ""] = parents.size > MAX_PARENTS ? parents.keys() : [];
      parents.delete(oldest);
      if (type === "message") return takeEntry(to, record.message);
      if (type === "compaction") to.compaction();
      else if (type === "session_info") to.title = textOf(record, "name") ?? to.title;
      else return IGNORED.has(type);
      return true;
    };
  },
};

function takeEntry(to: TranscriptBuilder, message: unknown): boolean {
  if (!isJsonObject(message)) return false;
  const { role } = message;
  // Inserted by extensions and summaries; `!` commands are the user's own, not steps of the agent.
  if (["custom", "branchSummary", "compactionSummary", "bashExecution"].includes(String(role))) return true;
  const isTaken = takeMessage(to, message);
  if (fieldOf(message, "stopReason") === "aborted") to.interruption();
  return isTaken;
}
