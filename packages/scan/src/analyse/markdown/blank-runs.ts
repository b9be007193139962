/** Text that stands far below or far to the right of everything else, where no reader scrolls. */
export interface FarText {
  readonly how: "blank-run" | "far-column";
  readonly offset: number;
  readonly text: string;
}

const MIN_BLANK_LINES = 200;
const MIN_BLANK_COLUMNS = 400;
const MAX_TEXT_CHARACTERS = 2_000;

export function farTexts(text: string): readonly FarText[] {
  const found: FarText[] = [];
  if (text.length < MIN_BLANK_LINES || !hasLongBlank(text)) return found;
  for (const match of text.matchAll(LONG_BLANK)) {
    const offset = match.index + match[0].length;
    const lineFeeds = match[0].split("\n").length - 1;
    const lastLine = match[0].length - 1 - match[0].lastIndexOf("\n");
    if (offset >= text.length) continue;
    if (lineFeeds >= MIN_BLANK_LINES) found.push(farText("blank-run", text, offset));
    else if (lastLine > MIN_BLANK_COLUMNS) found.push(farText("far-column", text, offset));
  }
  return found;
}

const LONG_BLANK = /\s{200,}/g;

// A run of 200 covers two neighbours of the places looked at, and all between: most documents are done after this.
function hasLongBlank(text: string): boolean {
  for (let at = STEP; at < text.length; at += STEP)
    if (BETWEEN.every((back) => /\s/.test(text.charAt(at - back)))) return true;
  return false;
}

const STEP = 100;
const BETWEEN = [0, 100, 50, 25, 75, 1, 10, 90];

function farText(how: FarText["how"], text: string, offset: number): FarText {
  const end = text.slice(offset, offset + MAX_TEXT_CHARACTERS).search(/\n\s{0,80}\n\s{0,80}\n/);
  return { how, offset, text: text.slice(offset, offset + (end === -1 ? MAX_TEXT_CHARACTERS : end)).trim() };
}
