export interface BlankRun {
  readonly offset: number;
  readonly detail: string;
}

/** Finds text that was pushed out of sight: behind hundreds of blank lines, or far to the right. */
export function findBlankRuns(text: string): BlankRun[] {
  const found: BlankRun[] = [];
  if (text.includes(LINES)) found.push(...runsOf(text, LINES, BLANK, "blank lines"));
  if (text.includes(SPACES)) found.push(...runsOf(text, SPACES, SPACE, "blanks in a line"));
  return found.slice(0, MAX_RUNS);
}

const MIN_LINES = 100;
const MIN_SPACES = 300;
const MAX_RUNS = 10;
const LINES = "\n\n\n\n\n\n\n\n";
const SPACES = " ".repeat(64);
const BLANK = /[^\s\u200b\u2800\u3164]/g;
const SPACE = /[^ \t\u00a0\u3000]/g;

function runsOf(text: string, seed: string, end: RegExp, name: string): BlankRun[] {
  const found: BlankRun[] = [];
  for (let start = text.indexOf(seed); start !== -1 && found.length < MAX_RUNS; ) {
    end.lastIndex = start;
    const stop = end.exec(text)?.index;
    if (stop === undefined) break;
    const run = text.slice(start, stop);
    const count = end === BLANK ? run.split("\n").length - 1 : run.length;
    if (count >= (end === BLANK ? MIN_LINES : MIN_SPACES) && !(end === SPACE && text[stop] === "\n"))
      found.push({ offset: stop, detail: `${count} ${name}` });
    start = text.indexOf(seed, stop);
  }
  return found;
}
