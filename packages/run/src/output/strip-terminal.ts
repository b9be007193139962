import { markInvisible } from "./mark-invisible.ts";

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

interface Special {
  readonly end: number;
  readonly shown: "" | "\n";
}

const ESCAPE = "\x1b";
// Sticky, so that each looks at one place only.
const CONTROL_SEQUENCE = /[0-?]*[ -/]*[@-~]/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const STRING_CONTENT = /[^\x07\x18\x1a\x1b\n\r\x80-\x9f]*/y;
const SHORT_SEQUENCE = /[ -/]*[0-~]/y;

function readSpecial(text: string, at: number): Special {
  const code = text[at] ?? "";
  if (code === "\r") return { end: text[at + 1] === "\n" ? at + 2 : at + 1, shown: "\n" };
  if (code === "\u0085" || code === "\u2028" || code === "\u2029") return { end: at + 1, shown: "\n" };
  if (code === ESCAPE) return readEscape(text, at + 1);
  return { end: endOfKind(text, at + 1, code) ?? at + 1, shown: "" };
}

// ESC and a character from @ to _ are the two-byte form of a C1 code.
function readEscape(text: string, at: number): Special {
  const next = text[at] ?? "";
  const asC1 = /^[@-_]$/.test(next) ? String.fromCharCode(next.charCodeAt(0) + 0x40) : "";
  if (asC1 !== "") return { end: endOfKind(text, at + 1, asC1) ?? at + 1, shown: "" };
  return { end: endOf(SHORT_SEQUENCE, text, at) ?? at, shown: "" };
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
