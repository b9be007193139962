import { type MarkdownBlock, markdownBlocks } from "@skillet/kit/markdown";
import { cutText } from "@skillet/kit/text";
import type { FaultList } from "./fault-list.ts";
import { MAX_HEADER_CHARACTERS } from "./format-limits.ts";
import type { Manifest } from "./manifest.ts";
import type { HeaderNote, RawHeader, RawValue } from "./raw-header.ts";
import { readHeader, reportHeaderFault, reportNotes } from "./read-header.ts";
import { type BodyDescription, checkSpecification, readManifest } from "./read-manifest.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { repairLines } from "./repair-header.ts";
import {
  type BodyRange,
  closeEarlier,
  detachText,
  findHeaderEnd,
  type SkillParts,
  splitSkill,
  trimBodyText,
} from "./split-skill.ts";

interface Interpretation {
  readonly manifest: Manifest | undefined;
  readonly body: BodyRange;
}

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
  if (header.notes.length > 0) reportNotes(header.notes, faults);
  if (faults.mode === "strict") checkSpecification(header, faults);
  const describe = (): BodyDescription => describeBody(text.slice(body.start, body.end));
  const manifest = readManifest(header, { faults, directoryName, describeBody: describe });
  return { manifest: faults.hasErrors ? undefined : manifest, body };
}

interface ReadParts {
  /** Undefined if it is unreadable; "none" if the text between the fences is not a header. */
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

/** A horizontal rule of the body may have been taken for the closing fence. */
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
  // If the text does not begin with a key, it is prose between two horizontal rules.
  return findHeaderEnd(text, parts.start) === undefined ? { header: "none", body: parts.body } : undefined;
}

/** Uses the heading and the first paragraph instead of the missing header. */
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
  const isLost = faults.mode === "strict" || description === undefined;
  const left = description === undefined ? "nothing else" : "its heading and first paragraph alone";
  const message = `The file does not begin with frontmatter; it is described by ${left}.`;
  faults.add({ ...MISSING_FRONTMATTER, message, severity: isLost ? "error" : "warning" }, 1, 1);
  if (isLost) return { manifest: undefined, body };
  const values = new Map<string, RawValue>([["description", description]]);
  if (directoryName !== undefined) values.set("name", directoryName);
  if (described.heading !== undefined) values.set("display-name", described.heading);
  const header: RawHeader = { values, notes: [] };
  const manifest = readManifest(header, { faults, directoryName, describeBody: () => described });
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
  hint: "Add a line of exactly --- after the last key.",
} as const;
const MISSING_FRONTMATTER = {
  code: "missing-frontmatter",
  hint: "Begin the file with --- and lines for name and description, and close them with ---.",
} as const;

// Each block is parsed separately, some of them twice; a header has a few dozen keys at most.
const MAX_BLOCKS = 256;

const KEY_LINE = /^([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:(?:[ \t]+|$)/;

/** Undefined without a name or a description, or with hundreds of keys: that is hardly a header. */
function salvageHeader(text: string): RawHeader | undefined {
  const entries = new Map<string, RawValue>();
  const notes: HeaderNote[] = [];
  const blocks = splitBlocks(text);
  if (blocks.length > MAX_BLOCKS) return undefined;
  for (const block of blocks) {
    const value = readBlock(block, notes);
    if (value !== undefined && block.key !== undefined) entries.set(block.key, value);
  }
  if (!entries.has("name") && !entries.has("description")) return undefined;
  return { values: entries, notes };
}

interface Block {
  readonly key: string | undefined;
  readonly line: number;
  readonly lines: string[];
}

function splitBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (/^(?:[ \t\r]*$|[ \t]*#)/.test(line)) continue;
    const key = KEY_LINE.exec(line)?.[1];
    const last = blocks.at(-1);
    if (key === undefined && last?.key !== undefined && /^(?:[ \t]|- )/.test(line)) last.lines.push(line);
    else blocks.push({ key, line: index + 1, lines: [line] });
  }
  return blocks;
}

function readBlock(block: Block, notes: HeaderNote[]): RawValue | undefined {
  const { key, line } = block;
  if (key !== undefined) {
    const text = `${block.lines.join("\n")}\n`;
    const read = readYamlHeader(text);
    if (!isHeaderFault(read)) return first(read);
    const repaired = read.kind === "invalid" ? repairLines(text) : undefined;
    const again = repaired && readYamlHeader(repaired.text);
    if (again !== undefined && !isHeaderFault(again)) {
      notes.push({ code: "unquoted-value", line, column: 1 });
      return first(again);
    }
  }
  notes.push({ code: "line-ignored", line, column: 1 });
  return undefined;
}

function first(header: RawHeader): RawValue | undefined {
  return [...header.values.values()][0];
}

// A description is at most 1024 characters; the rest of a longer paragraph is not needed.
const MAX_PARAGRAPH_CHARACTERS = 1024;
// Heading and first paragraph are near the start.
const MAX_DESCRIBED_CHARACTERS = 64 * 1024;

/** The heading and the first paragraph, which may be a list or a quote; markup only if there is no text. */
export function describeBody(body: string): BodyDescription {
  const blocks = markdownBlocks(body.slice(0, MAX_DESCRIBED_CHARACTERS), { asRendered: true });
  const prose = blocks.filter(({ kind }) => kind === "paragraph");
  const [first = blocks.find(({ kind, text }) => kind === "html" && !text.startsWith("<!--"))] = prose;
  // A whole list counts as one paragraph.
  const isPart = ({ group }: MarkdownBlock): boolean => group !== 0 && group === first?.group;
  const shown = first === undefined ? [] : [first, ...prose.slice(1).filter(isPart)];
  const heading = oneLine(blocks.filter(({ kind }) => kind === "heading").slice(0, 1));
  const paragraph = oneLine(shown);
  return { ...(heading !== "" && { heading }), ...(paragraph !== "" && { paragraph }) };
}

function oneLine(blocks: readonly MarkdownBlock[]): string {
  const text = blocks.map((block) => block.text).join(" ");
  return detachText(cutText(text.replace(/\s+/g, " ").trim(), MAX_PARAGRAPH_CHARACTERS));
}
