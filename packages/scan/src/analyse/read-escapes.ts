/** The text between quotes, with the escapes of JavaScript, Python, JSON and TOML; where they differ (rarely), the most common meaning counts. */
export function readEscapes(body: string): string {
  if (!body.includes("\\")) return body;
  return body.replace(ESCAPE, (whole: string, sign: string) => {
    const simple = SIMPLE.get(sign);
    if (simple !== undefined) return simple;
    const code = /^[xuU]\{?([0-9a-fA-F]{1,8})\}?$/.exec(sign)?.[1];
    if (code !== undefined) return characterOf(Number.parseInt(code, 16), whole);
    if (/^[0-7]{1,3}$/.test(sign)) return String.fromCharCode(Number.parseInt(sign, 8));
    // A line continuation.
    return /^\r?\n/.test(sign) ? "" : sign;
  });
}

const ESCAPE =
  /\\(x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]{1,8}\}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|\r?\n[ \t]*|[\s\S])/g;

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
  ["a", "\x07"],
  ["e", "\x1b"],
]);

function characterOf(code: number, whole: string): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
}
