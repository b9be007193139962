import type { ScriptOutcome, ScriptOutputListener } from "@skillet/core";
import { type CapturedOutput, OutputCapture } from "@skillet/kit/process";
import type { Redactor } from "./create-redactor.ts";

type StreamName = Parameters<ScriptOutputListener>[0];

/** Redacts before passing output on and truncating it, so that no part of a secret remains at the cut. */
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
  // Again: removing an escape sequence from the middle of a secret makes the secret whole.
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

/** Turns captured output into text that is safe to show, with a note where bytes are left out. */
export function showOutput({ head, tail, omittedBytes }: CapturedOutput): string {
  if (omittedBytes === 0) return stripTerminal(decode(Buffer.concat([head, tail])));
  // A character that was cut in two counts as left out.
  const start = head.subarray(0, head.length - cutAtEnd(head));
  const end = tail.subarray(cutAtStart(tail));
  const left = omittedBytes + (head.length - start.length) + (tail.length - end.length);
  // Separately: a sequence that the head leaves open must not swallow the tail.
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

// The number of bytes at the end that belong to an unfinished character.
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

// The first alternative that matches counts. An unfinished sequence loses only its beginning: the text after
// it is shown, since nothing may vanish that way. A string stops at any byte that could begin another
// sequence, so that many open ones are still read only once.
const SPECIAL = new RegExp(
  [
    String.raw`\r\n?|[\x85\u2028\u2029]`,
    // CSI.
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    // DCS, SOS, OSC, PM and APC carry a string up to its terminator.
    String.raw`(?:\x1b[PX\]^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x18\x1a\x1b\n\r\x80-\x9f]*(?:\x07|\x9c|\x1b\\)`,
    // Any other C1 code in its two-byte form, then short sequences.
    String.raw`\x1b[@-_]`,
    String.raw`\x1b[ -/]*[0-~]`,
    String.raw`[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]`,
  ].join("|"),
  "g",
);
const LINE_END = /^[\r\x85\u2028\u2029]/;

/**
 * Removes what a terminal would act on: escape sequences, 7-bit and 8-bit, and control characters other than
 * tabs and line feeds; other line ends become line feeds. Invisible characters become a mark.
 */
export function stripTerminal(text: string): string {
  if (PLAIN.test(text)) return text;
  return markInvisible(text.replace(SPECIAL, (found) => (LINE_END.test(found) ? "\n" : "")));
}

// As in the command line's own output: characters that change the writing direction or have no shape make one
// text look like another, or hide text from a user who reads along with a model.
const MARK = "\uFFFD";

// Emoji and scripts that need joiners keep them.
const JOINER = String.raw`(?<=[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}])[\u200C\u200D]`;
const EMOJI_STYLE = String.raw`(?<=\p{Emoji})[\uFE0E\uFE0F]`;
const INVISIBLE = String.raw`[\p{Default_Ignorable_Code_Point}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB]`;

// Compiled on first use: Unicode properties are slow to build, and most output is plain.
let pattern: RegExp | undefined;

function markInvisible(text: string): string {
  pattern ??= new RegExp(`(?:(?!${JOINER})(?!${EMOJI_STYLE})${INVISIBLE})+`, "gu");
  return text.replace(pattern, MARK);
}
