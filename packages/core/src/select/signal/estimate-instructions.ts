/**
 * About how many instructions a regular expression compiles to, found without compiling it.
 *
 * Counted repeats are written out by the engine: `.{0,999}` has eight characters, two thousand instructions, and is
 * compared with every character of a message by all of them.
 */
export function estimateInstructions(source: string): number {
  const outer: Group[] = [];
  let group: Group = { sum: 3, last: 0 };
  for (let at = 0; at < source.length; ) {
    const { kind, end, text } = readPiece(source, at);
    at = end;
    if (kind === "open") {
      outer.push(group);
      group = { sum: 3, last: 0 };
    } else if (kind === "close") {
      const size = group.sum;
      group = outer.pop() ?? { sum: 3, last: 0 };
      add(group, size);
    } else if (kind === "repeat") repeat(group, text);
    else if (kind === "quoted" && text !== "") add(group, text.length);
    else if (kind === "atom") add(group, 1);
  }
  return outer.reduce((sum, { sum: more }) => sum + more, group.sum);
}

interface Group {
  /** Of all that stands in it so far, and of what a repeat behind would repeat. */
  sum: number;
  last: number;
}

interface Piece {
  readonly kind: "open" | "close" | "repeat" | "quoted" | "atom";
  readonly text: string;
  readonly end: number;
}

const PIECE =
  /(?<flags>\(\?[a-zA-Z-]*\))|(?<open>\((?:\?P?<\w*>|\?[a-zA-Z-]*:)?)|(?<close>\))|(?<repeat>[*+?]|\{\d+(?:,\d*)?\})|\\Q(?<quoted>.*?)(?:\\E|$)|\\[pPx](?:\{[^}]*\})?|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|./sy;

function readPiece(source: string, at: number): Piece {
  PIECE.lastIndex = at;
  const match = PIECE.exec(source);
  const { flags, open, close, repeat, quoted } = match?.groups ?? {};
  const end = at + Math.max(1, match?.[0].length ?? 1);
  if (open !== undefined) return { kind: "open", text: open, end };
  if (close !== undefined) return { kind: "close", text: close, end };
  if (repeat !== undefined) return { kind: "repeat", text: repeat, end };
  if (quoted !== undefined || flags !== undefined) return { kind: "quoted", text: quoted ?? "", end };
  return { kind: "atom", text: "", end };
}

function add(group: Group, size: number): void {
  group.sum += size;
  group.last = size;
}

function repeat(group: Group, text: string): void {
  const [least = 1, most = least] = (text.match(/\d+/g) ?? []).map(Number);
  const copies = Math.max(1, least, most);
  // Every copy that may be left out has a fork before it.
  const size = group.last * copies + Math.max(1, most - least);
  group.sum += size - group.last;
  group.last = size;
}
