// Twice what a header may nest, because brackets in quoted text and indented prose are counted too.
const MAX_SCANNED_DEPTH = 64;

/**
 * Whether a text may nest so deep that the YAML library must not see it.
 *
 * The library recurses, and where it runs out of stack inside a regular expression, Node ends the whole process.
 */
export function nestsTooDeep(text: string): boolean {
  return nestsBrackets(text) || nestsBlocks(text);
}

function nestsBrackets(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth = Math.max(0, depth - 1);
    if (depth > MAX_SCANNED_DEPTH) return true;
  }
  return false;
}

function nestsBlocks(text: string): boolean {
  const columns: number[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const stop = newline === -1 ? text.length : newline;
    pushColumns(text, start, stop, columns);
    if (columns.length > MAX_SCANNED_DEPTH) return true;
    start = stop + 1;
  }
  return false;
}

/** Every deeper line and every dash, question mark and colon before its content may begin a collection. */
function pushColumns(text: string, start: number, stop: number, columns: number[]): void {
  let at = start;
  while (at < stop && isWhite(text[at])) at += 1;
  if (at === stop) return;
  while (columns.length > 0 && (columns.at(-1) ?? 0) >= at - start) columns.pop();
  columns.push(at - start);
  while (at < stop && columns.length <= MAX_SCANNED_DEPTH) {
    if (!"-?:".includes(text[at] ?? "x") || !isWhite(text[at + 1] ?? " ")) return;
    at += 1;
    while (at < stop && isWhite(text[at])) at += 1;
    columns.push(at - start);
  }
}

function isWhite(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\n" || character === "\r";
}
