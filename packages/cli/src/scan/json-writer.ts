import { diagnosticRow } from "../output/diagnostic-row.ts";
import { SCHEMA_VERSION, toJson } from "../output/json-document.ts";
import type { ReportEnd, ReportWriter } from "./report-writer.ts";
import { resultRow } from "./result-row.ts";

/** Writes the one JSON document of a scan as results come in, so that none has to be kept. */
export function jsonWriter(write: (text: string) => void): ReportWriter {
  let results = 0;
  const end = ({ summary, diagnostics }: ReportEnd, more: Readonly<Record<string, unknown>>): void => {
    const rest = toJson({ summary, diagnostics: diagnostics.map(diagnosticRow), ...more });
    write(`${results > 0 ? "\n  " : ""}],\n${rest.slice("{\n".length)}\n`);
  };
  write(`{\n  "schemaVersion": ${SCHEMA_VERSION},\n  "results": [`);
  return {
    add: (result) => {
      write(`${results > 0 ? "," : ""}\n${indent(toJson(resultRow(result)), "    ")}`);
      results += 1;
    },
    finish: (whole) => end(whole, {}),
    breakOff: (part, { code, message, hints, details }) =>
      end(part, { error: { code, message, hints, details } }),
  };
}

function indent(text: string, spaces: string): string {
  return spaces + text.replaceAll("\n", `\n${spaces}`);
}
