/** The head of an HTTP/1 request, as it was written. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly version: "1.0" | "1.1";
  /** In their order; names in lower case, values without outer white space. */
  readonly fields: readonly HeadField[];
}

type HeadField = readonly [name: string, value: string];

export const MAX_HEAD_BYTES: number = 32 * 1024;
const MAX_FIELDS = 100;
const REQUEST_LINE = /^([A-Z][A-Z-]{0,31}) ([\x21-\x7e]+) HTTP\/1\.([01])$/;
// No space before the colon, no folded lines, no control characters: two readers could differ about each of them.
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;

/** Reads a request head without its final empty line; nothing when it is not exactly what the standard says. */
export function parseRequestHead(head: Buffer): RequestHead | undefined {
  if (head.length > MAX_HEAD_BYTES) return undefined;
  // Byte for byte: values may have any high byte, and go out as they came.
  const [requestLine = "", ...lines] = head.toString("latin1").split("\r\n");
  const [, method, target, minor] = REQUEST_LINE.exec(requestLine) ?? [];
  if (method === undefined || target === undefined || lines.length > MAX_FIELDS) return undefined;
  const fields: HeadField[] = [];
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    fields.push([name.toLowerCase(), withoutTrailingSpace(value)]);
  }
  return { method, target, version: minor === "0" ? "1.0" : "1.1", fields };
}

// By hand: an expression would look at every run of spaces in the middle again and again.
function withoutTrailingSpace(value: string): string {
  let end = value.length;
  while (value[end - 1] === " " || value[end - 1] === "\t") end -= 1;
  return value.slice(0, end);
}
