import { isJsonObject, textOf } from "@skillet/kit/json";
import { takeMessage, takeTyped } from "./messages.ts";
import type { TranscriptFormat } from "./transcript.ts";

/** The conversation of a run of `skillet agent`: a line for each step. */
export const ownRun: TranscriptFormat = {
  name: "skillet",
  recognises: ({ type, messages }) =>
    ["said", "step", "compacted"].includes(String(type)) && Array.isArray(messages),
  open: (to) => (record) => {
    const { type, child, messages } = record;
    if (!Array.isArray(messages)) return false;
    to.agent = typeof child === "number" ? `child ${child}` : undefined;
    // What it stands for is in the lines before it.
    if (type === "compacted") to.compaction();
    else if (type === "said") takeTyped(to, textOf(record, "text") ?? "");
    // A child's task comes from the agent that started it, and skills are given as messages of the user.
    else for (const one of messages) if (isJsonObject(one) && one.role !== "user") takeMessage(to, one);
    return true;
  },
};
