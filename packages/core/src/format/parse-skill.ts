import { isUtf8 } from "node:buffer";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { FaultList } from "./fault-list.ts";
import { LARGE_SKILL_BYTES, MAX_SKILL_BYTES } from "./format-limits.ts";
import { interpretHeader, interpretText } from "./interpret-skill.ts";
import type { Manifest } from "./manifest.ts";
import { readPlainHeader } from "./read-plain-header.ts";
import { countCharacters, findPlainFences } from "./skim-skill-bytes.ts";
import { trimBodyBytes } from "./split-skill.ts";

/** How a SKILL.md is read: by what the specification allows, or by what any client loads. */
export interface ParseSkillOptions {
  /** `lenient` unless given. */
  readonly mode?: "strict" | "lenient";
  /** Named in diagnostics; `SKILL.md` unless given. */
  readonly file?: string;
  /** The folder's name, which stands in for a missing name and is compared with a given one. */
  readonly directoryName?: string;
}

/** What a SKILL.md says; `manifest` is absent exactly when the skill is skipped, and then an error says why. */
export interface ParsedSkill {
  readonly manifest?: Manifest;
  /** Without blank lines before it and white space behind it. */
  readonly body: string;
  /** The line of the file on which the body begins. */
  readonly bodyLine: number;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a SKILL.md; it never throws, whatever the text.
 *
 * @example
 * const { manifest, diagnostics } = parseSkill(text, { mode: "strict", directoryName: "pdf-forms" });
 */
export function parseSkill(text: string, options: ParseSkillOptions = {}): ParsedSkill {
  const faults = new FaultList(options.file ?? "SKILL.md", options.mode ?? "lenient");
  if (!checkSize(text, faults)) return { body: "", bodyLine: 1, diagnostics: faults.finish() };
  const { manifest, body } = interpretText(text, faults, options.directoryName);
  const rest = {
    body: text.slice(body.start, body.end),
    bodyLine: lineAt(text, body.start),
    diagnostics: faults.finish(),
  };
  return manifest === undefined ? rest : { manifest, ...rest };
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** What discovery keeps of a SKILL.md: everything but the body. */
export interface ParsedSkillBytes {
  readonly manifest?: Manifest;
  /** The length of the body in UTF-16 units, for estimates of what it costs a model. */
  readonly bodyCharacters: number;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a SKILL.md from its bytes, with the same manifest and diagnostics as `parseSkill`.
 *
 * It is made for thousands of files at once: only the header is decoded, and nothing keeps the body alive.
 */
export function parseSkillBytes(bytes: Uint8Array, options: ParseSkillOptions = {}): ParsedSkillBytes {
  const faults = new FaultList(options.file ?? "SKILL.md", options.mode ?? "lenient");
  if (!checkSize(bytes, faults)) return finish(undefined, 0, faults);
  if (!isUtf8(bytes)) {
    reportEncoding(bytes, faults);
    return finish(undefined, 0, faults);
  }
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (
    parsePlain(buffer, faults, options.directoryName) ?? parseWhole(buffer, faults, options.directoryName)
  );
}

function finish(manifest: Manifest | undefined, bodyCharacters: number, faults: FaultList): ParsedSkillBytes {
  const diagnostics = faults.finish();
  return manifest === undefined ? { bodyCharacters, diagnostics } : { manifest, bodyCharacters, diagnostics };
}

/** Reads a file with plain fences and a plain header; undefined for any other. */
function parsePlain(
  bytes: Buffer,
  faults: FaultList,
  directoryName: string | undefined,
): ParsedSkillBytes | undefined {
  const fences = faults.mode === "strict" ? undefined : findPlainFences(bytes);
  if (fences === undefined) return undefined;
  const header = bytes.toString("utf8", fences.headerStart, fences.headerEnd);
  const raw = readPlainHeader(header);
  if (raw === undefined) return undefined;
  faults.header = header;
  faults.headerLine = 2;
  const body = trimBodyBytes(bytes, fences.bodyStart);
  const manifest = interpretHeader(raw, faults, directoryName, () =>
    bytes.toString("utf8", body.start, body.end),
  );
  return finish(manifest, countCharacters(bytes, body.start, body.end), faults);
}

function parseWhole(bytes: Buffer, faults: FaultList, directoryName: string | undefined): ParsedSkillBytes {
  const { manifest, body } = interpretText(bytes.toString("utf8"), faults, directoryName);
  return finish(manifest, body.end - body.start, faults);
}

function reportEncoding(bytes: Uint8Array, faults: FaultList): void {
  const { line, column } = findInvalidUtf8(bytes);
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  faults.add(
    {
      code: "not-utf8",
      severity: "error",
      message: `The file is ${isUtf16 ? "UTF-16" : "not valid UTF-8"}.`,
      hint: "Save it as UTF-8.",
    },
    line,
    column,
  );
}

function checkSize(content: string | Uint8Array, faults: FaultList): boolean {
  // A UTF-16 unit has at most three bytes, so most texts need not be measured.
  if (content.length * 3 <= LARGE_SKILL_BYTES) return true;
  const bytes = typeof content === "string" ? Buffer.byteLength(content) : content.length;
  if (bytes > MAX_SKILL_BYTES) {
    faults.add(
      {
        code: "skill-too-large",
        severity: "error",
        message: `The file has ${bytes} bytes; at most ${MAX_SKILL_BYTES} are read.`,
        hint: "Move most of it to files below references/.",
      },
      1,
      1,
    );
    return false;
  }
  if (bytes > LARGE_SKILL_BYTES) {
    faults.add(
      {
        code: "file-large",
        severity: "warning",
        message: `The file has ${bytes} bytes; some clients refuse more than ${LARGE_SKILL_BYTES}.`,
        hint: "Move parts of it to files below references/.",
      },
      1,
      1,
    );
  }
  return true;
}

export function findInvalidUtf8(bytes: Uint8Array): { readonly line: number; readonly column: number } {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(0x0a, start);
    const stop = newline === -1 ? bytes.length : newline;
    const content = bytes.subarray(start, stop);
    if (!isUtf8(content)) return { line, column: columnIn(content) };
    start = stop + 1;
  }
  return { line, column: 1 };
}

function columnIn(line: Uint8Array): number {
  let valid = 0;
  let invalid = line.length;
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (validLength(line, middle) >= middle - 3) valid = middle;
    else invalid = middle;
  }
  return Buffer.from(line.subarray(0, validLength(line, valid))).toString("utf8").length + 1;
}

/** The length of the longest valid beginning of a prefix; a sequence of up to four bytes may be cut off at its end. */
function validLength(line: Uint8Array, length: number): number {
  for (let end = length; end >= Math.max(0, length - 3); end -= 1)
    if (isUtf8(line.subarray(0, end))) return end;
  return -1;
}
