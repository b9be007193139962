import type { MarkupToken } from "./markup-tokens.ts";

type OpenTag = MarkupToken & { readonly type: "open" };

export interface ActiveMarkup {
  readonly type:
    | "script"
    | "event-handler"
    | "script-address"
    | "data-document"
    | "foreign-object"
    | "remote-script"
    | "remote-content"
    | "redirect"
    | "form"
    | "external-entity"
    | "remote-style"
    | "contact"
    | "leak";
  readonly detail: string;
}

/** Says what a tag does by itself: handlers, addresses that are scripts, documents from elsewhere. */
export function activeTag(tag: OpenTag): readonly ActiveMarkup[] {
  const found: ActiveMarkup[] = [];
  if (tag.name === "foreignobject") found.push({ type: "foreign-object", detail: "" });
  for (const { name, value } of tag.attributes) {
    const address = value.replace(/[\s\p{Cc}]+/gu, "").slice(0, MAX_DETAIL_CHARACTERS);
    if (name.startsWith("on") && HANDLER.test(name) && value.trim() !== "")
      found.push({ type: "event-handler", detail: value.slice(0, MAX_DETAIL_CHARACTERS) });
    else if (/^(?:javascript|vbscript):/i.test(address))
      found.push({ type: "script-address", detail: address });
    else if (
      /^data:(?:text\/html|image\/svg\+xml|application\/xhtml|text\/javascript|application\/javascript)/i.test(
        address,
      )
    )
      found.push({ type: "data-document", detail: address });
    else if (ADDRESS_ATTRIBUTE.has(name) && /^(?:https?:)?\/\//i.test(address))
      found.push(...remoteTag(tag.name, address));
    else if (tag.name === "meta" && name === "content" && /^\d{1,4}[;,]url=/i.test(address))
      found.push({ type: "redirect", detail: address.replace(/^\d+[;,]url=['"]?/i, "") });
    else if (name === "style") found.push(...remoteStyles(value));
  }
  return found;
}

export function remoteStyles(css: string): readonly ActiveMarkup[] {
  if (!css.includes("//")) return [];
  return Array.from(css.matchAll(STYLE_ADDRESS), ([, address = ""]) => ({
    type: "remote-style" as const,
    detail: address.slice(0, MAX_DETAIL_CHARACTERS),
  })).slice(0, MAX_STYLES);
}

/** What a script says at a glance: that it contacts somebody, or that cookies, storage or the page go there too. */
export function activeScript(script: string): readonly ActiveMarkup[] {
  const leak = LEAK.exec(script) ?? LEAK_BEFORE.exec(script);
  if (leak !== null) return [{ type: "leak", detail: leak[0].slice(0, MAX_DETAIL_CHARACTERS) }];
  const contact = CONTACT.exec(script);
  return contact === null ? [] : [{ type: "contact", detail: contact[1] ?? "" }];
}

export function externalEntities(declaration: string): readonly ActiveMarkup[] {
  if (!/^doctype/i.test(declaration)) return [];
  return Array.from(declaration.matchAll(EXTERNAL_ENTITY), ([, address = ""]) => ({
    type: "external-entity" as const,
    detail: address,
  })).slice(0, MAX_STYLES);
}

const MAX_DETAIL_CHARACTERS = 300;
const MAX_STYLES = 50;
const HANDLER = /^on[a-z]{3,30}$/;
const ADDRESS_ATTRIBUTE: ReadonlySet<string> = new Set(
  "src href xlink:href data action formaction poster background srcset".split(" "),
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

function remoteTag(tag: string, address: string): readonly ActiveMarkup[] {
  switch (tag) {
    case "script":
      return [{ type: "remote-script", detail: address }];
    case "iframe":
    case "frame":
    case "object":
    case "embed":
    case "use":
    case "image":
    case "feimage":
      return [{ type: "remote-content", detail: address }];
    case "form":
    case "button":
    case "input":
      return [{ type: "form", detail: address }];
    default:
      return [];
  }
}
