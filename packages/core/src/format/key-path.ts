import { SkilletError } from "@skillet/kit/errors";

const SEGMENT = /(?:"((?:[^"\\]|\\.)*)"|([^."]+))(\.|$)/y;

/** A segment that contains dots is in double quotes: `skills.overrides."user:v1.2".enabled`. */
export function parseKeyPath(key: string): readonly string[] {
  const path: string[] = [];
  let position = 0;
  while (position < key.length) {
    SEGMENT.lastIndex = position;
    const match = SEGMENT.exec(key);
    const endsInDot = match?.[3] === "." && SEGMENT.lastIndex === key.length;
    if (match === null || endsInDot) throw invalid(key);
    path.push(match[1] === undefined ? (match[2] ?? "") : match[1].replace(/\\(.)/g, "$1"));
    position = SEGMENT.lastIndex;
  }
  if (path.length === 0) throw invalid(key);
  return path;
}

export function formatKeyPath(path: readonly string[]): string {
  return path
    .map((part) => (part === "" || /[."]/.test(part) ? `"${part.replace(/["\\]/g, "\\$&")}"` : part))
    .join(".");
}

// A key may be as long as a whole file.
const MAX_SHOWN_CHARACTERS = 200;

export function showKeyPath(path: readonly string[]): string {
  const text = path.join(".");
  return `\`${text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text}\``;
}

function invalid(key: string): SkilletError {
  const message = `${JSON.stringify(key)} is not a dotted key; write it like skills.scriptTimeout, and put a part that holds dots in double quotes.`;
  return new SkilletError("config-key-invalid", message, { data: { key } });
}
