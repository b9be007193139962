// Only ASCII white space, so that text and bytes are trimmed alike.
function isWhite(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** Where a body begins and ends without blank lines before it and white space behind it. */
export interface BodyRange {
  readonly start: number;
  readonly end: number;
}

/** Finds a body in a text; the first line keeps its indentation, which Markdown gives a meaning. */
export function trimBodyText(text: string, from: number): BodyRange {
  let end = text.length;
  while (end > from && isWhite(text.charCodeAt(end - 1))) end -= 1;
  let start = from;
  for (let at = from; at < end && isWhite(text.charCodeAt(at)); at += 1)
    if (text.charCodeAt(at) === 0x0a) start = at + 1;
  return { start: Math.min(start, end), end };
}

/** The same for the bytes of a text. */
export function trimBodyBytes(bytes: Uint8Array, from: number): BodyRange {
  let end = bytes.length;
  while (end > from && isWhite(bytes[end - 1] ?? 0)) end -= 1;
  let start = from;
  for (let at = from; at < end && isWhite(bytes[at] ?? 0); at += 1) if (bytes[at] === 0x0a) start = at + 1;
  return { start: Math.min(start, end), end };
}
