import { wordSet } from "../../word-list.ts";
import { decodeEntities } from "./decode-entities.ts";
import type { HiddenScope } from "./hidden-scope.ts";
import { type MarkupToken, markupTokens } from "./markup-tokens.ts";
import { isKnownElement } from "./markup-words.ts";
import { TextMap } from "./text-map.ts";

export interface MarkupText {
  readonly visible: TextMap;
  readonly hidden: TextMap;
  readonly comments: readonly (MarkupToken & { readonly type: "text" | "comment" | "declaration" })[];
  readonly declarations: readonly (MarkupToken & { readonly type: "text" | "comment" | "declaration" })[];
  readonly tags: readonly (MarkupToken & { readonly type: "open" })[];
  readonly raw: readonly (MarkupToken & { readonly type: "raw" })[];
}

/** Reads markup; text runs on over inline tags, so that a word split by one is whole, and breaks at others. Tags that HTML does not know are text. */
export function readMarkup(text: string, scope: HiddenScope): MarkupText {
  const visible = new TextMap();
  const hidden = new TextMap();
  const read = {
    visible,
    hidden,
    comments: [] as (MarkupToken & { readonly type: "text" | "comment" | "declaration" })[],
    declarations: [] as (MarkupToken & { readonly type: "text" | "comment" | "declaration" })[],
    tags: [] as (MarkupToken & { readonly type: "open" })[],
    raw: [] as (MarkupToken & { readonly type: "raw" })[],
  };
  for (const token of markupTokens(text)) {
    switch (token.type) {
      case "text":
        (scope.isHidden ? hidden : visible).add(decodeEntities(token.text), token.offset);
        break;
      case "comment":
        read.comments.push(token);
        break;
      case "declaration":
        read.declarations.push(token);
        break;
      case "raw":
        read.raw.push(token);
        break;
      case "open":
        if (!isKnownElement(token.name))
          (scope.isHidden ? hidden : visible).add(text.slice(token.offset, token.end), token.offset);
        read.tags.push(token);
        breakAt(token, scope.isHidden ? hidden : visible);
        if (!token.isClosed) scope.open(token.name, token.attributes);
        break;
      case "close":
        breakAt(token, scope.isHidden ? hidden : visible);
        scope.close(token.name);
        break;
    }
  }
  return read;
}

function breakAt(token: MarkupToken & { readonly type: "open" | "close" }, text: TextMap): void {
  if (!INLINE_ELEMENTS.has(token.name) && isKnownElement(token.name)) text.add("\n\n", token.offset);
}

const INLINE_ELEMENTS: ReadonlySet<string> = wordSet(`
  a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub
  sup time tt u var wbr tspan
`);
