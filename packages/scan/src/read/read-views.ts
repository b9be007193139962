import {
  type Anomaly,
  type AnomalyFact,
  type Fact,
  type FactPlace,
  MAX_SNIPPET_CHARACTERS,
} from "../fact/fact.ts";
import { findBidiControls } from "../text/find-bidi-controls.ts";
import { findBlankRuns } from "../text/find-blank-runs.ts";
import { findHiddenCharacters } from "../text/find-hidden-characters.ts";
import { findHomoglyphs } from "../text/find-homoglyphs.ts";
import { foldView, mayDisguise } from "../text/fold-view.ts";
import { IGNORABLES, isPlain } from "../text/ignorable.ts";
import { joinSplitWords } from "../text/join-split-words.ts";
import { lineAt, type SourceText } from "../text/source-text.ts";

/** A text seen otherwise than it shows: what its characters hide, and the texts that a reader or a machine would make of it. */
interface Views {
  readonly facts: Fact[];
  readonly views: SourceText[];
}

/** Reads what the characters of a text hide. Plain text has no other view and costs one look. */
export function readViews(source: SourceText): Views {
  const facts: Fact[] = [];
  const views: SourceText[] = [];
  for (const { offset, detail } of findBlankRuns(source.text))
    facts.push(anomalyAt(source, offset, "blank-run", detail));
  const joined = source.chain.some(({ how }) => how === JOINED) ? undefined : joinSplitWords(source);
  if (joined !== undefined) views.push(derived(source, joined, JOINED, 0));
  // Dashes, arrows and accents are in most documents, and hide nothing.
  if (isPlain(source.text) || !mayDisguise(source.text)) return { facts, views };
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
      chain: [...source.chain, { how: HIDDEN_NAMES[hidden.how], line: place.line }],
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

/** How a text was won whose invisible characters are gone and whose look-alike letters are ASCII. */
export const FOLDED = "invisible characters removed, look-alike letters folded";
const JOINED = "split words joined";

const HIDDEN_NAMES: Readonly<Record<"tag-characters" | "variation-selectors" | "zero-width", string>> = {
  "tag-characters": "tag characters",
  "variation-selectors": "variation selectors",
  "zero-width": "zero-width characters",
};

function derived(source: SourceText, text: string, how: string, offset: number): SourceText {
  return { ...source, text, chain: [...source.chain, { how, line: lineAt(source, offset) }] };
}

function anomalyAt(source: SourceText, offset: number, what: Anomaly, detail: string): AnomalyFact {
  return { ...placeAt(source, offset), kind: "anomaly", what, detail };
}

function placeAt(source: SourceText, offset: number): FactPlace {
  const { file, text, chain, medium, stance, section, isFixture } = source;
  const start = Math.max(text.lastIndexOf("\n", offset - 1) + 1, offset - MAX_SNIPPET_CHARACTERS / 2);
  const end = text.indexOf("\n", offset);
  const snippet = text.slice(start, Math.min(end === -1 ? text.length : end, start + MAX_SNIPPET_CHARACTERS));
  return { file, line: lineAt(source, offset), snippet, chain, medium, stance, section, isFixture };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a shell drops zero bytes, so they hide a word as well
const INVISIBLE = /[\u200b-\u200d\u2060-\u2064\ufeff\u180e\u3164\uffa0\u2800\u0000-\u0008]/;
const IN_WORD =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a shell drops zero bytes, so they hide a word as well
  /[A-Za-z][\u200b-\u200d\u2060-\u2064\ufeff\u180e\u3164\uffa0\u2800\u0000-\u0008]+(?=[A-Za-z])/g;
const FILLER = /[\u115f\u1160\u3164\uffa0]/;
const CODE = /^(?:javascript|typescript|python|code)$/;

// Zero-width characters between ASCII letters do nothing but hide a word from a search.
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
