/** Where an unfenced header ends and where the body behind it begins. */
export interface HeaderEnd {
  readonly header: number;
  readonly body: number;
}

const FENCE = /^[ \t]*(?:-{3,}|\.\.\.)[ \t\r]*$/;
const KEY = /^[A-Za-z_][A-Za-z0-9_-]*[ \t]*:(?:[ \t\r]|$)/;
const BLANK = /^[ \t\r]*$/;

/**
 * Guesses where a header ends whose closing fence is missing: at anything like a fence, or at a blank line with
 * something behind it that is no key. Gives undefined if the text does not begin with keys.
 */
export function findHeaderEnd(text: string, from: number): HeaderEnd | undefined {
  let hasKey = false;
  let end = from;
  let afterBlank = false;
  for (let start = from; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const next = newline === -1 ? text.length : newline + 1;
    const line = text.slice(start, newline === -1 ? text.length : newline);
    if (FENCE.test(line)) return hasKey ? { header: start, body: next } : undefined;
    const isKey = KEY.test(line);
    if (BLANK.test(line)) afterBlank = true;
    else if (isKey || (hasKey && isInside(line, afterBlank))) {
      hasKey ||= isKey;
      end = next;
      afterBlank = false;
    } else if (!isComment(line) || hasKey) break;
    start = next;
  }
  return hasKey ? { header: end, body: end } : undefined;
}

/** Whether a line can belong to the key before it. */
function isInside(line: string, afterBlank: boolean): boolean {
  return (afterBlank ? /^[ \t]/ : /^[ \t\-#"}\]]/).test(line);
}

function isComment(line: string): boolean {
  return line.startsWith("#");
}
