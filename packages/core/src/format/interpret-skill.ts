import { checkSpecification } from "./check-specification.ts";
import { describeBody } from "./describe-body.ts";
import type { FaultList } from "./fault-list.ts";
import { findHeaderEnd } from "./find-header-end.ts";
import { MAX_HEADER_CHARACTERS } from "./format-limits.ts";
import { reportHeaderFault, reportNotes } from "./header-faults.ts";
import type { Manifest } from "./manifest.ts";
import { normaliseManifest } from "./normalise-manifest.ts";
import type { RawHeader } from "./raw-header.ts";
import { readHeader } from "./read-header.ts";
import { isHeaderFault } from "./read-yaml-header.ts";
import { salvageHeader } from "./salvage-header.ts";
import { closeEarlier, type SkillParts, splitSkill } from "./split-skill.ts";
import { type BodyRange, trimBodyText } from "./trim-body.ts";

/** What a whole text says; a skill that is skipped has no manifest, and an error among the faults. */
export interface Interpretation {
  readonly manifest: Manifest | undefined;
  readonly body: BodyRange;
}

/** Reads a whole SKILL.md, with every repair that the mode allows. */
export function interpretText(
  text: string,
  faults: FaultList,
  directoryName: string | undefined,
): Interpretation {
  const parts = splitSkill(text, faults);
  if (parts === undefined) return { manifest: undefined, body: trimBodyText(text, 0) };
  if (parts.header === undefined) return interpretHeadless(text, faults, directoryName);
  const { header, body } = readParts(text, parts, faults);
  if (header === "none") return interpretHeadless(text, faults, directoryName);
  if (header === undefined) return { manifest: undefined, body };
  return {
    manifest: interpretHeader(header, faults, directoryName, () => text.slice(body.start, body.end)),
    body,
  };
}

/** Turns a header that could be read into a manifest, or into undefined if there is an error. */
export function interpretHeader(
  header: RawHeader,
  faults: FaultList,
  directoryName: string | undefined,
  readBody: () => string,
): Manifest | undefined {
  if (header.notes.length > 0) reportNotes(header, faults);
  if (faults.mode === "strict") checkSpecification(header, faults);
  const context = { faults, directoryName, describeBody: () => describeBody(readBody()) };
  const manifest = normaliseManifest(header, context);
  return faults.hasErrors ? undefined : manifest;
}

interface ReadParts {
  /** Undefined if it cannot be read, and none if what stands between the fences is no header. */
  readonly header: RawHeader | "none" | undefined;
  readonly body: BodyRange;
}

function readParts(text: string, parts: SkillParts, faults: FaultList): ReadParts {
  faults.header = parts.header ?? "";
  faults.headerLine = parts.headerLine;
  if (faults.header.length > MAX_HEADER_CHARACTERS) {
    const earlier = faults.mode === "lenient" ? readEarlier(text, parts, faults) : undefined;
    if (earlier === undefined) faults.add(HEADER_TOO_LARGE, parts.headerLine, 1);
    return earlier ?? { header: undefined, body: parts.body };
  }
  const read = readHeader(faults.header, faults.mode);
  if (!isHeaderFault(read)) return { header: read, body: parts.body };
  const isRescuable = faults.mode === "lenient" && read.kind !== "refused";
  const rescued = isRescuable ? (readEarlier(text, parts, faults) ?? salvage(text, parts)) : undefined;
  if (rescued === undefined) reportHeaderFault(read, faults);
  return rescued ?? { header: undefined, body: parts.body };
}

/** A ruler of the body may have passed for the closing fence. */
function readEarlier(text: string, parts: SkillParts, faults: FaultList): ReadParts | undefined {
  const earlier = closeEarlier(text, parts);
  if (earlier?.header === undefined || earlier.header.length > MAX_HEADER_CHARACTERS) return undefined;
  const read = readHeader(earlier.header, "lenient");
  if (isHeaderFault(read)) return undefined;
  faults.header = earlier.header;
  faults.add(UNCLOSED, parts.headerLine - 1, 1);
  return { header: read, body: earlier.body };
}

function salvage(text: string, parts: SkillParts): ReadParts | undefined {
  const salvaged = salvageHeader(parts.header ?? "");
  if (salvaged !== undefined) return { header: salvaged, body: parts.body };
  // Without a key at its beginning, it is prose between two rulers.
  return findHeaderEnd(text, parts.start) === undefined ? { header: "none", body: parts.body } : undefined;
}

/** Heading and first paragraph stand in for a header that is not there. */
function interpretHeadless(
  text: string,
  faults: FaultList,
  directoryName: string | undefined,
): Interpretation {
  const body = trimBodyText(text, text.startsWith("\uFEFF") ? 1 : 0);
  const described = describeBody(text.slice(body.start, body.end));
  const description = described.paragraph ?? described.heading;
  faults.header = "";
  faults.headerLine = 1;
  if (faults.mode === "strict" || description === undefined) {
    faults.add({ ...MISSING_FRONTMATTER, severity: "error" }, 1, 1);
    return { manifest: undefined, body };
  }
  faults.add({ ...MISSING_FRONTMATTER, severity: "warning" }, 1, 1);
  const header: RawHeader =
    directoryName === undefined
      ? { keys: ["description"], values: [description], notes: [] }
      : { keys: ["name", "description"], values: [directoryName, description], notes: [] };
  const manifest = normaliseManifest(header, { faults, directoryName, describeBody: () => described });
  return { manifest: faults.hasErrors ? undefined : manifest, body };
}

const HEADER_TOO_LARGE = {
  code: "header-too-large",
  severity: "error",
  message: `The header has more than ${MAX_HEADER_CHARACTERS} characters.`,
  hint: "Keep name and description in the header, and move the rest to files of their own.",
} as const;
const UNCLOSED = {
  code: "unclosed-frontmatter",
  severity: "warning",
  message: "The frontmatter is not closed; the next --- is a ruler further down.",
  hint: "Add a line of exactly --- behind the last key.",
} as const;
const MISSING_FRONTMATTER = {
  code: "missing-frontmatter",
  message: "The file does not begin with frontmatter; only its heading and first paragraph describe it.",
  hint: "Begin the file with --- and lines for name and description, and close them with ---.",
} as const;
