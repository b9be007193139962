/** A string among the arguments of a call; `name` is empty for one by position. */
export interface CallText {
  readonly name: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether it stands there as it is, without escapes: its lines are lines of the document. */
  readonly isPlain: boolean;
}

/** Reads the strings of a call from behind its bracket to the closing one, whichever language it resembles. */
export function readCallTexts(
  source: string,
  from: number,
): { readonly texts: readonly CallText[]; readonly end: number } {
  const texts: CallText[] = [];
  let at = from;
  while (texts.length < MAX_ARGUMENTS) {
    SEPARATOR.lastIndex = at;
    at += SEPARATOR.exec(source)?.[0].length ?? 0;
    NAME.lastIndex = at;
    const name = NAME.exec(source);
    at += name?.[0].length ?? 0;
    const text = readText(source, at, name?.[1] ?? "");
    if (text === undefined) break;
    texts.push(text);
    at = text.end;
  }
  return { texts, end: at };
}

const MAX_ARGUMENTS = 8;
const SEPARATOR = /[\s,{]{0,200}/y;
const NAME = /["']?([A-Za-z_]\w{0,30})["']?\s{0,4}[:=]\s{0,4}/y;

function readText(source: string, at: number, name: string): CallText | undefined {
  PREFIX.lastIndex = at;
  const begin = at + (PREFIX.exec(source)?.[0].length ?? 0);
  const quote = QUOTES.find((candidate) => source.startsWith(candidate, begin));
  if (quote === undefined) return undefined;
  const start = begin + quote.length;
  const end =
    quote.length === 3 || quote === "`" ? source.indexOf(quote, start) : endOf(source, start, quote);
  if (end === -1) return undefined;
  const raw = source.slice(start, end);
  const isPlain = !raw.includes("\\");
  return { name, text: isPlain ? raw : decode(raw), start, end: end + quote.length, isPlain };
}

const PREFIX = /[rRbBfFuU]{0,2}(?=["'`])/y;
const QUOTES = ["'''", '"""', "```", '"', "'", "`"];

function endOf(source: string, start: number, quote: string): number {
  for (let at = start; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === "\\") at++;
    else if (character === quote) return at;
  }
  return -1;
}

function decode(raw: string): string {
  return raw.replaceAll(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g, (_, long, short, plain) => {
    const digits: string | undefined = long ?? short;
    if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
    return plain === "n" ? "\n" : plain === "t" ? "\t" : String(plain);
  });
}
