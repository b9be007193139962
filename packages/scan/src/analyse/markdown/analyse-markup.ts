import type { Fact, HiddenFact } from "../../fact/fact.ts";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import {
  type ActiveMarkup,
  activeScript,
  activeTag,
  externalEntities,
  remoteStyles,
} from "./active-markup.ts";
import { isOrdinaryComment } from "./comment-kind.ts";
import { DocumentPlaces, type PlaceContext } from "./document-place.ts";
import { HiddenScope } from "./hidden-scope.ts";
import { isSentence } from "./is-sentence.ts";
import { type Prose, ProseReader, plainProse } from "./prose-reader.ts";
import { type MarkupText, readMarkup } from "./read-markup.ts";
import { tagFacts } from "./tag-facts.ts";
import { TEXT_ATTRIBUTE } from "./text-attribute.ts";

/** Reads HTML, SVG, XML and style sheets: what is shown and what is hidden, links, scripts as further texts, and what acts when it is opened. */
export function analyseMarkup(source: SourceText): Analysis {
  const reader = new MarkupReader(source);
  return source.language === "css" ? reader.readStyles() : reader.read();
}

class MarkupReader {
  readonly #source: SourceText;
  readonly #places: DocumentPlaces;
  readonly #prose: ProseReader;

  constructor(source: SourceText) {
    this.#source = source;
    this.#places = new DocumentPlaces(source);
    this.#prose = new ProseReader(this.#places, new Map());
  }

  read(): Analysis {
    const markup = readMarkup(this.#source.text, new HiddenScope());
    this.#readTags(markup);
    this.#readScripts(markup);
    for (const { text, offset } of markup.declarations)
      for (const active of externalEntities(text)) this.#addActive(active, offset);
    for (const { text, offset } of markup.comments) {
      const context: PlaceContext = { medium: "comment", stance: "live", section: [] };
      const prose = plainProse(text, offset);
      if (!isOrdinaryComment(text)) this.#addHidden("html-comment", prose, context);
      this.#prose.read(prose, context);
    }
    this.#prose.read(mapped(markup.visible), SHOWN);
    this.#hide("invisible-style", mapped(markup.hidden));
    return { facts: this.#prose.facts, texts: this.#prose.texts };
  }

  /** A style sheet says nothing but in its comments, and acts only by what it loads. */
  readStyles(): Analysis {
    for (const active of remoteStyles(this.#source.text)) this.#addActive(active, 0);
    for (let open = this.#source.text.indexOf("/*"); open !== -1; ) {
      const found = this.#source.text.indexOf("*/", open + 2);
      const end = found === -1 ? this.#source.text.length : found;
      const comment = plainProse(this.#source.text.slice(open + 2, end), open + 2);
      this.#prose.read(comment, { medium: "comment", stance: "live", section: [] });
      open = this.#source.text.indexOf("/*", end + 2);
    }
    return { facts: this.#prose.facts, texts: this.#prose.texts };
  }

  #readTags({ tags }: MarkupText): void {
    for (const tag of tags) {
      this.#prose.facts.push(...tagFacts(tag, { places: this.#places, offset: tag.offset, context: SHOWN }));
      for (const active of activeTag(tag)) {
        this.#addActive(active, tag.offset);
        if (active.type === "event-handler" || active.type === "script-address")
          this.#addCode(active, tag.offset);
      }
      for (const { name, value, offset } of tag.attributes)
        if (TEXT_ATTRIBUTE.test(name) && isSentence(value))
          this.#hide("attribute", plainProse(value, offset));
    }
  }

  #readScripts({ raw }: MarkupText): void {
    for (const { name, text, offset } of raw) {
      if (name === "style") {
        for (const active of remoteStyles(text)) this.#addActive(active, offset);
        continue;
      }
      if (text.trim() === "") continue;
      const code = text.replace("<![CDATA[", "         ").replace("]]>", "   ");
      this.#prose.texts.push(this.#places.text(offset, code, "javascript", SHOWN));
      this.#addActive({ type: "script", detail: code.trim().slice(0, 120) }, offset);
      for (const active of activeScript(code)) this.#addActive(active, offset);
    }
  }

  #addCode({ type, detail }: ActiveMarkup, offset: number): void {
    const code = type === "script-address" ? detail.replace(/^[a-z]{1,12}:/i, "") : detail;
    this.#prose.texts.push(this.#places.text(offset, code, "javascript", SHOWN));
    for (const active of activeScript(code)) this.#addActive(active, offset);
  }

  #addActive({ type, detail }: ActiveMarkup, offset: number): void {
    const place = this.#places.place(offset, detail === "" ? type : detail, SHOWN);
    const fact: Fact = {
      ...place,
      kind: "anomaly",
      what: "active-markup",
      detail: `${this.#source.language} ${type}: ${detail}`,
    };
    this.#prose.facts.push(fact);
  }

  #hide(how: HiddenFact["how"], prose: Prose): void {
    if (!/[\p{L}\p{N}]/u.test(prose.text)) return;
    const context: PlaceContext = { medium: "hidden", stance: "live", section: [] };
    this.#addHidden(how, prose, context);
    this.#prose.read(prose, context);
  }

  #addHidden(how: HiddenFact["how"], prose: Prose, context: PlaceContext): void {
    const start = prose.text.length - prose.text.trimStart().length;
    const text = prose.text.trim();
    const place = this.#places.place(prose.sourceOffset(start), text, context);
    this.#prose.facts.push({ ...place, kind: "hidden", how, text });
  }
}

const SHOWN: PlaceContext = { medium: "markup", stance: "live", section: [] };

function mapped(map: MarkupText["visible"]): Prose {
  return { ...plainProse(map.toString(), 0), sourceOffset: (offset) => map.sourceOffset(offset) };
}
