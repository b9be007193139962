// More lenient than any server should be: what one of them might take for a request must not pass as something else.
const BEFORE = /^[\t\r\n ]*/;
const METHOD = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const REQUEST_LINE = new RegExp(`^${METHOD}\\s+(?:\\S[^\\n]*\\sHTTP/[0-9]|https?://)`, "i");
const PART_OF_LINE = new RegExp(`^(?:${METHOD}(?:\\s[\\t\\r\\x20-\\x7e\\x80-\\xff]*)?)?$`);

/** Whether bytes begin like an HTTP request; `unknown` until their first line is whole. */
export function httpStart(bytes: Buffer): "yes" | "no" | "unknown" {
  const text = bytes.toString("latin1").replace(BEFORE, "");
  const end = text.indexOf("\n");
  if (end >= 0) return REQUEST_LINE.test(text.slice(0, end)) ? "yes" : "no";
  return PART_OF_LINE.test(text) ? "unknown" : "no";
}
