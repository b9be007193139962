/** A text whose letters were moved by thirteen. */
export interface RotatedText {
  readonly offset: number;
  readonly text: string;
}

/** Reads quoted strings near the name of a ROT13 decoder; without one nothing tells a rotated word from a foreign one. */
export function* findRotated(text: string): Iterable<RotatedText> {
  if (!HINTS.some((hint) => text.includes(hint))) return;
  let done = -1;
  for (const match of text.matchAll(DECODER)) {
    const start = Math.max(0, match.index - REACH_CHARACTERS, done);
    const end = Math.min(text.length, match.index + REACH_CHARACTERS);
    done = end;
    const window = text.slice(start, end);
    for (const quoted of window.matchAll(QUOTED)) {
      const body = quoted[2] ?? "";
      if (!/[A-Za-z]{3}/.test(body) || TABLE.test(body)) continue;
      yield { offset: start + quoted.index, text: rotate(body) };
    }
  }
}

/** What each of the decoders has, for a quick look. */
const HINTS = ["13", "-z", "-Z", "nopq", "NOPQ"];
const DECODER =
  /[rR][oO][tT][_-]?13|[nN]-[zZ][aA]-[mM]|nopqrstuvwxyzabcdefghijklm|NOPQRSTUVWXYZABCDEFGHIJKLM/g;
const TABLE = /n-za-m|nopqrstuvwxyz|^rot/i;
const QUOTED = /(["'`])([^"'`\n]{8,20000})\1/g;
const REACH_CHARACTERS = 1_000;

function rotate(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) => {
    const code = letter.charCodeAt(0);
    const base = code >= 97 ? 97 : 65;
    return String.fromCharCode(((code - base + 13) % 26) + base);
  });
}
