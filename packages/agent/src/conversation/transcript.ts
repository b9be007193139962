import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { SkilletError } from "@skillet/core";
import { makeFolders, readBoundedFile, releaseLock, tryAcquireLock } from "@skillet/kit/files";
import { cutDepth, isJsonObject, isTooDeep, parseJson, textOf } from "@skillet/kit/json";
import type { ModelMessage } from "ai";

/** A conversation on disk. Each step appends a line, so that a killed process loses only its last step. */
export interface Transcript {
  /** What the model sees next: the messages since the conversation was last compacted. */
  readonly messages: readonly ModelMessage[];
  /** The user's messages. */
  readonly said: readonly string[];
  /** Everything that the model said, for a replay. */
  readonly answers: readonly ModelMessage[];
  /** What each child said, in the order in which the children began. */
  readonly children: readonly (readonly ModelMessage[])[];
}

export type TranscriptLine =
  | { readonly type: "said"; readonly text: string; readonly messages: readonly ModelMessage[] }
  | { readonly type: "step"; readonly child?: number; readonly messages: readonly ModelMessage[] }
  /** Replaces everything before it. */
  | { readonly type: "compacted"; readonly messages: readonly ModelMessage[] };

/** A conversation that is locked for this process. */
export interface OpenTranscript {
  /** Undefined for a new conversation. */
  readonly earlier: Transcript | undefined;
  /** Appends a line; lines keep the order of the calls. */
  keep(line: TranscriptLine): Promise<void>;
  close(): Promise<void>;
}

const MAX_BYTES = 256 * 1024 * 1024;
const NEWLINE = 0x0a;
// A stranger's folder could hold a link to one of the user's files, or a named pipe that blocks.
const FLAGS =
  constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads a conversation. A torn last line is ignored; any other invalid line is an error. */
export function readTranscript(path: string): Transcript {
  const bytes = readBoundedFile(path, { maxBytes: MAX_BYTES });
  if (bytes === undefined)
    throw new SkilletError("transcript-missing", `There is no conversation ${path}.`, { data: { path } });
  return parseTranscript(bytes, path);
}

/**
 * Opens a conversation to continue it, or begins one. A second process is refused meanwhile: the two would
 * answer questions that the other never saw.
 *
 * @example
 * const transcript = await openTranscript("runs/42/conversation.jsonl");
 * const agent = await openAgent({ session, model, tools, transcript });
 */
export async function openTranscript(path: string): Promise<OpenTranscript> {
  makeFolders(dirname(path), 0o700);
  const lock = `${path}.lock`;
  const nonce = await tryAcquireLock(lock);
  if (nonce === undefined)
    throw new SkilletError(
      "conversation-in-use",
      `Another process goes on with the conversation ${path} at the moment. End it first, or begin a new conversation.`,
      { data: { path, lock } },
    );
  let handle: FileHandle | undefined;
  try {
    const file = await open(path, FLAGS, 0o600);
    handle = file;
    const bytes = readBoundedFile(path, { maxBytes: MAX_BYTES, links: "refuse" }) ?? new Uint8Array();
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    const close = async (): Promise<void> => {
      await file.close();
      await releaseLock(lock, nonce);
    };
    return {
      earlier: end === 0 ? undefined : parseTranscript(bytes, path),
      keep: appender(file, end),
      close,
    };
  } catch (error) {
    await handle?.close();
    await releaseLock(lock, nonce);
    throw error;
  }
}

/** Writes each line at its own offset, over a line that a kill or a full disk left incomplete. */
function appender(handle: FileHandle, start: number): OpenTranscript["keep"] {
  let end = start;
  let last: Promise<unknown> = Promise.resolve();
  return async (line) => {
    // A model or a server chooses how deep its values go; one unreadable line would damage the whole file.
    const bytes = Buffer.from(`${JSON.stringify(isTooDeep(line) ? cutDepth(line) : line)}\n`);
    const written = last.then(async () => {
      if (end + bytes.length > MAX_BYTES)
        throw new SkilletError(
          "conversation-too-long",
          `The conversation is longer than ${MAX_BYTES} bytes and cannot be kept any more. Begin a new one.`,
        );
      // A nearly full disk may write only a part.
      for (let done = 0; done < bytes.length; )
        done += (await handle.write(bytes, done, bytes.length - done, end + done)).bytesWritten;
      end += bytes.length;
    });
    last = written.catch(() => undefined);
    await written;
  };
}

function parseTranscript(bytes: Uint8Array, path: string): Transcript {
  const lines = new TextDecoder().decode(bytes).split("\n");
  // Empty, or the line that a killed process did not finish.
  lines.pop();
  let messages: ModelMessage[] = [];
  const said: string[] = [];
  const answers: ModelMessage[] = [];
  const children: ModelMessage[][] = [];
  for (const [index, text] of lines.entries()) {
    const line = readLine(text);
    if (line === undefined)
      throw new SkilletError("transcript-damaged", `${path}:${index + 1} is not a line of a conversation.`, {
        data: { path, line: index + 1 },
      });
    if (line.type === "said") said.push(line.text);
    if (line.type === "compacted") messages = [];
    const child = line.type === "step" && line.child !== undefined ? line.child - 1 : undefined;
    if (child !== undefined) children[child] ??= [];
    // One by one: `push(...)` would overflow the stack on a million messages.
    for (const message of line.messages) {
      (child === undefined ? messages : children[child])?.push(message);
      if (line.type === "step" && child === undefined) answers.push(message);
    }
  }
  return { messages, said, answers, children: Array.from(children, (child) => child ?? []) };
}

function readLine(text: string): TranscriptLine | undefined {
  const line = parseJson(text);
  if (!isJsonObject(line) || !Array.isArray(line.messages) || !line.messages.every(isMessage))
    return undefined;
  if (isTooDeep(line)) return undefined;
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
  const isPart = (part: unknown): boolean => textOf(part, "type") !== undefined;
  return isKnown && (typeof content === "string" || (Array.isArray(content) && content.every(isPart)));
}
