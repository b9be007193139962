import { decodeEntities } from "./decode-entities.ts";

export interface MarkupAttribute {
  readonly name: string;
  readonly value: string;
  readonly offset: number;
}

export type MarkupToken =
  | { readonly type: "text" | "comment" | "declaration"; readonly text: string; readonly offset: number }
  | {
      readonly type: "open";
      readonly name: string;
      readonly attributes: readonly MarkupAttribute[];
      readonly isClosed: boolean;
      readonly offset: number;
      readonly end: number;
    }
  | { readonly type: "close"; readonly name: string; readonly offset: number }
  | { readonly type: "raw"; readonly name: string; readonly text: string; readonly offset: number };

/** As browsers do, with one look at each character: what is never closed runs to the end. */
export function markupTokens(text: string): readonly MarkupToken[] {
  const tokens: MarkupToken[] = [];
  let at = 0;
  while (at < text.length) {
    const open = nextMarkup(text, at);
    if (open === -1) break;
    if (open > at) tokens.push({ type: "text", text: text.slice(at, open), offset: at });
    at = readMarkup(text, open, tokens);
  }
  if (at < text.length) tokens.push({ type: "text", text: text.slice(at), offset: at });
  return tokens;
}

/** Reads the attributes of one tag that begins at `from`, such as `<img src="…">`; undefined where it never ends. */
export function readTag(text: string, from: number): (MarkupToken & { readonly type: "open" }) | undefined {
  const name = TAG_NAME.exec(text.slice(from + 1, from + 1 + MAX_NAME_CHARACTERS))?.[0] ?? "";
  const attributes: MarkupAttribute[] = [];
  let at = from + 1 + name.length;
  for (;;) {
    while (isBlankOrSlash(text[at])) at++;
    if (at >= text.length) return undefined;
    if (text[at] === ">") break;
    at = readAttribute(text, at, attributes);
    if (at === -1) return undefined;
  }
  return {
    type: "open",
    name: name.toLowerCase(),
    attributes,
    isClosed: text[at - 1] === "/",
    offset: from,
    end: at + 1,
  };
}

const TAG_NAME = /^[A-Za-z][^\s/>]*/;
const MAX_NAME_CHARACTERS = 64;
const RAW_ELEMENTS: ReadonlyMap<string, RegExp> = new Map([
  ["script", /<\/script/gi],
  ["style", /<\/style/gi],
]);

function nextMarkup(text: string, from: number): number {
  for (let at = text.indexOf("<", from); at !== -1; at = text.indexOf("<", at + 1))
    if (/[A-Za-z/!?]/.test(text[at + 1] ?? "")) return at;
  return -1;
}

function readMarkup(text: string, at: number, tokens: MarkupToken[]): number {
  if (text.startsWith("<!--", at))
    return readSpan(text, { at, skip: 4, end: "-->", type: "comment" }, tokens);
  if (text.startsWith("<![CDATA[", at))
    return readSpan(text, { at, skip: 9, end: "]]>", type: "text" }, tokens);
  if (text[at + 1] === "?") return readSpan(text, { at, skip: 2, end: "?>", type: "declaration" }, tokens);
  if (text[at + 1] === "!") return readDeclaration(text, at, tokens);
  if (text[at + 1] === "/") return readClose(text, at, tokens);
  const tag = readTag(text, at);
  if (tag === undefined) {
    tokens.push({ type: "text", text: text.slice(at), offset: at });
    return text.length;
  }
  tokens.push(tag);
  const closing = tag.isClosed ? undefined : RAW_ELEMENTS.get(tag.name);
  if (closing === undefined) return tag.end;
  closing.lastIndex = tag.end;
  const end = closing.exec(text)?.index ?? text.length;
  tokens.push({ type: "raw", name: tag.name, text: text.slice(tag.end, end), offset: tag.end });
  return end;
}

interface SpanToken {
  readonly at: number;
  readonly skip: number;
  readonly end: string;
  readonly type: "text" | "comment" | "declaration";
}

function readSpan(text: string, { at, skip, end, type }: SpanToken, tokens: MarkupToken[]): number {
  const found = text.indexOf(end, at + skip);
  const stop = found === -1 ? text.length : found;
  tokens.push({ type, text: text.slice(at + skip, stop), offset: at + skip });
  return found === -1 ? text.length : found + end.length;
}

/** A DOCTYPE may hold entity declarations between brackets. */
function readDeclaration(text: string, at: number, tokens: MarkupToken[]): number {
  let end = text.indexOf(">", at);
  if (end !== -1 && text.slice(at, end).includes("[")) end = text.indexOf("]>", at);
  const stop = end === -1 ? text.length : end;
  tokens.push({ type: "declaration", text: text.slice(at + 2, stop), offset: at + 2 });
  if (end === -1) return text.length;
  return end + (text[end] === "]" ? 2 : 1);
}

function readClose(text: string, at: number, tokens: MarkupToken[]): number {
  const end = text.indexOf(">", at);
  const name = TAG_NAME.exec(text.slice(at + 2, at + 2 + MAX_NAME_CHARACTERS))?.[0] ?? "";
  tokens.push({ type: "close", name: name.toLowerCase(), offset: at });
  return end === -1 ? text.length : end + 1;
}

/** Says where the attribute ends; -1 where the text ends in it. */
function readAttribute(text: string, from: number, attributes: MarkupAttribute[]): number {
  let at = from + 1;
  while (at < text.length && !isNameEnd(text[at])) at++;
  const name = text.slice(from, at).toLowerCase();
  let after = at;
  while (isBlank(text[after])) after++;
  if (text[after] !== "=") {
    attributes.push({ name, value: "", offset: from });
    return at >= text.length ? -1 : at;
  }
  after++;
  while (isBlank(text[after])) after++;
  const quote = text[after];
  let start = after;
  let end: number;
  if (quote === '"' || quote === "'") {
    start = after + 1;
    end = text.indexOf(quote, start);
    if (end === -1) return -1;
    attributes.push({ name, value: decodeEntities(text.slice(start, end)), offset: start });
    return end + 1;
  }
  end = start;
  while (end < text.length && !isBlank(text[end]) && text[end] !== ">") end++;
  attributes.push({ name, value: decodeEntities(text.slice(start, end)), offset: start });
  return end >= text.length ? -1 : end;
}

function isBlank(character: string | undefined): boolean {
  return (
    character === " " || character === "\n" || character === "\t" || character === "\r" || character === "\f"
  );
}

function isBlankOrSlash(character: string | undefined): boolean {
  return character === "/" || isBlank(character);
}

function isNameEnd(character: string | undefined): boolean {
  return character === "=" || character === ">" || isBlankOrSlash(character);
}
