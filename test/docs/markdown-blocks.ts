/** A fenced block of a page; its info string is `language flag key="value"`. */
export interface MarkdownBlock {
  readonly language: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly code: string;
  /** Of the opening fence, counting from 1. */
  readonly line: number;
}

/** Finds the fenced blocks of a page in order; throws on a fence that is not closed or an info string it cannot read. */
export function markdownBlocks(text: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let open: { fence: string; indent: number; info: string; line: number; code: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const [, indent = "", fence = "", info = ""] = /^( *)(`{3,})([^`]*)$/.exec(line) ?? [];
    if (open === undefined) {
      if (fence !== "") open = { fence, indent: indent.length, info: info.trim(), line: index + 1, code: [] };
    } else if (fence.length >= open.fence.length && info.trim() === "") {
      const { language, attributes } = readInfo(open.info, open.line);
      blocks.push({
        language,
        attributes,
        code: open.code.map((code) => `${code}\n`).join(""),
        line: open.line,
      });
      open = undefined;
    } else open.code.push(line.slice(Math.min(open.indent, line.length - line.trimStart().length)));
  }
  if (open !== undefined) throw new SyntaxError(`The fence on line ${open.line} is not closed.`);
  return blocks;
}

/** A page's text with every fenced block and code span blanked out, line for line. */
export function withoutCode(text: string): string {
  const lines = text.split("\n");
  for (const { line, code } of markdownBlocks(text)) {
    const length = code.split("\n").length + 1;
    for (let at = line - 1; at < line - 1 + length; at++) lines[at] = "";
  }
  return lines.join("\n").replace(/(`+)(?!`).*?[^`]\1(?!`)/g, (span) => " ".repeat(span.length));
}

function readInfo(info: string, line: number): Pick<MarkdownBlock, "language" | "attributes"> {
  const [language = "", ...words] = info.match(/[^\s"]+"[^"]*"|\S+/g) ?? [];
  const attributes = new Map<string, string>();
  for (const word of words) {
    const [, key, , value = ""] = /^([a-z-]+)(="([^"]*)")?$/.exec(word) ?? [];
    if (key === undefined) throw new SyntaxError(`The info string on line ${line} cannot be read: ${word}`);
    attributes.set(key, value);
  }
  return { language, attributes };
}
