import { detachText } from "./detach-text.ts";

/** What a Markdown body says about itself. */
export interface BodyDescription {
  /** The first heading, without its marks. */
  readonly heading?: string;
  /** The first paragraph on one line; text in code blocks, comments, tables and rulers is none. */
  readonly paragraph?: string;
}

// A description is at most 1024 characters; the rest of a longer paragraph is not needed.
const MAX_PARAGRAPH_CHARACTERS = 1024;

/** Finds the first heading and the first paragraph, for skills that do not describe themselves in a header. */
export function describeBody(body: string): BodyDescription {
  const found: { heading?: string; paragraph?: string } = {};
  const text: string[] = [];
  for (const line of proseLines(body)) {
    const heading = readHeading(line);
    const isText = heading === undefined && line !== "" && !isRuler(line);
    if (isText) text.push(line.replace(/^>[ \t]?/, ""));
    else if (isUnderline(line) && text.length === 1) found.heading ??= takeText(text);
    else if (text.length > 0) break;
    if (heading !== undefined) found.heading ??= detachText(heading);
  }
  const paragraph = takeText(text);
  if (paragraph !== "") found.paragraph = paragraph;
  if (found.heading === "") delete found.heading;
  return found;
}

// By hand, because a pattern for the marks at both ends would pass over long runs of spaces again and again.
function readHeading(line: string): string | undefined {
  let level = 0;
  while (line[level] === "#") level += 1;
  if (level === 0 || level > 6 || !/^[ \t]?$/.test(line[level] ?? "")) return undefined;
  let end = line.length;
  while (end > level && line[end - 1] === "#") end -= 1;
  return line.slice(level, /[ \t#]/.test(line[end - 1] ?? "") ? end : line.length).trim();
}

/** The lines outside code blocks and comments, without white space at their ends. */
function* proseLines(body: string): Generator<string> {
  let fence = "";
  let insideComment = false;
  for (let start = 0; start < body.length; ) {
    const newline = body.indexOf("\n", start);
    const stop = newline === -1 ? body.length : newline;
    const line = body.slice(start, stop).trim();
    start = stop + 1;
    const mark = /^(?:```|~~~)/.exec(line)?.[0] ?? "";
    if (fence !== "") {
      if (mark === fence) fence = "";
    } else if (insideComment) insideComment = !line.includes("-->");
    else if (mark !== "") {
      fence = mark;
      yield "";
    } else if (line.startsWith("<!--")) insideComment = !line.includes("-->");
    else yield line;
  }
}

function isRuler(line: string): boolean {
  return isUnderline(line) || /^[*_|][ \t*_|:-]*$/.test(line) || line.startsWith("|");
}

function isUnderline(line: string): boolean {
  return /^(?:=+|-+)$/.test(line);
}

function takeText(lines: string[]): string {
  const text = lines.join(" ").replace(/\s+/g, " ").trim();
  lines.length = 0;
  return detachText(cutAtCodePoint(text, MAX_PARAGRAPH_CHARACTERS));
}

function cutAtCodePoint(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}
