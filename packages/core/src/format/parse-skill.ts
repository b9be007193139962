import { isUtf8 } from "node:buffer";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { FaultList } from "./fault-list.ts";
import { LARGE_SKILL_BYTES, MAX_SKILL_BYTES } from "./format-limits.ts";
import { interpretText } from "./interpret-skill.ts";
import type { Manifest } from "./manifest.ts";
import { readRequirements } from "./read-manifest.ts";
import { readPlainHeader } from "./read-plain-header.ts";
import { countCharacters, findInvalidUtf8, findPlainFences } from "./skill-bytes.ts";
import { trimBody } from "./split-skill.ts";

/** How a SKILL.md is read: strictly by the specification, or leniently like any client. */
export interface ParseSkillOptions {
  /** Default: `lenient`. */
  readonly mode?: "strict" | "lenient";
  /** The name in diagnostics; default: `SKILL.md`. */
  readonly file?: string;
  /** Replaces a missing name, and is compared with a given one. */
  readonly directoryName?: string;
}

/** A parsed SKILL.md. `manifest` is absent if and only if the skill is skipped; an error then says why. */
export interface ParsedSkill {
  readonly manifest?: Manifest;
  /** Without leading blank lines and trailing white space. */
  readonly body: string;
  readonly bodyLine: number;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a SKILL.md; never throws, whatever the text.
 *
 * @example
 * const { manifest, diagnostics } = parseSkill(text, { mode: "strict", directoryName: "pdf-forms" });
 */
export function parseSkill(text: string, options: ParseSkillOptions = {}): ParsedSkill {
  const faults = new FaultList(options.file ?? "SKILL.md", options.mode ?? "lenient");
  if (!checkSize(text, faults)) return { body: "", bodyLine: 1, diagnostics: faults.finish() };
  const { manifest, body } = interpretText(text, faults, options.directoryName);
  return {
    ...(manifest !== undefined && { manifest }),
    body: text.slice(body.start, body.end),
    bodyLine: text.slice(0, body.start).split("\n").length,
    diagnostics: faults.finish(),
  };
}

export interface ParsedSkillBytes {
  readonly manifest: Manifest | undefined;
  /** The body's length in UTF-16 units, to estimate what it costs a model. */
  readonly bodyCharacters: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** Like `parseSkill`, for bytes, and without keeping the body in memory. */
export function parseSkillBytes(bytes: Uint8Array, options: ParseSkillOptions = {}): ParsedSkillBytes {
  const faults = new FaultList(options.file ?? "SKILL.md", options.mode ?? "lenient");
  if (!checkSize(bytes, faults) || !checkEncoding(bytes, faults))
    return { manifest: undefined, bodyCharacters: 0, diagnostics: faults.finish() };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const { manifest, body } = interpretText(text, faults, options.directoryName);
  return { manifest, bodyCharacters: body.end - body.start, diagnostics: faults.finish() };
}

/** The facts of a skill that discovery needs immediately. */
export interface SkimmedSkill extends Pick<Manifest, "name" | "gating"> {
  readonly bodyCharacters: number;
  /** Size of the header with both fences, which alone yields the same manifest and diagnostics. */
  readonly headerBytes: number;
}

/** Undefined if the header is not plain, or if body or size matter: such a file must be parsed fully. */
export function skimSkillBytes(bytes: Buffer, directoryName: string): SkimmedSkill | undefined {
  if (bytes.length > LARGE_SKILL_BYTES || !isUtf8(bytes)) return undefined;
  const fences = findPlainFences(bytes);
  const header = fences && readPlainHeader(bytes.toString("utf8", fences.headerStart, fences.headerEnd));
  const skimmed = header && readRequirements(header, directoryName);
  if (fences === undefined || skimmed === undefined) return undefined;
  const { start, end } = trimBody(fences.bodyStart, bytes.length, (at) => bytes[at] ?? 0);
  return {
    name: skimmed.name,
    gating: skimmed.gating,
    bodyCharacters: countCharacters(bytes, start, end),
    headerBytes: fences.bodyStart,
  };
}

function checkEncoding(bytes: Uint8Array, faults: FaultList): boolean {
  if (isUtf8(bytes)) return true;
  const { line, column } = findInvalidUtf8(bytes);
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const message = `The file is ${isUtf16 ? "UTF-16" : "not valid UTF-8"}.`;
  faults.add({ code: "not-utf8", severity: "error", message, hint: "Save it as UTF-8." }, line, column);
  return false;
}

function checkSize(content: string | Uint8Array, faults: FaultList): boolean {
  // A UTF-16 unit has at most three bytes, so most texts need not be measured.
  if (content.length * 3 <= LARGE_SKILL_BYTES) return true;
  const bytes = typeof content === "string" ? Buffer.byteLength(content) : content.length;
  if (bytes > MAX_SKILL_BYTES) {
    const message = `The file has ${bytes} bytes; at most ${MAX_SKILL_BYTES} are read.`;
    const hint = "Move most of it to files below references/.";
    faults.add({ code: "skill-too-large", severity: "error", message, hint }, 1, 1);
    return false;
  }
  if (bytes > LARGE_SKILL_BYTES) {
    const message = `The file has ${bytes} bytes; some clients refuse more than ${LARGE_SKILL_BYTES}.`;
    const hint = "Move parts of it to files below references/.";
    faults.add({ code: "file-large", severity: "warning", message, hint }, 1, 1);
  }
  return true;
}
