import { asObject, fieldOf, isJsonObject, type JsonObject, textOf } from "@skillet/kit/json";
import { takeMessage, takeParts, takeTyped, textIn } from "./messages.ts";
import type { CallResult, TranscriptBuilder, TranscriptFormat } from "./transcript.ts";

const IGNORED: ReadonlySet<unknown> = new Set(
  (
    "last-prompt queue-operation mode permission-mode file-history-snapshot file-history-delta pr-link relocated " +
    "worktree-state progress agent-setting agent-color bridge-session cost-state session-meta tag"
  ).split(" "),
);
/** Titles, the most reliable one last; each is in a field of the same name. */
const TITLES: readonly unknown[] = "summary ai-title agent-name custom-title".split(" ");
const STOPPED = "[Request interrupted by user";
const REJECTED = "The user doesn't want to proceed with this tool use.";
const SAID = "the user said:";

/** Sessions of Claude Code. Anthropic calls the format internal, so any field may be missing. */
export const claudeCode: TranscriptFormat = {
  name: "claude-code",
  recognises: (record) =>
    typeof record.type === "string" &&
    ["sessionId", "parentUuid", "leafUuid"].some((key) => Object.hasOwn(record, key)),
  open: (to) => {
    let titleRank = 0;
    return (record) => {
      const rank = TITLES.indexOf(record.type);
      if (rank !== -1) {
        const key = String(record.type).replace(/-(.)/, (_, letter: string) => letter.toUpperCase());
        if (rank >= titleRank) to.title = textOf(record, key) ?? to.title;
        titleRank = Math.max(rank, titleRank);
        return true;
      }
      const { type, timestamp, isSidechain, agentId } = record;
      to.at(timestamp);
      to.belongs(record, "sessionId");
      to.agent = isSidechain === true ? (typeof agentId === "string" ? agentId : "sub-agent") : undefined;
      if (type === "user") takeUser(to, record);
      else if (type === "assistant") takeAssistant(to, record);
      else if (type === "attachment") takeAttachment(to, record);
      else if (type === "system") takeSystem(to, record);
      else return IGNORED.has(type);
      return true;
    };
  },
};

function takeUser(to: TranscriptBuilder, record: JsonObject): void {
  const { toolUseResult, sourceToolUseID, sourceToolAssistantUUID, isMeta, isCompactSummary } = record;
  if (isCompactSummary === true) {
    to.compaction();
    return;
  }
  const content = fieldOf(record.message, "content");
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const results = blocks.filter((block) => textOf(block, "type") === "tool_result");
  for (const block of results) to.result(textOf(block, "tool_use_id"), readResult(record, block));
  const isAnswer =
    results.length > 0 || (toolUseResult ?? sourceToolUseID ?? sourceToolAssistantUUID) !== undefined;
  const origin = textOf(record.origin, "kind") ?? "human";
  const isTyped = !isAnswer && isMeta !== true && origin === "human" && record.promptSource !== "system";
  // A sub-agent's task comes from the agent that started it.
  if (isTyped && to.agent === undefined) takeMessage(to, { role: "user", content });
  // Earlier versions say so in a text beside the result.
  const isStopped = blocks.some((block) => textOf(block, "text")?.startsWith(STOPPED));
  if (isStopped || typeof record.interruptedMessageId === "string") to.interruption();
}

function readResult(record: JsonObject, block: unknown): CallResult {
  const output = textIn(fieldOf(block, "content")) ?? "";
  const denial = textOf(record, "toolDenialKind");
  const isStopped = denial === "interrupted" || denial === "cancelled";
  if (isStopped || asObject(record.toolUseResult)?.interrupted === true || output.startsWith(STOPPED))
    return { outcome: "interrupted", output };
  // Rules and hooks deny calls as well, which says nothing about what the user wants.
  if (/user|reject/.test(denial ?? "") || output.startsWith(REJECTED)) {
    const at = output.indexOf(SAID);
    const said = at === -1 ? undefined : output.slice(at + SAID.length);
    return { outcome: "denied", feedback: textOf(record, "userFeedback") ?? said };
  }
  const isFailed =
    denial !== undefined ||
    fieldOf(block, "is_error") === true ||
    asObject(record.toolUseResult)?.success === false;
  return { outcome: isFailed ? "failed" : "ok", output };
}

function takeAssistant(to: TranscriptBuilder, record: JsonObject): void {
  const skill = textOf(record, "attributionSkill");
  if (skill !== undefined) to.skill(skill, "model");
  // The agent's own notes about errors of the service.
  if (record.isApiErrorMessage === true || textOf(record.message, "model") === "<synthetic>") return;
  takeMessage(to, { role: "assistant", content: fieldOf(record.message, "content") });
}

function takeAttachment(to: TranscriptBuilder, { attachment }: JsonObject): void {
  if (!isJsonObject(attachment) || attachment.type !== "queued_command") return;
  const { prompt, origin, commandMode, isMeta } = attachment;
  if ((textOf(origin, "kind") ?? "human") !== "human" || isMeta === true) return;
  if (commandMode !== undefined && commandMode !== "prompt") return;
  const texts: string[] = [];
  takeParts(to, prompt, (text) => texts.push(text));
  if (to.agent === undefined) takeTyped(to, texts.join("\n\n"), { whileWorking: true });
}

function takeSystem(to: TranscriptBuilder, record: JsonObject): void {
  if (record.subtype === "compact_boundary") to.compaction();
  else if (record.subtype === "local_command") takeTyped(to, textOf(record, "content") ?? "");
}
