import type { HtmlWriter, RuleDescription, SarifWriter } from "@skillet/scan";
import picocolors from "picocolors";
import type { CommandContext } from "../context/command-context.ts";
import { loadScanning } from "../load-beside.ts";
import { jsonWriter, type ReportFormat, type ReportWriter } from "./report-writer.ts";
import { type SkillLayout, skillBlock, summaryLines } from "./skill-block.ts";

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

function textWriter(print: (line: string) => void, layout: SkillLayout): ReportWriter {
  let lastIsBlank = true;
  const printAll = (lines: readonly string[]): void => {
    for (const line of lines) {
      if (line !== "" || !lastIsBlank) print(line);
      lastIsBlank = line === "";
    }
  };
  return {
    add: (result) => printAll(skillBlock(result, layout)),
    finish: (end) => {
      const isMany = end.summary.skills > 1 || end.diagnostics.length > 0;
      printAll([...(isMany ? [""] : []), ...summaryLines(end, layout)]);
    },
    // What was printed stands; the error follows on standard error.
    breakOff: () => undefined,
  };
}
