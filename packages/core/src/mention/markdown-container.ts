import type { LineCursor } from "./line-cursor.ts";

/** A quote or list item that blocks stand in. */
export type Container = { readonly kind: "quote" } | ListItem;

interface ListItem {
  readonly kind: "item";
  /** How many columns its content is indented by. */
  readonly indent: number;
  /** Nothing stands behind its mark; a blank line then ends it. */
  isEmpty: boolean;
}

// Every line is held against every list and quote around it; nobody nests deeper.
const MAX_CONTAINERS = 32;

/** Takes the marks of a container from the beginning of a line; whether the line belongs to it. */
export function continueContainer(container: Container, cursor: LineCursor): boolean {
  if (container.kind === "quote") return skipQuote(cursor);
  if (cursor.isBlank()) return !container.isEmpty;
  if (!cursor.hasIndent(container.indent)) return false;
  cursor.skipBlanks(container.indent);
  container.isEmpty = false;
  return true;
}

/** The container that begins here, or undefined. */
export function openContainer(
  cursor: LineCursor,
  place: { readonly depth: number; readonly isInParagraph: boolean },
): Container | undefined {
  if (place.depth >= MAX_CONTAINERS) return undefined;
  return skipQuote(cursor) ? { kind: "quote" } : openItem(cursor, place.isInParagraph);
}

function skipQuote(cursor: LineCursor): boolean {
  if (cursor.hasIndent(MAX_MARK_INDENT + 1) || !/^[ \t]*>/.test(cursor.rest())) return false;
  cursor.skipBlanks(MAX_MARK_INDENT);
  cursor.skipCharacters(1);
  cursor.skipBlanks(1);
  return true;
}

function openItem(cursor: LineCursor, isInParagraph: boolean): ListItem | undefined {
  const rest = cursor.rest().trimStart();
  const mark = MARK.exec(rest)?.[0];
  if (mark === undefined || RULE.test(rest)) return undefined;
  const isEmpty = rest.slice(mark.length).trim() === "";
  // "in 1999\n2000. That" is no list.
  if (isInParagraph && (isEmpty || (mark.length > 1 && !/^1[.)]$/.test(mark)))) return undefined;
  const before = cursor.skipBlanks(MAX_MARK_INDENT);
  cursor.skipCharacters(mark.length);
  // More blanks than these are the indentation of code.
  const isCode = isEmpty || cursor.hasIndent(MAX_MARK_INDENT + 2);
  const after = cursor.skipBlanks(isCode ? 1 : MAX_MARK_INDENT + 1);
  return { kind: "item", indent: before + mark.length + (isEmpty ? 1 : after), isEmpty };
}

const MAX_MARK_INDENT = 3;
const MARK = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/;
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,})$/;
