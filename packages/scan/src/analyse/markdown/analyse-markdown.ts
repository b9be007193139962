import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { MarkdownReader } from "./markdown-reader.ts";

export function analyseMarkdown(source: SourceText): Analysis {
  const reader = new MarkdownReader(source);
  // As long as before, so that offsets stay.
  const text = source.text.replaceAll("\r\n", " \n").replaceAll("\r", "\n");
  const bodyStart = reader.readFrontmatter(text);
  reader.readFarTexts(text);
  let start = bodyStart;
  while (start < text.length) {
    const end = pieceEnd(text, start);
    reader.readBody(text.slice(start, end), start);
    start = end;
  }
  const isWhole = text.length - bodyStart <= MAX_PIECE_CHARACTERS;
  const unread = isWhole ? reader.unread : `longer than ${MAX_PIECE_CHARACTERS} characters: read in pieces`;
  return {
    facts: reader.facts,
    texts: reader.texts,
    ...(unread !== undefined && { unread }),
  };
}

/** The parser keeps a tree of all it gets; a longer document is read in pieces, cut at a blank line where there is one. */
const MAX_PIECE_CHARACTERS = 2 * 1024 * 1024;

function pieceEnd(text: string, start: number): number {
  const end = start + MAX_PIECE_CHARACTERS;
  if (end >= text.length) return text.length;
  const blankLine = text.lastIndexOf("\n\n", end);
  if (blankLine > start + MAX_PIECE_CHARACTERS / 2) return blankLine + 2;
  const lineEnd = text.lastIndexOf("\n", end);
  return lineEnd > start ? lineEnd + 1 : end;
}
