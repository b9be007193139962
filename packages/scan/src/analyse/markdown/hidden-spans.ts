import type { HiddenScope } from "./hidden-scope.ts";
import { readTag } from "./markup-tokens.ts";
import type { Prose } from "./prose-reader.ts";
import type { InlineSpan, Inlines } from "./read-inlines.ts";
import { TextMap } from "./text-map.ts";

interface MarkupVisitor {
  readonly comment: (text: string, offset: number) => void;
  readonly tag: (text: string, offset: number) => void;
}

/** Goes through the tags and comments of a paragraph; says which spans of its text a style hides. */
export function hiddenSpans(
  inlines: Inlines,
  scope: HiddenScope,
  visit: MarkupVisitor,
): readonly InlineSpan[] {
  const spans: InlineSpan[] = [];
  let hiddenFrom = scope.isHidden ? 0 : -1;
  for (const { type, text, offset, at } of inlines.markup) {
    if (type === "comment") {
      visit.comment(text.replace(/^<(?:!--|\?)/, "").replace(/(?:--|\?)>$/, ""), offset);
      continue;
    }
    if (text.startsWith("</")) scope.close(/^<\/([^\s>]{1,64})/.exec(text)?.[1]?.toLowerCase() ?? "");
    else {
      visit.tag(text, offset);
      const tag = readTag(text, 0);
      if (tag !== undefined && !tag.isClosed) scope.open(tag.name, tag.attributes);
    }
    if (scope.isHidden && hiddenFrom === -1) hiddenFrom = at;
    else if (!scope.isHidden && hiddenFrom !== -1) {
      if (at > hiddenFrom) spans.push({ from: hiddenFrom, to: at });
      hiddenFrom = -1;
    }
  }
  if (hiddenFrom !== -1 && hiddenFrom < inlines.text.length)
    spans.push({ from: hiddenFrom, to: inlines.text.length });
  return spans;
}

/** The prose with those spans cut out: what stands around them reads as one, as it does on the page. */
export function withoutSpans(prose: Prose, spans: readonly InlineSpan[]): Prose {
  if (spans.length === 0) return prose;
  const shown = new TextMap();
  const starts: number[] = [];
  const removed: number[] = [];
  let copied = 0;
  let total = 0;
  for (const span of spans) {
    shown.add(prose.text.slice(copied, span.from), copied);
    copied = span.to;
    starts.push(span.from);
    removed.push(total);
    total += span.to - span.from;
  }
  shown.add(prose.text.slice(copied), copied);
  const shift = <Span extends InlineSpan>(span: Span): Span[] => {
    const before = starts.findLastIndex((start) => start <= span.from);
    const hiding = spans[before];
    if (hiding === undefined) return [span];
    if (span.from < hiding.to) return [];
    const by = (removed[before] ?? 0) + hiding.to - hiding.from;
    return [{ ...span, from: span.from - by, to: span.to - by }];
  };
  return {
    text: shown.toString(),
    code: prose.code.slice(0, MAX_SHIFTED).flatMap(shift),
    links: prose.links.slice(0, MAX_SHIFTED).flatMap(shift),
    sourceOffset: (offset) => prose.sourceOffset(shown.sourceOffset(offset)),
  };
}

export function spanOf(prose: Prose, { from, to }: InlineSpan): Prose {
  const inside = <Span extends InlineSpan>(span: Span): Span[] =>
    span.from >= from && span.to <= to ? [{ ...span, from: span.from - from, to: span.to - from }] : [];
  return {
    text: prose.text.slice(from, to),
    code: prose.code.slice(0, MAX_SHIFTED).flatMap(inside),
    links: prose.links.slice(0, MAX_SHIFTED).flatMap(inside),
    sourceOffset: (offset) => prose.sourceOffset(from + offset),
  };
}

// Only paragraphs that hide something come here; the bound keeps those with thousands of links linear.
const MAX_SHIFTED = 256;
