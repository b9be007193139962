import { type MarkdownBlock, markdownBlocks } from "@skillet/kit/markdown";
import type { Fact } from "../../fact/fact.ts";
import type { Language } from "../../file/file-kind.ts";
import type { SourceText } from "../../text/source-text.ts";
import { DocumentContext } from "./document-context.ts";
import { DocumentPlaces, type PlaceContext } from "./document-place.ts";
import { fenceLanguage } from "./fence-language.ts";
import { HiddenScope, hiddenSpans, spanOf, withoutSpans } from "./hidden-scope.ts";
import { isDefensive } from "./is-defensive.ts";
import { readTag } from "./markup-tokens.ts";
import { isSentence } from "./markup-words.ts";
import { type Prose, ProseReader, plainProse } from "./prose-reader.ts";
import { type InlineSpan, type Inlines, readInlines } from "./read-inlines.ts";
import { readMarkup } from "./read-markup.ts";
import { SessionTexts } from "./session-texts.ts";
import { shellLines } from "./shell-lines.ts";

export class MarkdownReader {
  readonly #places: DocumentPlaces;
  readonly #prose: ProseReader;
  readonly #defined: ReadonlyMap<string, string>;
  readonly #context: DocumentContext;
  readonly #scope = new HiddenScope();
  #session: SessionTexts | undefined;

  constructor(source: SourceText) {
    this.#places = new DocumentPlaces(source);
    this.#context = new DocumentContext({
      isDefensive: source.isInDefensiveSkill || isDefensive(source.text),
    });
    this.#defined = definedAddresses(source.text);
    this.#prose = new ProseReader(this.#places, this.#defined);
  }

  get facts(): readonly Fact[] {
    return this.#prose.facts;
  }

  get texts(): readonly SourceText[] {
    return [...this.#prose.texts, ...this.#blocksTogether().texts()];
  }

  get unread(): string | undefined {
    return this.#blocksTogether().unread;
  }

  #blocksTogether(): SessionTexts {
    if (this.#session === undefined) {
      this.#session = new SessionTexts();
      for (const text of this.#prose.texts) this.#session.add(text);
    }
    return this.#session;
  }

  /** Takes a first block between `---` lines as YAML; says where the body begins. */
  readFrontmatter(text: string): number {
    const open = /^\uFEFF?---[ \t]{0,20}\n/.exec(text);
    if (open === null) return 0;
    CLOSING.lastIndex = open[0].length - 1;
    const close = CLOSING.exec(text);
    if (close === null) return 0;
    const yaml = text.slice(open[0].length, close.index + 1);
    const context: PlaceContext = { medium: "frontmatter", stance: "live", section: [] };
    this.#prose.texts.push(this.#places.text(open[0].length, yaml, "yaml", context));
    return close.index + close[0].length;
  }

  /** Takes text that stands where no reader scrolls; it is read as prose where it stands, too. */
  readFarTexts(text: string): void {
    for (const { how, offset, text: far } of farTexts(text))
      this.#prose.noteHidden(how, plainProse(far, offset), { medium: "hidden", stance: "live", section: [] });
  }

  readBody(text: string, offset: number): void {
    this.#readBlocks(text, { toSource: (at) => offset + at, depth: 0 });
  }

  #readBlocks(text: string, { toSource, depth }: BlockOrigin): void {
    const blocks = markdownBlocks(text, { asRendered: true });
    for (const [index, block] of blocks.entries()) {
      const context = this.#context.enter(block, blocks[index + 1]);
      if (block.kind === "code")
        this.#readCode(block, toSource(block.lines[0]?.start ?? block.start), context);
      else if (block.kind === "html") this.#readHtml(block, { toSource, depth }, context);
      else this.#readProse(block, toSource, context);
    }
  }

  #readCode(block: MarkdownBlock, offset: number, context: PlaceContext): void {
    if (block.text.trim() === "") return;
    const language = fenceLanguage(block.info ?? "", block.text);
    const inside: PlaceContext = {
      ...context,
      medium: this.#scope.isHidden ? "hidden" : context.medium,
    };
    // Other text is read here, so that text indented ever deeper is not copied for each step.
    if (language === "text")
      this.#prose.read(
        { ...plainProse(block.text, offset), sourceOffset: this.#places.linewise(offset, block.text) },
        inside,
      );
    else this.#prose.texts.push(this.#places.text(offset, block.text, language, inside));
    const commands = HAS_COMMANDS.has(language) ? undefined : shellLines(block.text);
    if (commands !== undefined) this.#prose.texts.push(this.#places.text(offset, commands, "shell", inside));
  }

  #readProse(block: MarkdownBlock, toSource: (offset: number) => number, context: PlaceContext): void {
    const from = block.kind === "paragraph" ? this.#readDefinitions(block, toSource, context) : 0;
    const text = from === 0 ? block.text : block.text.slice(from);
    const inlines = readInlines(text, block.start + from, this.#defined);
    const prose: Prose = {
      text: inlines.text,
      code: inlines.code,
      links: inlines.links,
      sourceOffset: (offset) => toSource(inlines.sourceOffset(offset)),
    };
    const hidden =
      inlines.markup.length === 0 && !this.#scope.isHidden
        ? NO_SPANS
        : this.#readInlineMarkup(inlines, toSource, context);
    const shown = withoutSpans(prose, hidden);
    const last = this.#prose.read(shown, context);
    for (const span of hidden) this.#prose.hide("invisible-style", spanOf(prose, span), context);
    for (const { title, from: at } of inlines.links)
      if (isSentence(title))
        this.#prose.hide("attribute", plainProse(title, prose.sourceOffset(at)), context);
    if (block.kind === "heading") this.#context.noteHeading(shown.text.trim(), block.level);
    else if (last !== "") this.#context.noteLastClause(block, last);
  }

  #readDefinitions(
    block: MarkdownBlock,
    toSource: (offset: number) => number,
    context: PlaceContext,
  ): number {
    let end = 0;
    for (const definition of referenceDefinitions(block.text)) {
      end = definition.to;
      const offset = toSource(block.start + definition.from);
      const { label, url, title } = definition;
      if (definition.isComment) this.#prose.comment("markdown-comment", title, offset, context);
      else {
        const place = this.#places.place(offset, `[${label}]: ${url}`, { ...context, medium: "link" });
        this.#prose.facts.push({ ...place, kind: "link", url, label, role: "link" });
        if (isSentence(title)) this.#prose.hide("attribute", plainProse(title, offset), context);
      }
    }
    return end;
  }

  #readInlineMarkup(inlines: Inlines, toSource: (offset: number) => number, context: PlaceContext) {
    return hiddenSpans(inlines, this.#scope, {
      comment: (text, offset) => this.#prose.comment("html-comment", text, toSource(offset), context),
      tag: (text, offset) => {
        const tag = readTag(text, 0);
        if (tag !== undefined) this.#prose.readTag(tag, () => toSource(offset), context);
      },
    });
  }

  #readHtml(block: MarkdownBlock, { toSource, depth }: BlockOrigin, context: PlaceContext): void {
    const markup = readMarkup(block.text, this.#scope);
    const at = (offset: number): number => toSource(block.start + offset);
    for (const comment of markup.comments)
      this.#prose.comment("html-comment", comment.text, at(comment.offset), context);
    for (const tag of markup.tags) this.#prose.readTag(tag, at, context);
    for (const { name, text, offset } of markup.raw)
      this.#prose.texts.push(
        this.#places.text(at(offset), text, name === "script" ? "javascript" : "css", {
          ...context,
          medium: "markup",
        }),
      );
    const hidden: Prose = {
      ...plainProse(markup.hidden.toString(), 0),
      sourceOffset: (offset) => at(markup.hidden.sourceOffset(offset)),
    };
    this.#prose.hide("invisible-style", hidden, context);
    // Fences and lists in HTML are still read by a model, whatever a renderer makes of them.
    const visible = markup.visible.toString();
    if (visible.trim() === "") return;
    const map = (offset: number): number => at(markup.visible.sourceOffset(offset));
    if (depth < MAX_DEPTH) this.#readBlocks(visible, { toSource: map, depth: depth + 1 });
    else this.#prose.read({ text: visible, code: [], links: [], sourceOffset: map }, context);
  }
}

interface BlockOrigin {
  readonly toSource: (offset: number) => number;
  /** Markdown in HTML in Markdown. */
  readonly depth: number;
}

const HAS_COMMANDS: ReadonlySet<Language> = new Set<Language>(["shell", "dockerfile", "makefile"]);
const NO_SPANS: readonly InlineSpan[] = [];
const MAX_DEPTH = 2;
const CLOSING = /\n(?:---|\.\.\.)[ \t]{0,20}(?:\n|$)/g;

/** A line such as `[label]: https://a.test "title"`, or a comment in its form such as `[//]: # (text)`. */
interface ReferenceDefinition extends InlineSpan {
  readonly label: string;
  readonly url: string;
  readonly title: string;
  readonly isComment: boolean;
}

function referenceDefinitions(paragraph: string): readonly ReferenceDefinition[] {
  const found: ReferenceDefinition[] = [];
  DEFINITION.lastIndex = 0;
  for (let match = DEFINITION.exec(paragraph); match !== null; match = DEFINITION.exec(paragraph)) {
    const [whole, label = "", target = "", double, single, round] = match;
    const url = target.replace(/^<|>$/g, "");
    const title = double ?? single ?? round ?? "";
    const isComment = (url === "#" || url === "") && (title !== "" || COMMENT_LABEL.test(label));
    found.push({ from: match.index, to: match.index + whole.length, label, url, title, isComment });
  }
  return found;
}

function definedAddresses(text: string): ReadonlyMap<string, string> {
  const defined = new Map<string, string>();
  if (!text.includes("]:")) return defined;
  for (const match of text.matchAll(DEFINITION_LINE)) {
    const label = (match[1] ?? "").toLowerCase();
    if (!defined.has(label)) defined.set(label, (match[2] ?? "").replace(/^<|>$/g, ""));
  }
  return defined;
}

const DEFINITION =
  /[ \t]{0,8}\[([^\]\n]{1,300})\]:[ \t]{0,20}(<[^>\n]{0,2000}>|[^\s<]\S{0,2000})(?:[ \t\n]{1,20}(?:"([^"]{0,2000})"|'([^']{0,2000})'|\(([^)]{0,2000})\)))?[ \t]{0,20}(?:\n|$)/y;
const DEFINITION_LINE = /^[ \t>]{0,8}\[([^\]\n]{1,300})\]:[ \t]{0,20}(<[^>\n]{0,2000}>|[^\s<]\S{0,2000})/gm;
const COMMENT_LABEL = /^(?:\/\/|comment|_|#|hidden|\^?note)$/i;

/** Text that stands far below or far to the right of everything else, where no reader scrolls. */
interface FarText {
  readonly how: "blank-run" | "far-column";
  readonly offset: number;
  readonly text: string;
}

const MIN_BLANK_LINES = 200;
const MIN_BLANK_COLUMNS = 400;
const MAX_TEXT_CHARACTERS = 2_000;

function farTexts(text: string): readonly FarText[] {
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
