import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { editFrontmatter, type FrontmatterEdit } from "./edit-frontmatter.ts";
import { FaultList } from "./fault-list.ts";
import { MAX_HEADER_CHARACTERS } from "./format-limits.ts";
import { reportNotes } from "./header-faults.ts";
import { planEdits } from "./plan-edits.ts";
import { quoteScalars } from "./quote-scalars.ts";
import type { RawHeader } from "./raw-header.ts";
import { reportScalar } from "./read-identity.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { type ReadableHeader, repairHeader } from "./repair-header.ts";
import { type SkillParts, splitSkill } from "./split-skill.ts";

/** A text with its safe repairs made, and what each of them was for. */
export interface RepairedSkill {
  readonly text: string;
  readonly applied: readonly Diagnostic[];
}

// Valid as it is, or not to be moved without asking the author.
const LEFT_ALONE: ReadonlySet<string> = new Set(["crlf-line-ends", "leading-comment"]);

/**
 * Makes in a SKILL.md the repairs that lenient loading makes in memory, so that every client reads what we read.
 *
 * Fences, quotes, tabs and the form of standard fields are put right; nothing is changed that alters what the skill
 * says. Doing it twice is the same as doing it once.
 *
 * @example
 * const { text, applied } = repairSkill("---\nname: pdf\ndescription: Use this: for forms\n---\n");
 */
export function repairSkill(
  text: string,
  options: { readonly file?: string; readonly directoryName?: string } = {},
): RepairedSkill {
  const faults = new FaultList(options.file ?? "SKILL.md", "lenient");
  const parts = splitSkill(text, faults);
  const header = parts?.header === undefined ? undefined : readableHeader(parts.header);
  if (parts === undefined || header === undefined) return { text, applied: [] };
  faults.header = header.text;
  faults.headerLine = parts.headerLine;
  reportNotes({ keys: [], values: [], notes: header.notes }, faults);
  const fenced = replaceFences(text, parts, header.text);
  const repaired = editFields(fenced, header.header, faults, options.directoryName);
  return { text: repaired, applied: faults.finish().filter(({ code }) => !LEFT_ALONE.has(code)) };
}

/** A header that is YAML, or that a repair makes so. */
function readableHeader(text: string): ReadableHeader | undefined {
  if (text.length > MAX_HEADER_CHARACTERS) return undefined;
  const header = readYamlHeader(text);
  if (!isHeaderFault(header)) return { text, notes: [], header };
  return header.kind === "invalid" ? repairHeader(text) : undefined;
}

/** Sets a header between two plain fences; line ends, a comment before them and everything behind them stay. */
function replaceFences(text: string, parts: SkillParts, header: string): string {
  const leading = text.slice(0, parts.fence).replace(/^\uFEFF/, "");
  const opening = text.slice(parts.fence, parts.start);
  const raw = text.slice(parts.start, parts.end);
  const closing = text.slice(parts.end, parts.rest);
  const rest = text.slice(parts.rest);
  const lineEnd = /\r\n/.exec(opening + raw)?.[0] ?? "\n";
  const isSame = header === parts.header && (raw === "" || raw.endsWith("\n"));
  return [
    leading.includes("<!--") ? leading : "",
    plainFence(opening, lineEnd),
    isSame ? raw : header.replaceAll("\n", lineEnd),
    closing !== "" && rest === "" && !closing.endsWith("\n") ? "---" : plainFence(closing, lineEnd),
    rest,
  ].join("");
}

/** A fence line with the line end that it had. */
function plainFence(line: string, lineEnd: string): string {
  return `---${/\r?\n$/.exec(line)?.[0] ?? lineEnd}`;
}

/** Brings standard fields into the form the specification has for them. */
function editFields(
  text: string,
  header: RawHeader,
  faults: FaultList,
  directoryName: string | undefined,
): string {
  // Of two values one is lost, and only the author knows which one was meant.
  if (header.notes.some(({ code }) => code === "duplicate-key")) return text;
  const scalars = quoteScalars(text);
  for (const { path, value } of scalars.quoted) reportScalar(path.join("."), value, faults);
  let edited = scalars.text;
  for (const { edit, report } of planEdits(header, directoryName)) {
    const next = tryEdit(edited, edit);
    if (next === undefined) continue;
    edited = next;
    report(faults);
  }
  return edited;
}

function tryEdit(text: string, edit: FrontmatterEdit): string | undefined {
  try {
    return editFrontmatter(text, [edit]);
  } catch (error) {
    // A header that is too strange to be edited safely is left as it is.
    if (SkilletError.isInstance(error) && error.code === "frontmatter-not-editable") return undefined;
    throw error;
  }
}
