import { isUtf8 } from "node:buffer";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { checkSize } from "./check-size.ts";
import { countCharacters } from "./count-characters.ts";
import { FaultList } from "./fault-list.ts";
import { findInvalidUtf8 } from "./find-invalid-utf8.ts";
import { interpretHeader, interpretText } from "./interpret-skill.ts";
import type { Manifest } from "./manifest.ts";
import type { ParseSkillOptions } from "./parse-skill.ts";
import { findPlainFences } from "./plain-fences.ts";
import { readPlainHeader } from "./read-plain-header.ts";
import { trimBodyBytes } from "./trim-body.ts";

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
