import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { SkilletError } from "@skillet/core";
import { readBoundedFile } from "@skillet/kit/files";
import { isJsonObject, parseJson } from "@skillet/kit/json";
import type { ModelMessage } from "ai";

/** A conversation on disk: what was said, a line for each step, so that a killed process loses the step it was in. */
export interface Transcript {
  readonly messages: readonly ModelMessage[];
  /** What people said, for a replay. */
  readonly said: readonly string[];
  /** What children said, each in its order of beginning. */
  readonly children: readonly (readonly ModelMessage[])[];
}

/** One line of the file. */
export type TranscriptLine =
  | { readonly type: "said"; readonly text: string; readonly messages: readonly ModelMessage[] }
  | { readonly type: "step"; readonly child?: number; readonly messages: readonly ModelMessage[] }
  /** Stands for everything before it. */
  | { readonly type: "compacted"; readonly messages: readonly ModelMessage[] };

const MAX_BYTES = 256 * 1024 * 1024;

/** Reads a conversation; the last line may be torn, any other that is not one is an error. */
export function readTranscript(path: string): Transcript {
  const bytes = readBoundedFile(path, { maxBytes: MAX_BYTES });
  if (bytes === undefined)
    throw new SkilletError("transcript-missing", `There is no conversation ${path}.`, { data: { path } });
  const lines = new TextDecoder().decode(bytes).split("\n");
  // After a line's end; else the process was killed while it wrote.
  lines.pop();
  let messages: ModelMessage[] = [];
  const said: string[] = [];
  const children: ModelMessage[][] = [];
  for (const [index, text] of lines.entries()) {
    const line = readLine(text);
    if (line === undefined)
      throw new SkilletError("transcript-damaged", `${path}:${index + 1} is not a line of a conversation.`, {
        data: { path, line: index + 1 },
      });
    if (line.type === "said") said.push(line.text);
    if (line.type === "step" && line.child !== undefined) {
      children[line.child - 1] = [...(children[line.child - 1] ?? []), ...line.messages];
      continue;
    }
    messages = line.type === "compacted" ? [...line.messages] : [...messages, ...line.messages];
  }
  return { messages, said, children: Array.from(children, (child) => child ?? []) };
}

function readLine(text: string): TranscriptLine | undefined {
  const line = parseJson(text);
  if (!isJsonObject(line) || !Array.isArray(line.messages) || !line.messages.every(isMessage))
    return undefined;
  const { type, child } = line;
  if (type === "said" && typeof line.text !== "string") return undefined;
  if (child !== undefined && !(Number.isSafeInteger(child) && Number(child) > 0 && Number(child) <= 10_000))
    return undefined;
  return type === "said" || type === "step" || type === "compacted"
    ? (line as unknown as TranscriptLine)
    : undefined;
}

function isMessage(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { role, content } = value;
  const isKnown = role === "user" || role === "assistant" || role === "tool";
  return isKnown && (typeof content === "string" || Array.isArray(content));
}

/** Appends lines in the order in which they were given. */
export function openTranscript(path: string | undefined): (line: TranscriptLine) => Promise<void> {
  let last: Promise<unknown> =
    path === undefined ? Promise.resolve() : mkdir(dirname(path), { recursive: true });
  return async (line) => {
    if (path === undefined) return;
    const text = `${JSON.stringify(line)}\n`;
    const written = last.then(() => appendFile(path, text, { mode: 0o600 }));
    last = written.catch(() => undefined);
    await written;
  };
}
