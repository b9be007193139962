import { type SarifOptions, SarifWriter } from "./sarif-writer.ts";
import type { ScanResult } from "./scan-result.ts";

/** A SARIF 2.1.0 log of scans, for code scanning services and editors. */
export function renderSarif(results: Iterable<ScanResult>, options: SarifOptions): string {
  const parts: string[] = [];
  const writer = new SarifWriter(options, (text) => parts.push(text));
  for (const result of results) writer.add(result);
  writer.finish();
  return parts.join("");
}
