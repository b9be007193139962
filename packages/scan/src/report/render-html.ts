import { type HtmlOptions, HtmlWriter } from "./html-writer.ts";
import type { ScanResult } from "./scan-result.ts";

/** One self-contained page about scans, without scripts and without anything from elsewhere. */
export function renderHtml(results: Iterable<ScanResult>, options: HtmlOptions): string {
  const parts: string[] = [];
  const writer = new HtmlWriter(options, (text) => parts.push(text));
  for (const result of results) writer.add(result);
  writer.finish();
  return parts.join("");
}
