import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError, undefinedOn } from "@skillet/kit/errors";
import { readChunks } from "@skillet/kit/files";
import { isJsonObject, type JsonObject, parseJson, present, textOf } from "@skillet/kit/json";
import { splitLines } from "@skillet/kit/lines";
import { compareByteOrder } from "@skillet/kit/order";
import { cutText, listFirst, showName } from "@skillet/kit/text";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { MARKDOWN_LINE, markdown, speakerOf } from "./markdown.ts";
import { messages, ownRun } from "./messages.ts";
import { pi } from "./pi.ts";
import { telemetry } from "./telemetry.ts";
import { type Transcript, TranscriptBuilder, type TranscriptFormat } from "./transcript.ts";
import { unpackZstd } from "./unpack-zstd.ts";

export interface ReadTranscriptOptions {
  /** Where to look for the program `zstd`, which Node.js before 22.15 needs. Default: the process's own environment. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The formats that recognise their records most reliably come first. */
const FORMATS: readonly TranscriptFormat[] = [
  ...[claudeCode, codex, pi, ownRun, telemetry, messages, markdown],
];

/** The limit for a line, and for a document that is not split into lines. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 262_144;
/** The format must be recognisable in the first records. */
const MAX_UNRECOGNISED = 50;
const MAX_SUB_AGENTS = 50;
const SUB_AGENT_SHARE = 0.05;

/**
 * Reads a finished conversation with an agent line by line, with bounds on what is kept; it detects the format.
 *
 * Sub-agents that Claude Code stores in files beside a session are read as well.
 *
 * @example
 * const { title, events } = await readTranscript("session.jsonl");
 * const corrections = events.filter((event) => event.kind === "call" && event.outcome === "denied");
 */
export async function readTranscript(
  input: string | AsyncIterable<Uint8Array>,
  options: ReadTranscriptOptions = {},
): Promise<Transcript> {
  const file = typeof input === "string" ? input : "the transcript";
  const to = new TranscriptBuilder();
  const notes = new Notes();
  const bytes = typeof input === "string" ? openFile(file, options) : input;
  const format = await readRecords(bytes, { to, notes });
  if (format === undefined) {
    const message = `Not a conversation in a format that Skillet reads: ${file}. Convert it to lines of {"role", "text"}.`;
    throw new SkilletError("transcript-unknown", message, { data: { file } });
  }
  const agents: TranscriptBuilder[] = [];
  if (typeof input === "string" && format === claudeCode.name)
    for (const path of await subAgentFiles(file)) {
      const agent = new TranscriptBuilder(SUB_AGENT_SHARE);
      agents.push(agent);
      await readRecords(openFile(path, options), { to: agent, notes });
    }
  const leftOut = [to, ...agents].reduce((sum, one) => sum + one.leftOut, 0);
  return present<Transcript>({
    format,
    id: to.id,
    title: to.shownTitle(),
    workspace: to.workspace,
    events: to.finish(agents),
    diagnostics: notes.list(file, leftOut),
  });
}

async function subAgentFiles(file: string): Promise<readonly string[]> {
  const folder = join(file.replace(/\.jsonl$/, ""), "subagents");
  const names = (await readdir(folder).catch(undefinedOn("ENOENT", "ENOTDIR"))) ?? [];
  const files = names.filter((name) => /^agent-.*\.jsonl$/.test(name)).sort(compareByteOrder);
  return files.slice(0, MAX_SUB_AGENTS).map((name) => join(folder, name));
}

async function* openFile(
  path: string,
  { environment = process.env }: ReadTranscriptOptions,
): AsyncGenerator<Uint8Array> {
  let isPacked: boolean | undefined;
  for await (const chunk of readChunks(path, CHUNK_BYTES)) {
    isPacked ??= Buffer.from(chunk.subarray(0, 4)).toString("hex") === "28b52ffd";
    if (isPacked) break;
    yield chunk;
  }
  if (isPacked === true) yield* unpackZstd(path, environment);
}

const NOTES = {
  "transcript-line-damaged": ["warning", "that are not JSON"],
  "transcript-line-too-long": ["warning", `of more than ${MAX_LINE_BYTES} bytes`],
  "transcript-line-unknown": ["info", "of unknown kinds"],
} as const;
type NoteCode = keyof typeof NOTES;

/** Counts what could not be read: a file of another kind has as many faults as lines. */
class Notes {
  readonly #found = new Map<NoteCode, { count: number; readonly examples: Set<string> }>();

  add(code: NoteCode, example: string): void {
    const note = this.#found.get(code) ?? { count: 0, examples: new Set() };
    note.count += 1;
    if (note.examples.size < 5) note.examples.add(showName(example));
    this.#found.set(code, note);
  }

  list(file: string, leftOut: number): readonly Diagnostic[] {
    const notes = Object.entries(NOTES).flatMap(([code, [severity, what]]): Diagnostic[] => {
      const { count = 0, examples = [] } = this.#found.get(code as NoteCode) ?? {};
      const message = `Lines ${what} were skipped: ${count} (${listFirst([...examples], 5)}).`;
      return count === 0 ? [] : [{ code, severity, message, file }];
    });
    const cut = `The conversation is long: ${leftOut} events in its middle were left out.`;
    return leftOut === 0 ? notes : [...notes, diagnostic("warning", "transcript-cut", file, cut)];
  }
}

/** Reads records into a builder, and returns the format that the first records show. */
async function readRecords(
  input: AsyncIterable<Uint8Array>,
  { to, notes }: { to: TranscriptBuilder; notes: Notes },
): Promise<string | undefined> {
  let format: TranscriptFormat | undefined;
  let take: ((record: JsonObject) => boolean) | undefined;
  let held: JsonObject[] = [];
  for await (const record of parseRecords(input, notes)) {
    held.push(record);
    format ??= FORMATS.find((one) => one.recognises(record));
    if (format === undefined && held.length >= MAX_UNRECOGNISED) return undefined;
    if (format === undefined) continue;
    take ??= format.open(to);
    for (const one of held)
      if (!take(one))
        notes.add("transcript-line-unknown", textOf(one, "type") ?? textOf(one, "role") ?? "no type");
    held = [];
  }
  to.atEnd?.();
  return format?.name;
}

/** Lines of JSON, one document over several lines (a list of messages, or an object that contains one), or Markdown. */
async function* parseRecords(input: AsyncIterable<Uint8Array>, notes: Notes): AsyncGenerator<JsonObject> {
  let mode: "lines" | "document" | "markdown" | undefined;
  let document = "";
  let line = 0;
  // A truncated file may begin in the middle of a line, and Markdown with a title.
  const unclear: string[] = [];
  for await (const { bytes } of splitLines(input, MAX_LINE_BYTES)) {
    line += 1;
    const { objects, text } = readLine(bytes, mode === undefined || mode === "lines");
    mode ??= modeOf(text, { isObject: objects !== undefined, line });
    if (bytes === undefined) notes.add("transcript-line-too-long", `line ${line}`);
    else if (mode === "document") {
      if (document.length < MAX_LINE_BYTES) document += `${text}\n`;
      else notes.add("transcript-line-too-long", `line ${line}`);
    } else if (mode === "markdown")
      for (const one of [...unclear.splice(0), text]) yield { type: MARKDOWN_LINE, line: one };
    else if (objects !== undefined) yield* objects;
    else if (mode === undefined && unclear.length < MAX_UNRECOGNISED) unclear.push(text);
    else if (text.trim() !== "") notes.add("transcript-line-damaged", `line ${line}`);
  }
  for (const text of unclear.filter((one) => one.trim() !== ""))
    notes.add("transcript-line-damaged", cutText(text, 20));
  const whole = parseJson(document);
  if (whole !== undefined) yield* objectsIn(whole);
  else if (document !== "") {
    notes.add("transcript-line-damaged", `the end of line ${line}`);
    yield* listedObjects(document);
  }
}

/** Recovers the complete objects in the outermost lists of a truncated document. */
function* listedObjects(text: string): Generator<JsonObject> {
  let [depth, level, start] = [0, 0, 0];
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (sign === "\\") at += 1;
    else if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if ("{[".includes(sign)) {
      if (sign === "[" && level === 0) level = depth + 1;
      if (depth === level) start = at;
      depth += 1;
    } else if ("}]".includes(sign)) {
      depth -= 1;
      if (depth === level && level > 0) yield* objectsIn(parseJson(text.slice(start, at + 1)));
      else if (depth < level) level = 0;
    }
  }
}

function readLine(
  bytes: Uint8Array | undefined,
  isJson: boolean,
): { readonly objects: readonly JsonObject[] | undefined; readonly text: string } {
  const value = isJson ? parseJson(bytes) : undefined;
  if (typeof value === "object") return { objects: objectsIn(value), text: "" };
  return { objects: undefined, text: bytes === undefined ? "" : Buffer.from(bytes).toString() };
}

function modeOf(
  text: string,
  { isObject, line }: { readonly isObject: boolean; readonly line: number },
): "lines" | "document" | "markdown" | undefined {
  if (isObject) return "lines";
  if (line === 1 && /^\s*(?:\[|\{\s*$|\{.*"messages":\s*\[)/.test(text)) return "document";
  return speakerOf(text) === undefined ? undefined : "markdown";
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isJsonObject);
}
