import type { Program, Remark } from "./program-tree.ts";
import { addComment } from "./syntax-reader.ts";

/** Whether a name promises types and nothing else. */
export function isDeclarationFile(path: string): boolean {
  return /\.d\.(?:\w+\.)?[cm]?ts$/.test(path);
}

/**
 * Reads a file of type declarations, of which only the comments say something, without parsing it.
 *
 * Undefined where something in it could run after all: some runtimes run whatever they are given.
 */
export function readDeclarations(text: string): Program | undefined {
  const remarks: Remark[] = [];
  let code = "";
  let from = 0;
  for (const [start, end, kind] of marginsOf(text)) {
    code += text.slice(from, start);
    if (kind === "comment") addComment(remarks, text, start, end);
    else code += text[start] === "`" ? "``" : '""';
    from = end;
  }
  code += text.slice(from);
  if (RUNNING.test(code)) return undefined;
  return { body: [], remarks, errorCharacters: 0, isCut: false };
}

/** Calls on members, calls with constants, functions that are called on the spot, statements, and computed constants. */
const RUNNING =
  /[\w$)\]]\s{0,9}\??\.\s{0,9}[\w$]+\s{0,9}\(|\b(?!import)[\w$]+\s{0,9}\(\s{0,9}(?:""|``|[\d[+]|[\w$]+\s{0,9}[+(.])|[\w$\])]``|\}\s{0,9}\)\s{0,9}\(|\]\s{0,9}\(\s{0,9}(?:""|``|\d)|\b(?:return|await|throw|yield)\s{1,9}["`\w([{]|\b(?:if|for|while|switch|catch|with)\s{0,9}\([^):]{0,80}\)|\b(?:try|do|finally)\s{0,9}\{|\b(?:const|let|var)\s{1,9}[\w$]+\s{0,9}=\s{0,9}(?!\s|""|``|[\d-]|true|false|null)/;

/** Where comments and strings stand, in one pass. */
function* marginsOf(
  text: string,
): Generator<readonly [start: number, end: number, kind: "comment" | "string"]> {
  MARGIN.lastIndex = 0;
  for (let found = MARGIN.exec(text); found !== null; found = MARGIN.exec(text)) {
    const start = found.index;
    const sign = found[0];
    const end = endOf(text, start, sign);
    yield [start, end, sign.startsWith("/") ? "comment" : "string"];
    MARGIN.lastIndex = end;
  }
}

const MARGIN = /\/\/|\/\*|["'`]/g;

function endOf(text: string, start: number, sign: string): number {
  if (sign === "/*" || sign === "//") {
    const end = text.indexOf(sign === "/*" ? "*/" : "\n", start + 2);
    return end === -1 ? text.length : end + (sign === "/*" ? 2 : 0);
  }
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === sign || (character === "\n" && sign !== "`")) return at + 1;
  }
  return text.length;
}
