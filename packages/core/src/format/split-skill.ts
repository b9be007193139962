import type { FaultList } from "./fault-list.ts";

export interface SkillParts {
  /** The offsets of the opening fence, the header, the closing fence and the text after it. */
  readonly fence: number;
  readonly start: number;
  readonly end: number;
  readonly rest: number;
  /** With LF line ends, also at its end; undefined without frontmatter. */
  readonly header: string | undefined;
  readonly headerLine: number;
  readonly body: BodyRange;
}

/** Undefined after a fault that prevents loading; a language after the fence is never evaluated. */
export function splitSkill(text: string, faults: FaultList): SkillParts | undefined {
  const opening = findOpening(text, faults.mode);
  if (opening === undefined) return splitUnopened(text, faults);
  if (opening.tag !== "") {
    faults.add(opening.tag.includes(":") ? TEXT_ON_FENCE : LANGUAGE, opening.line, 1);
    return undefined;
  }
  const closing = findClosing(text, opening);
  if (closing === undefined) return splitUnclosed(text, opening, faults);
  reportOpening(text, opening, faults);
  if (closing.spaces) faults.add(FENCE_SPACES, countLines(text, closing.start) + 1, 4);
  return cut(text, opening, closing.start, closing.next, faults);
}

interface Opening {
  readonly start: number;
  readonly line: number;
  readonly next: number;
  readonly dashes: number;
  readonly spaces: boolean;
  readonly tag: string;
}

function findOpening(text: string, mode: "strict" | "lenient"): Opening | undefined {
  const start = skipLeading(text);
  if (!text.startsWith("---", start)) return undefined;
  const stop = lineEnd(text, start);
  const line = text.slice(start, stop);
  const trimmed = line.trimEnd();
  let dashes = 3;
  while (trimmed[dashes] === "-") dashes += 1;
  const tag = trimmed.slice(dashes).trim();
  return {
    start,
    line: countLines(text, start) + 1,
    next: Math.min(stop + 1, text.length),
    dashes,
    spaces: line.replace(/\r$/, "") !== "-".repeat(dashes),
    // Both `yaml` and a comment after the fence still mean plain YAML.
    tag: mode === "lenient" && /^(?:ya?ml$|#)/i.test(tag) ? "" : tag,
  };
}

/** The start of the first line after a byte order mark, blank lines and HTML comments. */
function skipLeading(text: string): number {
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  for (;;) {
    const lineStart = at;
    while (at < text.length && /[ \t\r\n]/.test(text[at] ?? "")) at += 1;
    if (!text.startsWith("<!--", at)) return Math.max(lineStart, text.lastIndexOf("\n", at - 1) + 1);
    const end = text.indexOf("-->", at + 4);
    if (end === -1) return lineStart;
    at = end + 3;
  }
}

interface Closing {
  readonly start: number;
  readonly next: number;
  readonly spaces: boolean;
}

/** The first line that is only a fence; inside a value it would be indented or have text around it. */
function findClosing(text: string, opening: Opening): Closing | undefined {
  let newline = opening.next - 1;
  while (newline !== -1 && newline < text.length) {
    const start = newline + 1;
    const stop = lineEnd(text, start);
    const line = text.slice(start, stop).trimEnd();
    if (line === "---" || (opening.dashes > 3 && /^-{3,}$/.test(line))) {
      const spaces = stop - start > line.length + (text[stop - 1] === "\r" ? 1 : 0);
      return { start, next: Math.min(stop + 1, text.length), spaces };
    }
    newline = text.indexOf("\n---", stop);
  }
  return undefined;
}

/** The parts if the header ends at its first blank line, with nothing but keys before it. */
export function closeEarlier(text: string, parts: SkillParts): SkillParts | undefined {
  const end = findHeaderEnd(text, parts.start);
  if (
    end === undefined ||
    end.header >= parts.end ||
    !/^(?:#.*\n)*[ \t]*\r?\n/.test(text.slice(end.header, parts.end))
  )
    return undefined;
  const header = detachText(text.slice(parts.start, end.header).replaceAll("\r\n", "\n"));
  return { ...parts, end: end.header, rest: end.body, header, body: trimBodyText(text, end.body) };
}

function cut(text: string, opening: Opening, end: number, next: number, faults: FaultList): SkillParts {
  const header = detachText(text.slice(opening.next, end));
  const hasCrlf = header.includes("\r\n") || text[opening.next - 2] === "\r";
  if (hasCrlf) faults.add(CRLF, opening.line, 1);
  const unified = hasCrlf ? header.replaceAll("\r\n", "\n") : header;
  return {
    fence: opening.start,
    start: opening.next,
    end,
    rest: next,
    header: unified === "" || unified.endsWith("\n") ? unified : `${unified}\n`,
    headerLine: opening.line + (opening.dashes > 0 ? 1 : 0),
    body: trimBodyText(text, next),
  };
}

function splitUnclosed(text: string, opening: Opening, faults: FaultList): SkillParts | undefined {
  if (faults.mode === "strict") {
    faults.add({ ...UNCLOSED, severity: "error" }, opening.line, 1);
    return undefined;
  }
  const end = findHeaderEnd(text, opening.next);
  // If no key follows, the fence was a horizontal rule in a file without frontmatter.
  if (end === undefined) return splitUnopened(text, faults);
  reportOpening(text, opening, faults);
  faults.add({ ...UNCLOSED, severity: "warning" }, opening.line, 1);
  return cut(text, opening, end.header, end.body, faults);
}

function splitUnopened(text: string, faults: FaultList): SkillParts {
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  const isHeader =
    faults.mode === "lenient" && /^(?:name|description):[ \t]/.test(text.slice(start, start + 16));
  const end = isHeader ? findHeaderEnd(text, start) : undefined;
  if (end === undefined) {
    const none = { fence: start, start, end: start, rest: start, header: undefined, headerLine: 1 };
    return { ...none, body: trimBodyText(text, start) };
  }
  faults.add(UNOPENED, 1, 1);
  const opening: Opening = { start, line: 1, next: start, dashes: 0, spaces: false, tag: "" };
  return cut(text, opening, end.header, end.body, faults);
}

function reportOpening(text: string, opening: Opening, faults: FaultList): void {
  if (text.startsWith("\uFEFF")) faults.add(BYTE_ORDER_MARK, 1, 1);
  const severity = faults.mode === "strict" ? "error" : "info";
  if (opening.start > (text.startsWith("\uFEFF") ? 1 : 0)) {
    const hasComment = text.slice(0, opening.start).includes("<!--");
    faults.add({ ...(hasComment ? LEADING_COMMENT : LEADING_BLANK_LINES), severity }, 1, 1);
  }
  if (opening.dashes > 3) faults.add({ ...LONG_FENCE, severity }, opening.line, 1);
  if (opening.spaces) faults.add(FENCE_SPACES, opening.line, 4);
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

function lineEnd(text: string, start: number): number {
  const stop = text.indexOf("\n", start);
  return stop === -1 ? text.length : stop;
}

const LANGUAGE = {
  code: "language-frontmatter",
  severity: "error",
  message: "The opening fence names a language; such frontmatter is never evaluated.",
  hint: "Write the header in plain YAML between two lines of exactly ---.",
} as const;
const TEXT_ON_FENCE = {
  code: "text-on-fence",
  severity: "error",
  message: "The opening fence has text after it.",
  hint: "Put --- on a line of its own and the text on the next.",
} as const;
const UNCLOSED = {
  code: "unclosed-frontmatter",
  message: "The frontmatter is not closed.",
  hint: "Add a line of exactly --- after the last key.",
} as const;
const UNOPENED = {
  code: "unopened-frontmatter",
  severity: "warning",
  message: "The file begins with keys, but without the line that opens frontmatter.",
  hint: "Add a line of exactly --- before the first key.",
} as const;
const BYTE_ORDER_MARK = {
  code: "byte-order-mark",
  severity: "info",
  message: "The file begins with a byte order mark, after which some clients do not see the frontmatter.",
  hint: "Save the file as UTF-8 without a byte order mark.",
} as const;
const CRLF = {
  code: "crlf-line-ends",
  severity: "info",
  message: "The header has CRLF line ends.",
  hint: "Save the file with LF line ends.",
} as const;
const FENCE_SPACES = {
  code: "fence-spaces",
  severity: "info",
  message: "The fence has white space or a remark after it.",
  hint: "Write exactly --- on the line.",
} as const;
const LONG_FENCE = {
  code: "long-fence",
  message: "The fence has more than three dashes.",
  hint: "Write exactly --- on the line.",
} as const;
const LEADING_COMMENT = {
  code: "leading-comment",
  message: "A comment stands before the frontmatter.",
  hint: "Move it after the frontmatter, which has to begin the file.",
} as const;
const LEADING_BLANK_LINES = {
  code: "leading-blank-lines",
  message: "Blank lines stand before the frontmatter.",
  hint: "Remove them; the frontmatter has to begin the file.",
} as const;

const FENCE = /^[ \t]*(?:-{3,}|\.\.\.)[ \t\r]*$/;
const KEY = /^[A-Za-z_][A-Za-z0-9_-]*[ \t]*:(?:[ \t\r]|$)/;
const BLANK = /^[ \t\r]*$/;
/** Lines that belong to the value of the previous key. */
const INSIDE = /^[ \t\-#"}\]]/;
const AFTER_COMMENT = /^[ \t#]/;
const AFTER_BLANK = /^[ \t]/;

/**
 * Guesses where a header without a closing fence ends: at anything like a fence, or at a blank line followed
 * by something other than a key. Undefined if the text does not begin with keys.
 */
export function findHeaderEnd(
  text: string,
  from: number,
): { readonly header: number; readonly body: number } | undefined {
  let hasKey = false;
  let end = from;
  let inside = INSIDE;
  for (let start = from; start < text.length; ) {
    const stop = lineEnd(text, start);
    const next = Math.min(stop + 1, text.length);
    const line = text.slice(start, stop);
    if (FENCE.test(line)) return hasKey ? { header: start, body: next } : undefined;
    const isKey = KEY.test(line);
    if (BLANK.test(line)) inside = AFTER_BLANK;
    else if (isKey || (hasKey && inside.test(line))) {
      hasKey ||= isKey;
      // A comment if the header continues after it, else the first heading of the body.
      inside = line.startsWith("#") ? AFTER_COMMENT : INSIDE;
      if (inside === INSIDE) end = next;
    } else if (!line.startsWith("#") || hasKey) break;
    start = next;
  }
  return hasKey ? { header: end, body: end } : undefined;
}

/** The range of a body without leading blank lines and trailing white space. */
export interface BodyRange {
  readonly start: number;
  readonly end: number;
}

export function trimBodyText(text: string, from: number): BodyRange {
  return trimBody(from, text.length, (at) => text.charCodeAt(at));
}

/** Trims a text or its bytes; the first line keeps its indentation, which matters in Markdown. */
export function trimBody(from: number, length: number, codeAt: (at: number) => number): BodyRange {
  let end = length;
  while (end > from && isWhite(codeAt(end - 1))) end -= 1;
  let start = from;
  for (let at = from; at < end && isWhite(codeAt(at)); at += 1) if (codeAt(at) === 0x0a) start = at + 1;
  return { start: Math.min(start, end), end };
}

// Only ASCII white space, so that text and bytes are trimmed alike.
function isWhite(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** A copy of a text that does not keep the longer text it was cut from in memory. */
export function detachText(text: string): string {
  // Engines share a string's memory with its slices; only rebuilding the slice separates them.
  return JSON.parse(JSON.stringify(text)) as string;
}
