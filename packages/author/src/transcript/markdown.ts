import { textOf } from "@skillet/kit/json";
import { takeTyped } from "./messages.ts";
import type { TranscriptFormat } from "./transcript.ts";

/** The record type that wraps lines that are not JSON. */
export const MARKDOWN_LINE = "markdown-line";

const SPEAKER =
  /^\s{0,3}(?:#{1,6}\s+|\*{2}|_{2})?(?:[^\w\s*#]{1,4}\s*)?(user|human|you|me|person|assistant|agent|ai|model|claude|codex|chatgpt|gpt|gemini|copilot)\b\s*(?:\([^)]{0,60}\))?\s*(:)?\s*(?:\*{2}|_{2})?\s*(:)?(.*)$/i;
const PERSON = /^(?:user|human|you|me|person)$/i;
const FENCE = /^\s{0,3}(`{3,}|~{3,})\s*([\w+-]*)/;
const SHELL = /^(?:sh|bash|shell|zsh|console|shell-session|terminal)$/i;
const OUTPUT = /^(?:|text|txt|output|log|plaintext)$/i;
const MAX_PART_LINES = 5_000;

/** A heading (`## User`) or a label (`**User:**`, `User:`) that names the speaker, and the rest of its line. */
export function speakerOf(line: string): { readonly isPerson: boolean; readonly rest: string } | undefined {
  const [, name, inner, outer, rest = ""] = SPEAKER.exec(line) ?? [];
  if (name === undefined) return undefined;
  const isLabel = inner !== undefined || outer !== undefined;
  // `# User guide` and "You can …" are ordinary text.
  if (!isLabel && (!/^\s{0,3}(?:#|\*\*|__)/.test(line) || rest.trim() !== "")) return undefined;
  return { isPerson: PERSON.test(name), rest };
}

/** A conversation that was exported as Markdown; the agent's blocks of shell code count as commands that it ran. */
export const markdown: TranscriptFormat = {
  name: "markdown",
  recognises: ({ type }) => type === MARKDOWN_LINE,
  open: (to) => {
    let isPerson: boolean | undefined;
    let lines: string[] = [];
    let fence: { readonly mark: string; readonly info: string; readonly lines: string[] } | undefined;
    let calls = 0;
    let isAnswered = true;
    const flush = (): void => {
      const text = lines.join("\n");
      lines = [];
      if (isPerson === true) takeTyped(to, text);
      else if (isPerson === false) to.said(text);
    };
    const endFence = (): void => {
      if (fence === undefined) return;
      const { info } = fence;
      const text = fence.lines.join("\n");
      fence = undefined;
      if (SHELL.test(info)) {
        flush();
        calls += 1;
        isAnswered = false;
        to.call(`${calls}`, "Bash", { command: text.replaceAll(/^\s*[$>] /gm, "") }, { outcome: "ok" });
      } else if (OUTPUT.test(info) && !isAnswered) {
        isAnswered = true;
        to.result(`${calls}`, { outcome: FAILED.test(text) ? "failed" : "ok", output: text });
      } else lines.push(text);
    };
    const take = (line: string): void => {
      const mark = FENCE.exec(line);
      if (fence !== undefined) {
        if (mark?.[1]?.startsWith(fence.mark) && mark[2] === "") endFence();
        else if (fence.lines.length < MAX_PART_LINES) fence.lines.push(line);
        return;
      }
      const speaker = speakerOf(line);
      if (speaker !== undefined) {
        flush();
        isPerson = speaker.isPerson;
        lines.push(speaker.rest);
      } else if (mark?.[1] !== undefined && isPerson === false)
        fence = { mark: mark[1], info: mark[2] ?? "", lines: [] };
      else if (/^# /.test(line) && isPerson === undefined) to.title ??= line.slice(2).trim();
      else if (lines.length < MAX_PART_LINES) lines.push(line);
    };
    to.atEnd = () => {
      endFence();
      flush();
    };
    return (record) => {
      take(textOf(record, "line") ?? "");
      return true;
    };
  },
};

const FAILED =
  /\b(?:exit(?:ed)?(?: with)?(?: status| code)?:? [1-9]|command not found|error:|fatal:|traceback)/i;
