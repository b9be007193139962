import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { fenceLanguage } from "../markdown/fence-language.ts";

/** Hands on the listings of an AsciiDoc document, which Markdown does not know: `[source,bash]` and what stands between lines of dashes. */
export function analyseListings(source: SourceText): Analysis {
  if (!/\.(?:adoc|asciidoc|asc)$/i.test(source.file)) return { facts: [], texts: [] };
  const texts: SourceText[] = [];
  const lines = source.text.split("\n");
  let info = "";
  let open: { readonly mark: string; readonly start: number } | undefined;
  for (const [index, line] of lines.entries()) {
    const plain = line.trimEnd();
    if (open !== undefined) {
      if (plain !== open.mark || texts.length >= MAX_LISTINGS) continue;
      const text = lines.slice(open.start, index).join("\n");
      texts.push({
        ...source,
        text,
        language: fenceLanguage(info, text),
        firstLine: source.firstLine + open.start,
        medium: "fence",
      });
      open = undefined;
      info = "";
      continue;
    }
    if (/^(?:-{4,40}|\.{4,40})$/.test(plain)) open = { mark: plain, start: index + 1 };
    else info = /^\[(?:source|listing)?,?\s{0,4}([\w+-]{0,30})/i.exec(plain)?.[1] ?? info;
  }
  return { facts: [], texts };
}

const MAX_LISTINGS = 500;
