/** The text that a Python string literal stands for, prefix and quotes included in `source`; bytes as Latin-1. */
export function readPythonString(source: string): string {
  const start = /^([a-zA-Z]{0,2})("""|'''|"|')/.exec(source);
  if (start === null) return source;
  const [, prefix = "", quote = ""] = start;
  const from = prefix.length + quote.length;
  const body = source.slice(
    from,
    source.endsWith(quote) && source.length >= from + quote.length ? -quote.length : undefined,
  );
  return /r/i.test(prefix) ? body : readEscapes(body);
}

/** The text that a JavaScript string literal stands for. */
export function readJavascriptString(source: string): string {
  const quote = source[0] ?? "";
  const body = source.slice(1, source.length > 1 && source.endsWith(quote) ? -1 : undefined);
  return readEscapes(body);
}

/** Resolves backslash escapes as both languages write them. */
export function readEscapes(body: string): string {
  if (!body.includes("\\")) return body;
  return body.replace(ESCAPE, (whole: string, sign: string) => {
    const simple = SIMPLE_ESCAPES.get(sign);
    if (simple !== undefined) return simple;
    const hexadecimal = /^(?:x|u|U)\{?([0-9a-fA-F]{1,8})\}?$/.exec(sign);
    if (hexadecimal?.[1] !== undefined) return characterOf(Number.parseInt(hexadecimal[1], 16), whole);
    if (/^[0-7]{1,3}$/.test(sign)) return String.fromCharCode(Number.parseInt(sign, 8));
    return sign;
  });
}

const ESCAPE =
  /\\(x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]{1,8}\}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|\r\n|[\s\S])/g;

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
  ["a", "\x07"],
  ["\n", ""],
  ["\r\n", ""],
]);

function characterOf(code: number, whole: string): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
}
