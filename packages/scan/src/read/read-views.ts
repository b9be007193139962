import {
  type Anomaly,
  type AnomalyFact,
  type Fact,
  type FactPlace,
  MAX_SNIPPET_CHARACTERS,
  placeIn,
} from "../fact/fact.ts";
import { findHiddenCharacters, type HiddenCharacters } from "../text/find-hidden-characters.ts";
import {
  FOREIGN,
  findHomoglyphs,
  foldForms,
  foldLetters,
  type Homoglyph,
  IGNORABLES,
  isPlain,
} from "../text/fold-text.ts";
import { LineIndex, type SourceText } from "../text/source-text.ts";

interface Views {
  readonly facts: Fact[];
  readonly views: SourceText[];
}

/** Reads what a text's characters hide. Plain text has no other view and costs one check. */
export function readViews(source: SourceText): Views {
  const facts: Fact[] = [];
  const views: SourceText[] = [];
  for (const { offset, detail } of findBlankRuns(source.text))
    facts.push(anomalyAt(source, offset, "blank-run", detail));
  const joined = source.chain.some(({ how }) => how === JOINED) ? undefined : joinSplitWords(source);
  if (joined !== undefined) views.push(derived(source, joined, JOINED, 0));
  // Dashes, arrows and accents are in most documents, and hide nothing.
  if (isPlain(source.text) || !(MAY_DISGUISE.test(source.text) || FOREIGN.test(source.text)))
    return { facts, views };
  for (const hidden of findHiddenCharacters(source.text)) {
    const place = placeAt(source, hidden.offset);
    facts.push({ ...place, kind: "hidden", how: hidden.how, text: hidden.text });
    if (hidden.text === "") continue;
    views.push({
      ...source,
      text: hidden.text,
      language: "text",
      firstLine: place.line,
      keepsLines: false,
      chain: [...source.chain, { how: nameOf(hidden.how), line: place.line }],
      medium: "hidden",
      stance: "live",
    });
  }
  for (const { offset, detail } of findBidiControls(source.text))
    facts.push(anomalyAt(source, offset, "bidi-override", detail));
  const homoglyphs = findHomoglyphs(source.text);
  for (const { offset, word, looksLike } of homoglyphs)
    facts.push(anomalyAt(source, offset, "homoglyph", `${word} → ${looksLike}`));
  facts.push(...invisibleInWords(source));
  const folded = source.chain.some(({ how }) => how === FOLDED)
    ? undefined
    : foldView(source.text, homoglyphs);
  if (folded !== undefined) views.push(derived(source, folded.text, FOLDED, folded.offset));
  return { facts, views };
}

export const FOLDED = "invisible characters removed, look-alike letters folded";
const JOINED = "split words joined";

function nameOf(how: HiddenCharacters["how"]): string {
  return how === "zero-width" ? "zero-width characters" : how.replace("-", " ");
}

function derived(source: SourceText, text: string, how: string, offset: number): SourceText {
  return { ...source, text, chain: [...source.chain, { how, line: new LineIndex(source).at(offset) }] };
}

function anomalyAt(source: SourceText, offset: number, what: Anomaly, detail: string): AnomalyFact {
  return { ...placeAt(source, offset), kind: "anomaly", what, detail };
}

function placeAt(source: SourceText, offset: number): FactPlace {
  const { text } = source;
  const start = Math.max(text.lastIndexOf("\n", offset - 1) + 1, offset - MAX_SNIPPET_CHARACTERS / 2);
  const end = text.indexOf("\n", offset);
  return placeIn(source, new LineIndex(source).at(offset), text.slice(start, end === -1 ? text.length : end));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a shell drops zero bytes, so they hide a word as well
const INVISIBLE = /[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u3164\uffa0\u2800\u0000-\u0008]/;
const IN_WORD =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a shell drops zero bytes, so they hide a word as well
  /[A-Za-z][\u200b-\u200d\u2060-\u2064\ufeff\u180e\u3164\uffa0\u2800\u0000-\u0008]+(?=[A-Za-z])/g;
const FILLER = /[\u115f\u1160\u3164\uffa0]/;
const CODE = /^(?:javascript|typescript|python|code)$/;

// Zero-width characters between ASCII letters only hide a word from a search.
function invisibleInWords(source: SourceText): AnomalyFact[] {
  const { text, language } = source;
  let count = 0;
  let first = -1;
  if (INVISIBLE.test(text))
    for (const match of text.matchAll(IN_WORD)) {
      if (first === -1) first = match.index;
      count++;
    }
  if (first === -1 && CODE.test(language)) {
    first = text.search(FILLER);
    if (first !== -1) count = text.match(IGNORABLES)?.length ?? 1;
  }
  if (first === -1) return [];
  return [anomalyAt(source, first, "invisible-characters", `${count} inside words`)];
}

/** The undisguised text, if that changes a word; undefined if it would only tidy typography. Line numbers are kept. */
function foldView(
  text: string,
  homoglyphs: readonly Homoglyph[],
): { readonly text: string; readonly offset: number } | undefined {
  const offset = MAY_DISGUISE.test(text) ? text.search(DISGUISE) : -1;
  if (offset !== -1) return { text: foldLetters(foldForms(text)), offset };
  const first = homoglyphs[0];
  return first === undefined
    ? undefined
    : { text: foldLetters(text.replace(IGNORABLES, "")), offset: first.offset };
}

/** The characters that the pattern below needs, which are faster to search for; all invisible ones are among them. */
const MAY_DISGUISE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a shell drops zero bytes, so they hide a word as well
  /[\u0000-\u0008\u00ad\u061c\u115f\u1160\u1d43-\u1d6a\u200b-\u200f\u202a-\u202e\u2060-\u209c\u2100-\u214f\u24b6-\u24e9\u2800\u3164\ud834-\ud83c\udb40-\udb43\ufeff\uff21-\uff5a\uffa0\ufff0-\ufff8]|[\u0300-\u036f]|[\ufe00-\ufe0f]|[\u17b4\u17b5]|[\u180b-\u180f]/;

/** Something invisible next to an ASCII letter, two letters in a compatibility form, or a mark on an ASCII letter that it does not compose with. */
const DISGUISE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a shell drops zero bytes, so they hide a word as well
  /[A-Za-z0-9/.:$-][\p{Default_Ignorable_Code_Point}\u2800\u0000-\u0008]+(?=[A-Za-z0-9/.:$-])|[\uff41-\uff5a]{3}|[\uff21-\uff3a]{7}|[\u{1d400}-\u{1d7ff}\u24b6-\u24e9\u{1f130}-\u{1f189}\u2100-\u214f\u1d43-\u1d6a\u2070-\u209c]{3}|[A-Za-z][\u0334-\u0338\u0300-\u036f]{1,64}(?=[A-Za-z])/u;

interface OddSpan {
  readonly offset: number;
  readonly detail: string;
}

function findBlankRuns(text: string): OddSpan[] {
  const found: OddSpan[] = [];
  for (const { seed, end, isRun, name } of BLANKS)
    for (let start = text.indexOf(seed); start !== -1 && found.length < MAX_RUNS; ) {
      end.lastIndex = start;
      const stop = end.exec(text)?.index;
      if (stop === undefined) break;
      const count = isRun(text.slice(start, stop), text.charAt(stop));
      if (count > 0) found.push({ offset: stop, detail: `${count} ${name}` });
      start = text.indexOf(seed, stop);
    }
  return found;
}

const MAX_RUNS = 10;
/** `seed` is in every run; `isRun` returns the length of a run, or 0 if it hides nothing. */
const BLANKS = [
  {
    ...{ name: "blank lines", seed: "\n".repeat(8), end: /[^\s\u200b\u2800\u3164]/g },
    isRun: (run: string): number => {
      const lines = run.split("\n").length - 1;
      return lines >= 100 ? lines : 0;
    },
  },
  {
    ...{ name: "blanks in a line", seed: " ".repeat(64), end: /[^ \t\u00a0\u3000]/g },
    isRun: (run: string, next: string): number => (run.length >= 300 && next !== "\n" ? run.length : 0),
  },
];

/** Finds overrides anywhere, and embeddings and isolates on lines without a right-to-left letter, where they have no honest use. */
function findBidiControls(text: string): OddSpan[] {
  const found: OddSpan[] = [];
  CONTROLS.lastIndex = 0;
  while (found.length < MAX_CONTROLS) {
    const offset = CONTROLS.exec(text)?.index;
    if (offset === undefined) break;
    const next = text.indexOf("\n", offset);
    const end = next === -1 ? text.length : next;
    const line = text.slice(text.lastIndexOf("\n", offset) + 1, end);
    const isOdd = /[\u202a\u202b\u2066-\u2068]/.test(line) && !RIGHT_TO_LEFT.test(line);
    if (isOdd || /[\u202d\u202e]/.test(line)) {
      const codes = (line.match(CONTROLS) ?? []).map(
        (control) => `U+${control.charCodeAt(0).toString(16).toUpperCase()}`,
      );
      found.push({ offset, detail: [...new Set(codes)].sort().join(", ") });
    }
    CONTROLS.lastIndex = end;
  }
  return found;
}

const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const MAX_CONTROLS = 50;

/** Joins words that line continuations or single spaces between letters take apart; undefined if there are none. Line numbers are kept. */
function joinSplitWords({ text, language }: SourceText): string | undefined {
  // Programs and their parsers join continuations by their own rules.
  if (!PROSE.test(language)) return undefined;
  const continued = joinContinuations(text);
  return joinLetters(continued ?? text) ?? continued;
}

const PROSE = /^(?:markdown|text|html)$/;
const CONTINUED = /[A-Za-z]\\\r?\n[a-z]/;
const CONTINUED_LINES = /^(?:[^\n]*\\\r?\n)+[^\n]*/gm;

// The line feeds move to the end of the joined line, so that the following lines keep their numbers.
function joinContinuations(text: string): string | undefined {
  if (!text.includes("\\") || !CONTINUED.test(text)) return undefined;
  return text.replace(CONTINUED_LINES, (lines) => {
    const parts = lines.split(/\\\r?\n/);
    return parts.join("") + "\n".repeat(parts.length - 1);
  });
}

// The lookbehind comes last, as few letters are followed by a mark, a letter and the same mark.
const SPACED =
  /[A-Za-z]([ .\-_*·])[A-Za-z]\1(?<![A-Za-z]{2}.[A-Za-z].)[A-Za-z](?:\1[A-Za-z]){3,}(?![A-Za-z])/;
const SPACED_WORDS = /(?<![A-Za-z])[A-Za-z]([ .\-_*·])[A-Za-z](?:\1[A-Za-z])+(?![A-Za-z])/g;

// `i g n o r e  a l l`: one separator between letters, more between words.
function joinLetters(text: string): string | undefined {
  if (!SPACED.test(text)) return undefined;
  return text.replace(SPACED_WORDS, (run, mark: string) => run.split(mark).join(""));
}
