/** Where a key stands in a header, counted from 1; a dotted path leads to a nested key. */
export function locateKey(header: string, path: string): { readonly line: number; readonly column: number } {
  const [first = "", ...nested] = path.split(".");
  const top = findTopLevel(header, first);
  if (top === undefined) return { line: 1, column: 1 };
  let offset = top.offset;
  for (const key of nested) {
    const found = findNested(header, key, offset, top.end);
    if (found === -1) break;
    offset = found;
  }
  return position(header, offset, top);
}

interface Region {
  readonly offset: number;
  readonly end: number;
  readonly line: number;
}

/** The last line that begins with the key, because the last of two values wins, and the lines that belong to it. */
function findTopLevel(header: string, key: string): Region | undefined {
  let found: Region | undefined;
  let line = 1;
  for (let start = 0; start < header.length; line += 1) {
    const stop = lineEnd(header, start);
    if (isKeyAt(header, key, start)) found = { offset: start, end: regionEnd(header, stop), line };
    start = stop + 1;
  }
  return found;
}

function lineEnd(header: string, start: number): number {
  const stop = header.indexOf("\n", start);
  return stop === -1 ? header.length : stop;
}

function isKeyAt(header: string, key: string, start: number): boolean {
  const quote = header[start] === '"' || header[start] === "'" ? 1 : 0;
  if (!header.startsWith(key, start + quote)) return false;
  let at = start + quote + key.length + quote;
  while (header[at] === " ") at += 1;
  return header[at] === ":";
}

/** The end of the indented, blank and list lines that follow a top-level line. */
function regionEnd(header: string, lineStop: number): number {
  let end = lineStop;
  while (end < header.length && " \n-#}]".includes(header[end + 1] ?? "x")) end = lineEnd(header, end + 1);
  return end;
}

function findNested(header: string, key: string, from: number, end: number): number {
  for (let at = header.indexOf(key, from + 1); at !== -1 && at < end; at = header.indexOf(key, at + 1)) {
    const before = header[at - 1] ?? "";
    const start = before === '"' || before === "'" ? at - 1 : at;
    if (isKeyAt(header, key, start) && " {,\n".includes(header[start - 1] ?? "\n")) return start;
  }
  return -1;
}

function position(header: string, offset: number, top: Region): { line: number; column: number } {
  let line = top.line;
  let lineStart = top.offset;
  for (let stop = lineEnd(header, lineStart); stop < offset; stop = lineEnd(header, lineStart)) {
    line += 1;
    lineStart = stop + 1;
  }
  return { line, column: offset - lineStart + 1 };
}
