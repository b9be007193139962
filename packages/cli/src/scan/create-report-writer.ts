import type { HtmlWriter, RuleDescription, SarifWriter } from "@skillet/scan";
import picocolors from "picocolors";
import type { CommandContext } from "../command-context.ts";
import { jsonWriter } from "./json-writer.ts";
import { loadScanning } from "./load-scanning.ts";
import type { ReportFormat, ReportWriter } from "./report-writer.ts";
import { textWriter } from "./text-writer.ts";

/** How and where a report is written. */
interface ReportOptions {
  readonly format: ReportFormat;
  readonly verbose: boolean;
  readonly rules: readonly RuleDescription[];
  /** Absent: to standard output. */
  readonly write?: ((text: string) => void) | undefined;
}

/** Makes the writer of a format; text in a file has no colours. */
export function createReportWriter(context: CommandContext, options: ReportOptions): ReportWriter {
  const { terminal, environment, version } = context;
  const { format, verbose, rules, write } = options;
  const raw = write ?? ((text: string) => terminal.printRaw(text));
  switch (format) {
    case "json":
      return jsonWriter(raw);
    case "sarif":
      return sarifWriter(new (loadScanning().SarifWriter)({ version, rules }, raw));
    case "html":
      return htmlWriter(new (loadScanning().HtmlWriter)({ version, rules }, raw));
    case "text": {
      // Only a terminal has a width: editors, pagers and programs break or search lines by themselves.
      const unbroken = { width: Number.POSITIVE_INFINITY, lineWidth: Number.POSITIVE_INFINITY };
      const { width, lineWidth, isTerminal, colours } = terminal;
      if (write === undefined)
        return textWriter(terminal.print, {
          ...(isTerminal ? { width, lineWidth } : unbroken),
          colours,
          environment,
          verbose,
        });
      const plain = picocolors.createColors(false);
      return textWriter((line) => write(`${line}\n`), { ...unbroken, colours: plain, environment, verbose });
    }
  }
}

function sarifWriter(writer: SarifWriter): ReportWriter {
  return {
    add: (result) => writer.add(result),
    finish: ({ diagnostics }) => writer.finish({ diagnostics }),
    breakOff: ({ diagnostics }, { message }) => writer.finish({ diagnostics, failure: message }),
  };
}

function htmlWriter(writer: HtmlWriter): ReportWriter {
  return {
    add: (result) => writer.add(result),
    finish: () => writer.finish(),
    // The page is written at its end, so nothing was begun.
    breakOff: () => undefined,
  };
}
