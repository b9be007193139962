import { wordSet } from "../../word-list.ts";

/** Whether HTML or SVG knows an element of this name; others in prose are placeholders, or pretend to be a system's own tags. */
export function isKnownElement(name: string): boolean {
  return KNOWN.has(name.toLowerCase());
}

const KNOWN: ReadonlySet<string> = wordSet(`
  a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center
  cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption
  figure font footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label
  legend li link main map mark menu meta meter nav noscript object ol optgroup option p param picture pre
  progress q rp rt ruby s samp script search section select slot small source span strike strong style sub
  summary sup svg table tbody td textarea tfoot th thead time title tr track tt u ul var video wbr g path
  rect circle ellipse line polyline polygon text tspan defs use image symbol marker mask pattern filter
  foreignobject animate animatetransform set desc metadata clippath lineargradient radialgradient stop
`);

export function isOrdinaryComment(comment: string): boolean {
  const text = comment.trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return true;
  if (text.length > MAX_ORDINARY_CHARACTERS || text.includes("://")) return false;
  return ORDINARY.test(text) || /^[\w.:/-]{1,60}$/.test(text);
}

const MAX_ORDINARY_CHARACTERS = 160;
const ORDINARY =
  /^\W{0,4}(?:todo|fixme|hack|xxx|note to (?:self|editors?)|markdownlint|prettier|eslint|biome|vale|textlint|cspell|spell-?checker|alex|remark|rumdl|mdformat|deno-fmt|editorconfig|htmlmin|omit (?:in|from) toc|toc|tocstop|table of contents|doctoc|start doctoc|end doctoc|begin|end|start|stop|region|endregion|section|anchor|more|truncate|break|pagebreak|newpage|slide|badges?|all-contributors|sponsors?|copyright|licen[sc]e|spdx|generated|auto-?generated|do not edit|this file (?:is|was) (?:auto)?|version|last (?:updated|modified|reviewed)|insert|placeholder|image|figure|screenshot|example|template|optional|include|snippet|embed)\b/i;

export const TEXT_ATTRIBUTE: RegExp =
  /^(?:alt|title|aria-label|aria-description|placeholder|content|summary|value|data-[\w-]{1,40})$/;

/** Whether a text says something: five words, or six signs of a script that has no blanks. */
export function isSentence(text: string): boolean {
  return /\S\s+\S+\s+\S+\s+\S+\s+\S/.test(text) || /[\u3040-\u30ff\u3400-\u9fff]{6}/.test(text);
}

export function hasLetters(text: string): boolean {
  return ASCII.test(text) || ANY.test(text);
}

// Most text has one, and this is quicker to see.
const ASCII = /[A-Za-z0-9]/;
const ANY = /[\p{L}\p{N}]/u;
