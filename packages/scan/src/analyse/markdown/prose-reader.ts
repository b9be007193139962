import {
  clauseFact,
  type Fact,
  type FactPlace,
  type HiddenFact,
  MAX_SNIPPET_CHARACTERS,
  placeIn,
} from "../../fact/fact.ts";
import type { Language } from "../../file/file-kind.ts";
import {
  LineIndex,
  lastAtMost,
  lineStarts,
  type Medium,
  type SourceText,
  type Stance,
} from "../../text/source-text.ts";
import { wordSet, wordTable } from "../../word-list.ts";
import type { Span } from "../fact-writer.ts";
import { isDemanding } from "./document-context.ts";
import { type InlineLink, type Prose, plainProse } from "./read-inlines.ts";
import type { MarkupTag } from "./read-markup.ts";
import { clauseParts, FoldedProse, hasLetters, splitClauses } from "./split-clauses.ts";

/** Reads the prose of a document, with a subclass for each kind of document. Lines are looked up, not counted each time. */
export class ProseReader {
  readonly source: SourceText;
  readonly facts: Fact[] = [];
  readonly texts: SourceText[] = [];
  readonly #lines: LineIndex;
  protected defined: ReadonlyMap<string, string> = new Map();
  #index = 0;

  constructor(source: SourceText) {
    this.source = source;
    this.#lines = new LineIndex(source);
  }

  /** Maps offsets of code whose indentation was removed to the document, line by line. */
  linewise(offset: number, text: string): (at: number) => number {
    const starts = lineStarts(text);
    const first = this.#lines.at(offset);
    return (at) => {
      const line = lastAtMost(starts, at);
      return line === 0 ? offset + at : (this.#lines.startOf(first + line) ?? offset);
    };
  }

  place(offset: number, snippet: string, context: PlaceContext): FactPlace {
    const words = snippet.slice(0, MAX_SNIPPET_CHARACTERS).trim();
    return placeIn(this.source, this.#lines.at(offset), words, this.#within(context));
  }

  addText(offset: number, text: string, language: Language, context: PlaceContext): void {
    const { medium, stance, section } = this.#within(context);
    const firstLine = this.#lines.at(offset);
    const isRepetition = false;
    this.texts.push({ ...this.source, text, language, firstLine, medium, stance, section, isRepetition });
  }

  #within({ medium, stance, section }: PlaceContext): PlaceContext {
    const outer = this.source;
    return {
      // A list in a fence or a decoded text counts as the latter.
      medium: PLAIN_MEDIA.has(medium) && !PLAIN_MEDIA.has(outer.medium) ? outer.medium : medium,
      // Inside a specimen, nothing is more alive than the specimen.
      stance: outer.stance === "live" ? stance : outer.stance,
      section: outer.section.length === 0 ? section : [...outer.section, ...section],
    };
  }

  /** Returns the last clause, folded; empty if there is none. */
  read(prose: Prose, context: PlaceContext): string {
    const addresses = bareAddresses(prose.text);
    const whole = addresses.length === 0 ? prose.code : sorted([...prose.code, ...addresses]);
    const codes = new Sweep(prose.code);
    const links = new Sweep<AnyLink>(sorted([...prose.links, ...addresses]));
    const folded = new FoldedProse(prose.text);
    let last = "";
    for (const clause of splitClauses(prose.text, whole)) {
      const code = codes.before(clause.to);
      for (const part of clauseParts(folded, clause, code)) {
        const text = collapse(folded.slice(part.from, part.to));
        if (!hasLetters(text)) continue;
        const stance = partStance(part.stance, context.stance, text);
        const at = stance === context.stance ? context : { ...context, stance };
        const urls = this.#addLinks(prose, links.before(part.to), at);
        if (code.length > 0) this.#addCommands(prose, code, { ...at, medium: "inline-code" }, part);
        const place = this.#place(prose, part.from, prose.text.slice(part.from, part.to), at);
        this.facts.push(clauseFact(place, text, this.#index++, urls.length === 0 ? undefined : urls));
        last = text;
      }
    }
    // Images and links without a word are not part of a clause.
    this.#addLinks(prose, links.before(Number.POSITIVE_INFINITY), context);
    return last;
  }

  /** Records text that a page does not show, and reads it as prose. */
  hide(how: HiddenFact["how"], prose: Prose, context: PlaceContext): void {
    if (!hasLetters(prose.text)) return;
    const inside: PlaceContext = { ...context, medium: "hidden", stance: "live" };
    this.noteHidden(how, prose, inside);
    this.read(prose, inside);
  }

  comment(how: HiddenFact["how"], text: string, offset: number, context: PlaceContext): void {
    const inside: PlaceContext = { ...context, medium: "comment", stance: "live" };
    const prose = plainProse(text, offset);
    if (!isOrdinaryComment(text)) this.noteHidden(how, prose, inside);
    this.read(prose, inside);
  }

  noteHidden(how: HiddenFact["how"], prose: Prose, context: PlaceContext): void {
    const text = prose.text.trim();
    const start = prose.text.length - prose.text.trimStart().length;
    this.facts.push({ ...this.#place(prose, start, text, context), kind: "hidden", how, text });
  }

  /** Reads a tag's links and hidden sentences; `at` maps its offsets to the document. */
  readTag(tag: MarkupTag, at: (offset: number) => number, context: PlaceContext): void {
    for (const { name, value, offset } of tag.attributes) {
      const role = linkRole(tag.name, name);
      const url = value.trim();
      if (role !== undefined && url !== "") {
        const snippet = `<${tag.name} ${name}="${url}">`;
        const place = this.place(at(tag.offset), snippet, { ...context, medium: "link" });
        this.facts.push({ ...place, kind: "link", url, label: "", role });
      }
      if (TEXT_ATTRIBUTE.test(name) && isSentence(value))
        this.hide("attribute", plainProse(value, at(offset)), context);
    }
  }

  #addLinks(prose: Prose, links: readonly AnyLink[], context: PlaceContext): readonly string[] {
    if (links.length === 0) return NOTHING;
    const urls: string[] = [];
    for (const link of links) {
      const isBare = link.role === "bare";
      const label = isBare ? "" : prose.text.slice(link.from, link.to);
      const url = isBare ? link.url : (link.url ?? this.defined.get((link.reference || label).toLowerCase()));
      if (url === undefined) continue;
      urls.push(url);
      const stance = isBare && link.isDefanged && context.stance === "live" ? "quoted" : context.stance;
      const snippet = isBare ? url : `[${label.slice(0, 120)}](${url})`;
      const place = this.#place(prose, link.from, snippet, { ...context, stance, medium: "link" });
      this.facts.push({ ...place, kind: "link", url, label: label.slice(0, 200), role: link.role });
    }
    return urls;
  }

  #addCommands(prose: Prose, code: readonly Span[], context: PlaceContext, part: Span): void {
    for (const span of code) {
      if (span.from < part.from || span.to > part.to) continue;
      const text = prose.text.slice(span.from, span.to);
      if (looksLikeCommand(text)) this.addText(prose.sourceOffset(span.from), text, "shell", context);
      else if (SETTING.test(text) && ORDERED.test(prose.text.slice(part.from, part.to))) {
        const isJson = text.includes("{");
        const data = isJson && !text.trimStart().startsWith("{") ? `{${text}}` : text;
        const language = isJson ? "json" : "ini";
        this.addText(prose.sourceOffset(span.from), data, language, context);
      }
    }
  }

  #place(prose: Prose, offset: number, snippet: string, context: PlaceContext): FactPlace {
    return this.place(prose.sourceOffset(offset), snippet, context);
  }
}

export interface PlaceContext {
  readonly medium: Medium;
  readonly stance: Stance;
  readonly section: readonly string[];
}

const PLAIN_MEDIA: ReadonlySet<Medium> = new Set(["prose", "list", "table", "quote", "heading", "markup"]);

/** A setting about permissions in a sentence: `"defaultMode": "bypassPermissions"`. */
const SETTING =
  /^\s{0,4}(?=[^\n]{0,200}(?:mode|approv|accept|enable|permission|allow|sandbox|trust|yolo|_url|endpoint))[{"'A-Za-z][\w."' -]{0,60}\s{0,4}[:={]\s{0,4}\S/i;

const ORDERED =
  /\b(?:set|add|put|write|append|merge|insert|switch|turn|enable|change|copy|edit|use|export|configure)\b|\p{Script=Han}|\p{Script=Cyrillic}|\p{Script=Hangul}|\p{Script=Hiragana}/iu;

function linkRole(tag: string, attribute: string): "link" | "image" | "embed" | undefined {
  if (attribute === "href" || attribute === "xlink:href") return EMBEDDING.has(tag) ? "embed" : "link";
  if (attribute === "src") return tag === "img" ? "image" : "embed";
  if (attribute === "data") return tag === "object" ? "embed" : undefined;
  return ROLES.get(attribute);
}

const EMBEDDING: ReadonlySet<string> = wordSet("image use feimage link");
const ROLES: ReadonlyMap<string, "link" | "image"> = wordTable<"link" | "image">(`
  link action formaction
  image srcset poster background
`);

function collapse(text: string): string {
  return (UNEVEN.test(text) ? text.replace(/\s+/g, " ") : text).trim();
}

// Whitespace other than a single plain space.
const UNEVEN = /[^\S ]| {2}/;

/** A demand stays one under any heading. */
function partStance(own: Stance, context: Stance, text: string): Stance {
  if (own !== "live") return own;
  return context !== "live" && isDemanding(text) ? "live" : context;
}

const NOTHING: readonly never[] = [];

class Sweep<Item extends Span> {
  readonly #spans: readonly Item[];
  #next = 0;

  constructor(spans: readonly Item[]) {
    this.#spans = spans;
  }

  before(end: number): readonly Item[] {
    const start = this.#next;
    while ((this.#spans[this.#next]?.from ?? Number.POSITIVE_INFINITY) < end) this.#next++;
    return start === this.#next ? NOTHING : this.#spans.slice(start, this.#next);
  }
}

function sorted<Item extends Span>(spans: readonly Item[]): readonly Item[] {
  return spans.length < 2 ? spans : spans.toSorted((left, right) => left.from - right.from);
}

type AnyLink = InlineLink | BareAddress;

interface BareAddress extends Span {
  readonly role: "bare";
  readonly url: string;
  /** Rewritten so that nobody follows it, as `hxxp://a[.]test`. */
  readonly isDefanged: boolean;
}

function bareAddresses(text: string): readonly BareAddress[] {
  if (!HINT.test(text)) return [];
  const found: BareAddress[] = [];
  for (const match of text.matchAll(DEFANGED_HINT.test(text) ? ADDRESS : PLAIN_ADDRESS)) {
    const url = trimEnd(match[0]);
    const isDefanged = /^h(?:xx|\*\*)p/i.test(url) || /\[(?:\.|dot|:)\]|\(\.\)/i.test(url);
    found.push({ role: "bare", from: match.index, to: match.index + url.length, url, isDefanged });
  }
  return found;
}

const HINT = /:\/\/|www\.|\[:\]\/\/|\[(?:\.|dot)\]/i;
const DEFANGED_HINT = /\[(?:\.|dot)\]/i;
const PLAIN_ADDRESS =
  /(?:(?:https?|h(?:xx|\*\*)ps?|ftps?|file|wss?|ssh|git|magnet|data|javascript)(?::|\[:\])\/\/|\bwww\.(?=[\p{L}\p{N}]))[^\s<>"'`“”«»「」，。；（）]{1,2000}/giu;
// This would be tried at every word, so only on a text that contains one.
const DEFANGED_HOST =
  /\b[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,4}\[(?:\.|dot)\][\p{L}\p{N}.[\]-]{2,80}(?:\/[^\s<>"'`]{0,500})?/giu;
const ADDRESS = new RegExp(`${PLAIN_ADDRESS.source}|${DEFANGED_HOST.source}`, "giu");

function trimEnd(url: string): string {
  let end = url.length;
  while (end > 0 && ".,;:!?*_~|\\".includes(url.charAt(end - 1))) end--;
  while (end > 0 && isUnopened(url, end)) end--;
  return url.slice(0, end);
}

/** A closing bracket at the end that the address did not open belongs to the sentence. */
function isUnopened(url: string, end: number): boolean {
  const open = { ")": "(", "]": "[", "}": "{" }[url.charAt(end - 1)];
  return open !== undefined && !url.slice(0, end).includes(open);
}

/** Whether inline code may be a command to type, not a name, a path or an expression; fast and generous. */
function looksLikeCommand(code: string): boolean {
  if (code.length < 4) return false;
  if (/:\/\/|\||\$\(|<\(/.test(code)) return /\s/.test(code);
  return COMMAND.test(code);
}

const COMMAND =
  /^\s{0,4}(?:[$%>#]\s{1,2})?(?:sudo\s{1,4})?(?:[A-Z_]{1,40}=\S{0,80}\s{1,4})?(?:[./~][\w./~-]{1,80}|[a-z][a-z0-9_.-]{1,30})\s{1,4}[-\w./~$"'@{<:]/;

function isOrdinaryComment(comment: string): boolean {
  const text = comment.trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return true;
  if (text.length > MAX_ORDINARY_CHARACTERS || text.includes("://")) return false;
  return ORDINARY.test(text) || /^[\w.:/-]{1,60}$/.test(text);
}

const MAX_ORDINARY_CHARACTERS = 160;
const ORDINARY =
  /^\W{0,4}(?:todo|fixme|hack|xxx|note to (?:self|editors?)|markdownlint|prettier|eslint|biome|vale|textlint|cspell|spell-?checker|alex|remark|rumdl|mdformat|deno-fmt|editorconfig|htmlmin|omit (?:in|from) toc|toc|tocstop|table of contents|doctoc|start doctoc|end doctoc|begin|end|start|stop|region|endregion|section|anchor|more|truncate|break|pagebreak|newpage|slide|badges?|all-contributors|sponsors?|copyright|licen[sc]e|spdx|generated|auto-?generated|do not edit|this file (?:is|was) (?:auto)?|version|last (?:updated|modified|reviewed)|insert|placeholder|image|figure|screenshot|example|template|optional|include|snippet|embed)\b/i;

const TEXT_ATTRIBUTE =
  /^(?:alt|title|aria-label|aria-description|placeholder|content|summary|value|data-[\w-]{1,40})$/;

/** Whether a text can be a sentence: five words, or six characters of a script without spaces. */
export function isSentence(text: string): boolean {
  return /\S\s+\S+\s+\S+\s+\S+\s+\S/.test(text) || /[\u3040-\u30ff\u3400-\u9fff]{6}/.test(text);
}
