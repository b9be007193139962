import { type MarkdownBlock, markdownBlocks } from "@skillet/kit/markdown";
import type { Language } from "../../file/file-kind.ts";
import { guessLanguage } from "../../file/guess-language.ts";
import type { SourceText } from "../../text/source-text.ts";
import { wordTable } from "../../word-list.ts";
import type { Analysis } from "../fact-writer.ts";
import { DocumentContext } from "./document-context.ts";
import { isDefensive } from "./negation.ts";
import { isSentence, type PlaceContext, ProseReader } from "./prose-reader.ts";
import { plainProse, readInlines } from "./read-inlines.ts";
import { HiddenScope, readMarkup, readTag } from "./read-markup.ts";
import { joinSessions } from "./session-texts.ts";

export function analyseMarkdown(source: SourceText): Analysis {
  return new MarkdownReader(source).readDocument();
}

class MarkdownReader extends ProseReader {
  readonly #context: DocumentContext;
  readonly #scope = new HiddenScope();

  constructor(source: SourceText) {
    super(source);
    this.defined = definedAddresses(source.text);
    this.#context = new DocumentContext({
      isDefensive: source.isInDefensiveSkill || isDefensive(source.text),
    });
  }

  readDocument(): Analysis {
    // The same length as before, so that offsets do not change.
    const text = this.source.text.replaceAll("\r\n", " \n").replaceAll("\r", "\n");
    const start = this.#readFrontmatter(text);
    this.#readBlocks(text.slice(start), { toSource: (at) => start + at, depth: 0 });
    const { facts, texts } = this;
    const { joined, unread } = joinSessions(texts);
    return { facts, texts: [...texts, ...joined], ...(unread !== undefined && { unread }) };
  }

  /** Takes a first block between `---` lines as YAML; returns where the body begins. */
  #readFrontmatter(text: string): number {
    const open = /^\uFEFF?---[ \t]{0,20}\n/.exec(text);
    if (open === null) return 0;
    CLOSING.lastIndex = open[0].length - 1;
    const close = CLOSING.exec(text);
    if (close === null) return 0;
    const yaml = text.slice(open[0].length, close.index + 1);
    const context: PlaceContext = { medium: "frontmatter", stance: "live", section: [] };
    this.addText(open[0].length, yaml, "yaml", context);
    return close.index + close[0].length;
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
    // A block that is labelled as text may still contain commands.
    const language = namedLanguage(block.info ?? "") ?? guessLanguage(block.text);
    const inside: PlaceContext = this.#scope.isHidden ? { ...context, medium: "hidden" } : context;
    // Plain text is read right here, so that ever deeper indentation is not copied at each step.
    if (language === "text") this.read(plainProse(block.text, this.linewise(offset, block.text)), inside);
    else this.addText(offset, block.text, language, inside);
    const commands = HAS_COMMANDS.has(language) ? undefined : shellLines(block.text);
    if (commands !== undefined) this.addText(offset, commands, "shell", inside);
  }

  #readProse(block: MarkdownBlock, toSource: (offset: number) => number, context: PlaceContext): void {
    const from = block.kind === "paragraph" ? this.#readDefinitions(block, toSource, context) : 0;
    const { shown, hidden, markup } = readInlines(block.text.slice(from), {
      toSource: (offset) => toSource(block.start + from + offset),
      defined: this.defined,
      scope: this.#scope,
    });
    for (const { kind, text, offset } of markup)
      if (kind === "comment")
        this.comment("html-comment", text.replace(/^<(?:!--|\?)|(?:--|\?)>$/g, ""), offset, context);
      else if (!text.startsWith("</")) this.readTag(readTag(text, 0), () => offset, context);
    const last = this.read(shown, context);
    for (const prose of hidden) this.hide("invisible-style", prose, context);
    for (const { links, sourceOffset } of [shown, ...hidden])
      for (const { title, from: at } of links)
        if (isSentence(title)) this.hide("attribute", plainProse(title, sourceOffset(at)), context);
    if (block.kind === "heading") this.#context.noteHeading(shown.text.trim(), block.level);
    else if (last !== "") this.#context.noteLastClause(block, last);
  }

  /** Reads lines such as `[label]: https://a.test "title"`, and comments such as `[//]: # (text)`; returns where they end. */
  #readDefinitions(
    block: MarkdownBlock,
    toSource: (offset: number) => number,
    context: PlaceContext,
  ): number {
    let end = 0;
    for (const match of block.text.matchAll(DEFINITION)) {
      end = match.index + match[0].length;
      const offset = toSource(block.start + match.index);
      const [, label = "", target = "", double, single, round] = match;
      const url = target.replace(/^<|>$/g, "");
      const title = double ?? single ?? round ?? "";
      if ((url === "#" || url === "") && (title !== "" || COMMENT_LABEL.test(label))) {
        this.comment("markdown-comment", title, offset, context);
        continue;
      }
      const place = this.place(offset, `[${label}]: ${url}`, { ...context, medium: "link" });
      this.facts.push({ ...place, kind: "link", url, label, role: "link" });
      if (isSentence(title)) this.hide("attribute", plainProse(title, offset), context);
    }
    return end;
  }

  #readHtml(block: MarkdownBlock, { toSource, depth }: BlockOrigin, context: PlaceContext): void {
    const markup = readMarkup(block.text, this.#scope);
    const at = (offset: number): number => toSource(block.start + offset);
    for (const comment of markup.comments)
      this.comment("html-comment", comment.text, at(comment.offset), context);
    for (const tag of markup.tags) this.readTag(tag, at, context);
    for (const { name, text, offset } of markup.raw)
      this.addText(at(offset), text, name === "script" ? "javascript" : "css", {
        ...context,
        medium: "markup",
      });
    const hidden = plainProse(markup.hidden.toString(), (offset) => at(markup.hidden.sourceOffset(offset)));
    this.hide("invisible-style", hidden, context);
    // A model still reads fences and lists in HTML, even if a renderer does not show them as such.
    const visible = markup.visible.toString();
    if (visible.trim() === "") return;
    const map = (offset: number): number => at(markup.visible.sourceOffset(offset));
    if (depth < MAX_DEPTH) this.#readBlocks(visible, { toSource: map, depth: depth + 1 });
    else this.read(plainProse(visible, map), context);
  }
}

interface BlockOrigin {
  readonly toSource: (offset: number) => number;
  readonly depth: number;
}

const HAS_COMMANDS: ReadonlySet<Language> = new Set<Language>(["shell", "dockerfile", "makefile"]);
const MAX_DEPTH = 2;
const CLOSING = /\n(?:---|\.\.\.)[ \t]{0,20}(?:\n|$)/g;

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
  /[ \t]{0,8}\[([^\]\n]{1,300})\]:[ \t]{0,20}(<[^>\n]{0,2000}>|[^\s<]\S{0,2000})(?:[ \t\n]{1,20}(?:"([^"]{0,2000})"|'([^']{0,2000})'|\(([^)]{0,2000})\)))?[ \t]{0,20}(?:\n|$)/gy;
const DEFINITION_LINE = /^[ \t>]{0,8}\[([^\]\n]{1,300})\]:[ \t]{0,20}(<[^>\n]{0,2000}>|[^\s<]\S{0,2000})/gm;
const COMMENT_LABEL = /^(?:\/\/|comment|_|#|hidden|\^?note)$/i;

export function namedLanguage(info: string): Language | undefined {
  return LANGUAGES.get(/^[\s{.]{0,4}([A-Za-z0-9+#_-]{1,30})/.exec(info)?.[1]?.toLowerCase() ?? "");
}

// Every line of a patch begins with a sign that is not part of its language.
const LANGUAGES: ReadonlyMap<string, Language> = wordTable<Language>(`
  markdown markdown md mdx
  text diff patch
  shell bash sh shell zsh ksh fish console terminal shellsession sh-session shell-session session cmdline commandline command
  powershell powershell pwsh ps1 ps posh
  batch bat batch cmd dos
  python python py python3 py3 pycon ipython sage
  javascript javascript js jsx node mjs cjs
  typescript typescript ts tsx mts cts deno
  json json jsonc json5 jsonl
  yaml yaml yml
  toml toml
  ini ini conf cfg properties dotenv env systemd
  html html htm xhtml vue svelte
  svg svg
  xml xml plist xsl
  dockerfile dockerfile docker containerfile
  makefile makefile make mk
  css css scss sass less
  csv csv tsv
  code ruby rb perl pl php go golang lua applescript osascript rust rs java kotlin kt swift c cpp c++ csharp cs c# scala r julia sql graphql haskell elixir clojure dart groovy terraform hcl nix vim lisp
`);

/**
 * The commands in a block labelled as another language, with all other lines blanked; undefined unless they
 * do something unmistakable: a download into an interpreter, an upload of a file, a shell on a socket.
 * Readers type what a block says, whatever its label.
 */
export function shellLines(text: string): string | undefined {
  if (!HINT.test(text)) return undefined;
  let isAny = false;
  const lines = text.split("\n").map((line) => {
    const command = COMMAND.exec(line)?.[1];
    if (command === undefined) return "";
    isAny = true;
    return line.slice(command.length);
  });
  if (!isAny) return undefined;
  const commands = lines.join("\n");
  return DEED.test(commands) || (SAVES.test(commands) && STARTS.test(commands)) ? commands : undefined;
}

const HINT = /\b(?:curl|wget|base64|nc|ncat|scp)\s|\/dev\/(?:tcp|udp)\//;
// Deeper lines are part of another language's structure, which has its own reader. The group is a prompt or the sign of a patch.
const COMMAND =
  /^(\s{0,3}(?:[+$%]\s{0,2})?)(?:sudo\s{1,4})?(?:[A-Z_]{1,40}=\S{0,80}\s{1,4})?(?:\/\S{1,20}\/)?(?:curl|wget|(?:ba|z|k|da)?sh|python3?|perl|ruby|node|nc|ncat|echo|printf|base64|eval|source|exec|chmod|tar|cat|scp|cd|mkdir|nohup|openssl|socat|\.|\.{1,2}\/\S{1,200})(?:\s|$)/;
const INTERPRETER = String.raw`(?:sudo\s{1,4})?(?:\/\S{1,20}\/)?(?:(?:ba|z|k|da)?sh|python3?|perl|ruby|node)(?![\w.-])`;
const DEED = new RegExp(
  [
    String.raw`\b(?:curl|wget|base64)\s[^\n|]{0,300}\|\s{0,4}(?:base64\s[^\n|]{0,40}\|\s{0,4})?${INTERPRETER}`,
    String.raw`\/dev\/(?:tcp|udp)\/`,
    String.raw`\b(?:sh|bash|zsh|eval|source)\s{1,4}(?:-c\s{1,4})?["']?(?:<\(|\$\()\s{0,4}(?:curl|wget)\s`,
    String.raw`\bcurl(?=\s)[^\n]{0,300}(?:[=\s"']@|\s-T\s|--upload-file|\$\((?:cat|env|printenv|base64)\b)`,
    String.raw`\bwget\s[^\n]{0,300}--post-file`,
    String.raw`\|\s{0,4}curl\s`,
    String.raw`\bn(?:c|cat)\s[^\n]{0,80}\s-[a-z]{0,4}[ec]\s`,
    String.raw`\bscp\s[^\n]{0,300}:`,
  ].join("|"),
);
const SAVES = /\b(?:curl|wget)(?=\s)[^\n]{0,300}(?:\s-[a-zA-Z]{0,8}[oO]|--output|>)/;
const STARTS = new RegExp(
  String.raw`(?:^|[;&]\s{0,4})(?:${INTERPRETER}\s|chmod\s|\.{1,2}\/|source\s|\.\s)`,
  "m",
);
