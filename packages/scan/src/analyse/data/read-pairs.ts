import type { DataEntry, DataMap, DataReading } from "./data-node.ts";

/** Reads lines of `name = value` or `name: value` below `[sections]`: INI, `.env`, `.npmrc`, unit files, and what is left of broken data. */
export function readPairs(text: string): DataReading {
  const entries: DataEntry[] = [];
  let target = entries;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, Math.min(end, start + MAX_LINE_CHARACTERS));
    const section = /^\s{0,40}\[([^\]\n]{1,200})\]\s*$/.exec(line)?.[1];
    if (section !== undefined) {
      target = [];
      const map: DataMap = { kind: "map", entries: target };
      entries.push({ key: section, keyStart: start, value: map });
    } else addPair(line, start, target);
    start = end + 1;
  }
  return { root: { kind: "map", entries } };
}

const MAX_LINE_CHARACTERS = 20_000;
const PAIR =
  /^\s{0,80}(?:- )?(?:export[ \t]{1,8}|set[ \t]{1,8}|\$env:)?["']?(@?[A-Za-z_][\w.:@/-]{0,120}?)["']?[ \t]{0,20}[=:][ \t]{0,20}/;

function addPair(line: string, start: number, entries: DataEntry[]): void {
  if (/^\s*[#;]/.test(line)) return;
  const match = PAIR.exec(line);
  const key = match?.[1];
  if (match === null || key === undefined) return;
  const raw = line.slice(match[0].length).trimEnd().replace(/,$/, "");
  const quoted = /^(["'`])(.*)\1$/.exec(raw)?.[2];
  const text = quoted ?? raw.replace(/\s[#;].*$/, "");
  const valueStart = start + match[0].length;
  entries.push({
    key,
    keyStart: start + (line.length - line.trimStart().length),
    value: {
      kind: "scalar",
      text,
      isString: true,
      start: valueStart,
      end: valueStart + raw.length,
      isBlock: false,
    },
  });
}
