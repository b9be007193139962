import type { ScriptOutcome, ScriptOutputListener } from "@skillet/core";
import { type CapturedOutput, OutputCapture } from "@skillet/kit/process";
import type { Redactor } from "./create-redactor.ts";

type StreamName = Parameters<ScriptOutputListener>[0];

/** Takes secrets out first, then shows the rest to the host and keeps what fits: a secret on the edge stays out too. */
export function watchOutput(options: {
  readonly redactor: Redactor;
  readonly maxBytes: number;
  readonly onOutput?: ScriptOutputListener | undefined;
}): {
  readonly listener: ScriptOutputListener;
  finish(): Pick<ScriptOutcome, "stdout" | "stderr" | "truncated">;
} {
  const { redactor, maxBytes, onOutput } = options;
  const create = () => ({ redacted: redactor.stream(), capture: new OutputCapture(maxBytes) });
  const streams = { stdout: create(), stderr: create() };
  const pass = (name: StreamName, bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    streams[name].capture.add(bytes);
    onOutput?.(name, bytes);
  };
  const finish = (name: StreamName): CapturedOutput => {
    pass(name, streams[name].redacted.end());
    return streams[name].capture.finish();
  };
  // Once more: a secret with an escape sequence in it is one again when the sequence is gone.
  const show = (captured: CapturedOutput): string => redactor.text(showOutput(captured));
  return {
    listener: (name, bytes) => pass(name, streams[name].redacted.push(bytes)),
    finish: () => {
      const [stdout, stderr] = [finish("stdout"), finish("stderr")];
      const truncated = { stdout: stdout.omittedBytes > 0, stderr: stderr.omittedBytes > 0 };
      return { stdout: show(stdout), stderr: show(stderr), truncated };
    },
  };
}

/** Turns what was kept of a stream into text that is safe to show, with a line between head and tail where some is left out. */
export function showOutput({ head, tail, omittedBytes }: CapturedOutput): string {
  if (omittedBytes === 0) return stripTerminal(decode(Buffer.concat([head, tail])));
  // A character that was cut in two belongs to what was left out.
  const start = head.subarray(0, head.length - cutAtEnd(head));
  const end = tail.subarray(cutAtStart(tail));
  const left = omittedBytes + (head.length - start.length) + (tail.length - end.length);
  // Each for itself: a sequence that the head leaves open must not swallow the tail.
  const first = stripTerminal(decode(start));
  const gap = first === "" || first.endsWith("\n") ? "" : "\n";
  return `${first}${gap}[${left} bytes left out]\n${stripTerminal(decode(end))}`;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

const CONTINUATION = 0b1000_0000;
const MAX_CONTINUATIONS = 3;

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === CONTINUATION;
}

// How many bytes at the end begin a character without finishing it.
function cutAtEnd(bytes: Uint8Array): number {
  let count = 0;
  while (count < MAX_CONTINUATIONS && isContinuation(bytes[bytes.length - 1 - count])) count++;
  const lead = bytes[bytes.length - 1 - count] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return length > count + 1 ? count + 1 : 0;
}

function cutAtStart(bytes: Uint8Array): number {
  let count = 0;
  while (count < MAX_CONTINUATIONS && isContinuation(bytes[count])) count++;
  return count;
}

const PLAIN = /^[\x20-\x7e\t\n]*$/;
// Where something other than plain text begins: C0 but tab and line feed, DEL, C1, the two Unicode line ends.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SPECIAL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/g;

/**
 * Removes what a terminal would obey: escape sequences in their 7-bit and 8-bit forms, and control characters other than
 * tabs and line feeds; other line ends become line feeds. What would not be seen becomes a mark.
 */
export function stripTerminal(text: string): string {
  if (PLAIN.test(text)) return text;
  const parts: string[] = [];
  let position = 0;
  SPECIAL.lastIndex = 0;
  for (let found = SPECIAL.exec(text); found !== null; found = SPECIAL.exec(text)) {
    parts.push(text.slice(position, found.index));
    const { end, shown } = readSpecial(text, found.index);
    parts.push(shown);
    position = end;
    SPECIAL.lastIndex = end;
  }
  parts.push(text.slice(position));
  return markInvisible(parts.join(""));
}

const ESCAPE = "\x1b";
// Sticky, so that each looks at one place only.
const CONTROL_SEQUENCE = /[0-?]*[ -/]*[@-~]/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const STRING_CONTENT = /[^\x07\x18\x1a\x1b\n\r\x80-\x9f]*/y;
const SHORT_SEQUENCE = /[ -/]*[0-~]/y;

// Where the special character or its sequence ends, and what is shown in its place.
function readSpecial(text: string, at: number): { readonly end: number; readonly shown: string } {
  const code = text[at] ?? "";
  if (code === "\r") return { end: text[at + 1] === "\n" ? at + 2 : at + 1, shown: "\n" };
  if (code === "\u0085" || code === "\u2028" || code === "\u2029") return { end: at + 1, shown: "\n" };
  if (code !== ESCAPE) return { end: endOfKind(text, at + 1, code) ?? at + 1, shown: "" };
  const next = text[at + 1] ?? "";
  if (!/^[@-_]$/.test(next)) return { end: endOf(SHORT_SEQUENCE, text, at + 1) ?? at + 1, shown: "" };
  // ESC and a character from @ to _ are the two-byte form of a C1 code.
  const asC1 = String.fromCharCode(next.charCodeAt(0) + 0x40);
  return { end: endOfKind(text, at + 2, asC1) ?? at + 2, shown: "" };
}

// A sequence that is not finished loses its beginning only: what follows is shown, since nothing may vanish that way.
function endOfKind(text: string, at: number, code: string): number | undefined {
  if (code === "\x9b") return endOf(CONTROL_SEQUENCE, text, at);
  // DCS, SOS, OSC, PM and APC carry a string up to its terminator.
  return "\x90\x98\x9d\x9e\x9f".includes(code) ? endOfString(text, at) : undefined;
}

// Stops at whatever could begin another sequence, so that many open ones are still read only once.
function endOfString(text: string, at: number): number | undefined {
  const end = endOf(STRING_CONTENT, text, at) ?? at;
  if (text[end] === "\x07" || text[end] === "\x9c") return end + 1;
  return text[end] === ESCAPE && text[end + 1] === "\\" ? end + 2 : undefined;
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

// As on the screens of the command line: characters that turn the direction of writing or have no shape of their own
// make one text look like another, or hide one from the person who reads along with a model.
const MARK = "\uFFFD";

// Emoji and the scripts that need joiners keep them.
const JOINER = String.raw`(?<=[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}])[\u200C\u200D]`;
const EMOJI_STYLE = String.raw`(?<=\p{Emoji})[\uFE0E\uFE0F]`;
const INVISIBLE = String.raw`[\p{Default_Ignorable_Code_Point}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB]`;

// Made when first needed: Unicode properties are slow to build, and most output is plain.
let pattern: RegExp | undefined;

function markInvisible(text: string): string {
  pattern ??= new RegExp(`(?:(?!${JOINER})(?!${EMOJI_STYLE})${INVISIBLE})+`, "gu");
  return text.replace(pattern, MARK);
}
