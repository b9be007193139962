import { removeHidden, showName } from "@skillet/kit/text";

// Shorter values would be found everywhere; runners leave them alone, too, and say so.
const MIN_SECRET_BYTES = 4;
// A line of a key is as secret as the key; a short line may be anything.
const MIN_LINE_BYTES = 12;

/** For text without escapes. Secrets go whole or by the line, every character of them, also in overlaps. */
export function redactSecrets(
  secrets: Readonly<Record<string, string | readonly string[]>>,
): (text: string) => string {
  const wanted = Object.entries(secrets).flatMap(([name, values]) => {
    const mark = `[redacted ${showName(name)}]`;
    return [values].flat().flatMap((value) => formsOf(value).map((form): Wanted => ({ form, mark })));
  });
  return wanted.length === 0 ? (text) => text : (text) => replaceSpans(text, findSpans(text, wanted));
}

interface Wanted {
  readonly form: string;
  readonly mark: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly mark: string;
}

function formsOf(value: string): readonly string[] {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  return [
    // In a cleaned text, a secret appears in its own cleaned form.
    ...new Set([
      ...[value, value.trim(), removeHidden(value)].filter((form) => isLong(form, MIN_SECRET_BYTES)),
      ...lines.filter((line) => isLong(line, MIN_LINE_BYTES)),
    ]),
  ];
}

function isLong(text: string, minBytes: number): boolean {
  return Buffer.byteLength(text) >= minBytes;
}

function findSpans(text: string, wanted: readonly Wanted[]): readonly Span[] {
  const spans: Span[] = [];
  for (const { form, mark } of wanted) {
    for (let start = text.indexOf(form); start !== -1; start = text.indexOf(form, start + 1))
      spans.push({ start, end: start + form.length, mark });
  }
  return spans.sort((left, right) => left.start - right.start || right.end - left.end);
}

function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, mark } of spans) {
    // An overlapping one is covered by the mark of the one before it.
    if (start >= position) parts.push(text.slice(position, start), mark);
    position = Math.max(position, end);
  }
  return [...parts, text.slice(position)].join("");
}
