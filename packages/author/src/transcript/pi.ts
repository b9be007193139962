import { fieldOf, isJsonObject, textOf } from "@skillet/kit/json";
import { takeMessage } from "./messages.ts";
import { readTime, type TranscriptBuilder, type TranscriptFormat } from "./transcript.ts";

const IGNORED: ReadonlySet<unknown> = new Set(
  "branch_summary context_edit custom custom_message model_change thinking_level_change label".split(" "),
);

/** Of the ids that later entries may go on from; older ones are forgotten. */
const MAX_IDS = 100_000;
const MAX_BRANCHES = 10_000;

/** Entries in a row; what comes after its last one, or after the one that the next goes on from, was given up. */
interface Branch {
  readonly from: number;
  readonly parent: Branch | undefined;
  /** The entry of the parent that it goes on from. */
  readonly parentEntry: number;
}

/** Sessions of pi: a tree in one file, of which the way from the last entry to the root is the conversation. */
export const pi: TranscriptFormat = {
  name: "pi",
  recognises: (record) =>
    (record.type === "session" && typeof record.version === "number") ||
    (typeof record.id === "string" && Object.hasOwn(record, "parentId") && isJsonObject(record.message)),
  open: (to) => {
    const placed = new Map<string, readonly [Branch, number]>();
    let branch: Branch = { from: 0, parent: undefined, parentEntry: 0 };
    let branches = 1;
    let last: string | undefined;
    let entry = 0;
    to.isKept = (place) => {
      let until = entry;
      for (let at: Branch | undefined = branch; at !== undefined; at = at.parent) {
        if (place >= at.from) return place <= until;
        until = at.parentEntry;
      }
      return false;
    };
    return (record) => {
      const { type, parentId } = record;
      const time = readTime(record.timestamp);
      if (time !== undefined) to.time = time;
      if (type === "session") {
        to.id ??= textOf(record, "id");
        to.workspace ??= textOf(record, "cwd");
        return true;
      }
      const id = textOf(record, "id")?.slice(0, 64);
      const parent = typeof parentId === "string" ? placed.get(parentId) : undefined;
      entry += 1;
      if (parent !== undefined && parentId !== last && branches < MAX_BRANCHES) {
        branch = { from: entry, parent: parent[0], parentEntry: parent[1] };
        branches += 1;
      }
      if (id !== undefined) {
        if (placed.size >= MAX_IDS) placed.clear();
        placed.set(id, [branch, entry]);
        last = id;
      }
      to.entry = entry;
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
  // What extensions and summaries put in; `!` commands are the person's own and no step of the agent.
  if (["custom", "branchSummary", "compactionSummary", "bashExecution"].includes(String(role))) return true;
  const isTaken = takeMessage(to, message);
  if (fieldOf(message, "stopReason") === "aborted") to.interruption();
  return isTaken;
}
