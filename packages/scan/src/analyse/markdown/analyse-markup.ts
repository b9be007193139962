import type { SourceText } from "../../text/source-text.ts";
import { wordSet, wordTable } from "../../word-list.ts";
import type { Analysis } from "../fact-writer.ts";
import { type PlaceContext, ProseReader } from "./prose-reader.ts";
import { type Prose, plainProse } from "./read-inlines.ts";
import { HiddenScope, type MarkupTag, type MarkupText, readMarkup } from "./read-markup.ts";

export function analyseMarkup(source: SourceText): Analysis {
  const reader = new MarkupReader(source);
  return source.language === "css" ? reader.readStyles() : reader.readDocument();
}

class MarkupReader extends ProseReader {
  readDocument(): Analysis {
    const markup = readMarkup(this.source.text, new HiddenScope());
    this.#readTags(markup);
    this.#readScripts(markup);
    for (const { text, offset } of markup.declarations)
      if (/^doctype/i.test(text))
        for (const active of allOf("external-entity", text, EXTERNAL_ENTITY)) this.#addActive(active, offset);
    for (const { text, offset } of markup.comments) this.comment("html-comment", text, offset, SHOWN);
    this.read(mapped(markup.visible), SHOWN);
    // A block in a document shows its source to the document's reader.
    if (this.source.medium === "fence") this.read(mapped(markup.hidden), SHOWN);
    else this.hide("invisible-style", mapped(markup.hidden), SHOWN);
    return { facts: this.facts, texts: this.texts };
  }

  /** A style sheet contains words only in comments, and acts only by what it loads. */
  readStyles(): Analysis {
    for (const active of remoteStyles(this.source.text)) this.#addActive(active, 0);
    for (let open = this.source.text.indexOf("/*"); open !== -1; ) {
      const found = this.source.text.indexOf("*/", open + 2);
      const end = found === -1 ? this.source.text.length : found;
      const comment = plainProse(this.source.text.slice(open + 2, end), open + 2);
      this.read(comment, { medium: "comment", stance: "live", section: [] });
      open = this.source.text.indexOf("/*", end + 2);
    }
    return { facts: this.facts, texts: this.texts };
  }

  #readTags({ tags }: MarkupText): void {
    for (const tag of tags) {
      this.readTag(tag, (offset) => offset, SHOWN);
      for (const active of activeTag(tag)) {
        this.#addActive(active, tag.offset);
        if (active.type === "event-handler" || active.type === "script-address")
          this.#addCode(active, tag.offset);
      }
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
      this.addText(offset, code, "javascript", SHOWN);
      this.#addActive({ type: "script", detail: code.trim().slice(0, 120) }, offset);
      for (const active of activeScript(code)) this.#addActive(active, offset);
    }
  }

  #addCode({ type, detail }: ActiveMarkup, offset: number): void {
    const code = type === "script-address" ? detail.replace(/^[a-z]{1,12}:/i, "") : detail;
    this.addText(offset, code, "javascript", SHOWN);
    for (const active of activeScript(code)) this.#addActive(active, offset);
  }

  #addActive({ type, detail }: ActiveMarkup, offset: number): void {
    const place = this.place(offset, detail === "" ? type : detail, SHOWN);
    const told = `${this.source.language} ${type}: ${detail}`;
    this.facts.push({ ...place, kind: "anomaly", what: "active-markup", detail: told });
  }
}

const SHOWN: PlaceContext = { medium: "markup", stance: "live", section: [] };

function mapped(map: MarkupText["visible"]): Prose {
  return plainProse(map.toString(), (offset) => map.sourceOffset(offset));
}

interface ActiveMarkup {
  readonly type: string;
  readonly detail: string;
}

function activeTag(tag: MarkupTag): readonly ActiveMarkup[] {
  const found: ActiveMarkup[] = [];
  if (tag.name === "foreignobject") found.push({ type: "foreign-object", detail: "" });
  for (const { name, value } of tag.attributes) {
    const address = value.replace(/[\s\p{Cc}]+/gu, "").slice(0, MAX_DETAIL_CHARACTERS);
    if (name.startsWith("on") && HANDLER.test(name) && value.trim() !== "")
      found.push({ type: "event-handler", detail: value.slice(0, MAX_DETAIL_CHARACTERS) });
    else if (/^(?:javascript|vbscript):/i.test(address))
      found.push({ type: "script-address", detail: address });
    else if (DATA_DOCUMENT.test(address)) found.push({ type: "data-document", detail: address });
    else if (ADDRESS_ATTRIBUTE.has(name) && /^(?:https?:)?\/\//i.test(address)) {
      const type = REMOTE_TAGS.get(tag.name);
      if (type !== undefined) found.push({ type, detail: address });
    } else if (tag.name === "meta" && name === "content" && /^\d{1,4}[;,]url=/i.test(address))
      found.push({ type: "redirect", detail: address.replace(/^\d+[;,]url=['"]?/i, "") });
    else if (name === "style") found.push(...remoteStyles(value));
  }
  return found;
}

function remoteStyles(css: string): readonly ActiveMarkup[] {
  return css.includes("//") ? allOf("remote-style", css, STYLE_ADDRESS) : [];
}

function allOf(type: string, text: string, pattern: RegExp): readonly ActiveMarkup[] {
  return Array.from(text.matchAll(pattern), ([, address = ""]) => ({
    type,
    detail: address.slice(0, MAX_DETAIL_CHARACTERS),
  })).slice(0, MAX_STYLES);
}

function activeScript(script: string): readonly ActiveMarkup[] {
  const leak = LEAK.exec(script) ?? LEAK_BEFORE.exec(script);
  if (leak !== null) return [{ type: "leak", detail: leak[0].slice(0, MAX_DETAIL_CHARACTERS) }];
  const contact = CONTACT.exec(script);
  return contact === null ? [] : [{ type: "contact", detail: contact[1] ?? "" }];
}

const MAX_DETAIL_CHARACTERS = 300;
const MAX_STYLES = 50;
const DATA_DOCUMENT =
  /^data:(?:text\/html|image\/svg\+xml|application\/xhtml|(?:text|application)\/javascript)/i;
const HANDLER = /^on[a-z]{3,30}$/;
const ADDRESS_ATTRIBUTE: ReadonlySet<string> = wordSet(
  "src href xlink:href data action formaction poster background srcset",
);
const STYLE_ADDRESS = /(?:url\(\s{0,8}|@import\s{1,8})["']?((?:https?:)?\/\/[^\s"')]{1,500})/gi;
const EXTERNAL_ENTITY =
  /<!ENTITY\s{1,8}(?:%\s{1,8})?[\w.-]{1,80}\s{1,8}(?:SYSTEM|PUBLIC\s{1,8}["'][^"']{0,200}["'])\s{1,8}["']([^"']{1,500})["']/gi;

const SEND =
  "(?:fetch|sendBeacon|\\.open|\\.src\\s{0,4}=|location(?:\\.href)?\\s{0,4}=|new WebSocket|axios\\.\\w{2,8}|\\$\\.(?:post|get|ajax)|\\.send)";
const PRIVATE =
  "(?:document\\.cookie|localStorage|sessionStorage|indexedDB|document\\.(?:body|documentElement)\\.(?:inner|outer)(?:HTML|Text)|document\\.documentElement\\.outerHTML|navigator\\.clipboard\\.read)";
const LEAK = new RegExp(`${SEND}[^;]{0,120}?(?:https?:)?//[^;]{1,200}?${PRIVATE}`);
const LEAK_BEFORE = new RegExp(`${PRIVATE}[^}]{0,200}?${SEND}\\s{0,4}\\(?[^;]{0,20}?["'\`](?:https?:)?//`);
const CONTACT = new RegExp(`${SEND}[^;\\n]{0,60}?["'\`]((?:https?:|wss?:)?//[^"'\`\\s]{1,200})`);

const REMOTE_TAGS: ReadonlyMap<string, string> = wordTable(`
  remote-script script
  remote-content iframe frame object embed use image feimage
  form form button input
`);
