import type { InlineSpan } from "./read-inlines.ts";

/** A line such as `[label]: https://a.test "title"`, or a comment in its form such as `[//]: # (text)`. */
export interface ReferenceDefinition extends InlineSpan {
  readonly label: string;
  readonly url: string;
  readonly title: string;
  readonly isComment: boolean;
}

export function referenceDefinitions(paragraph: string): readonly ReferenceDefinition[] {
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

export function definedAddresses(text: string): ReadonlyMap<string, string> {
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
