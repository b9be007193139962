import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Finding, FindingSeverity, RuleDescription, SarifWriter, ScanSummary } from "@skillet/scan";
import picocolors from "picocolors";
import type { CliError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { loadScanning } from "../load-beside.ts";
import { SCHEMA_VERSION, toJson } from "../ui/json-document.ts";
import { outerFile, type ScannedTarget } from "./scan-targets.ts";
import { closingLine, type SkillLayout, skillBlock, summaryLines } from "./skill-block.ts";

export type ReportFormat = "text" | "json" | "sarif" | "html";

export interface ReportEnd {
  readonly summary: ScanSummary;
  readonly diagnostics: readonly Diagnostic[];
}

export interface ReportWriter {
  add(result: ScannedTarget): void;
  finish(end: ReportEnd): void;
  /** Ends the report of an interrupted scan: readers get a complete document that says so, or nothing. */
  breakOff(end: ReportEnd, failure: CliError): void;
}

interface ReportOptions {
  readonly format: ReportFormat;
  readonly verbose: boolean;
  readonly isOnly: boolean;
  readonly rules: readonly RuleDescription[];
  /** Absent for standard output. */
  readonly write: ((text: string) => void) | undefined;
}

export function createReportWriter(context: CommandContext, options: ReportOptions): ReportWriter {
  const { terminal, environment, version } = context;
  const { format, verbose, isOnly, rules, write } = options;
  const raw = write ?? ((text: string) => terminal.printRaw(text));
  switch (format) {
    case "json":
      return jsonWriter(raw);
    case "sarif":
      return sarifWriter(new (loadScanning().SarifWriter)({ version, rules }, raw));
    case "html": {
      const page = new (loadScanning().HtmlWriter)({ version, rules }, raw);
      // The page is written at the end, so an interrupted scan has written nothing.
      return { add: (result) => page.add(result), finish: () => page.finish(), breakOff: () => undefined };
    }
    case "text": {
      // Only a terminal has a width: editors, pagers and programs wrap or search lines themselves.
      const unbroken = { width: Infinity, lineWidth: Infinity, environment, verbose, isOnly };
      const { width, lineWidth, isTerminal, colours } = terminal;
      if (write !== undefined)
        return textWriter((line) => write(`${line}\n`), {
          ...unbroken,
          colours: picocolors.createColors(false),
        });
      return textWriter(terminal.print, { ...unbroken, colours, ...(isTerminal && { width, lineWidth }) });
    }
  }
}

function resultRow(result: ScannedTarget): Readonly<Record<string, unknown>> {
  const { path, name, digest, report, fileDigests } = result;
  const { verdict, findings, suppressed, capabilities, coverage, ruleSet, opinion } = report;
  return {
    path,
    name,
    digest,
    verdict,
    summary: {
      critical: countOf(findings, "critical"),
      warn: countOf(findings, "warn"),
      info: countOf(findings, "info"),
      suppressed: suppressed.length,
      notWholly: coverage.filter(({ state }) => state !== "read").length,
    },
    findings: findings.map((finding) => findingRow(finding, fileDigests)),
    suppressed: suppressed.map(({ finding, reason }) => ({
      reason,
      finding: findingRow(finding, fileDigests),
    })),
    capabilities,
    coverage,
    ruleSet,
    opinion,
  };
}

export function countOf(findings: readonly Finding[], severity: FindingSeverity): number {
  return findings.reduce((number, finding) => number + (finding.severity === severity ? 1 : 0), 0);
}

// Written field by field, so that a field added to the scanner does not silently change the document.
function findingRow(
  finding: Finding,
  fileDigests: ReadonlyMap<string, Digest>,
): Readonly<Record<string, unknown>> {
  const { rule, category, severity, file, line, message, evidence } = finding;
  const { chain, related, demoted, remedy, owasp, fingerprint } = finding;
  return {
    rule,
    category,
    severity,
    file,
    line,
    message,
    evidence,
    chain,
    related,
    demoted,
    remedy,
    owasp,
    fingerprint,
    fileDigest: fileDigests.get(outerFile(file)),
  };
}

/** Writes a scan's JSON document as results come in, so that none has to be kept in memory. */
export function jsonWriter(write: (text: string) => void): ReportWriter {
  let results = 0;
  const end = ({ summary, diagnostics }: ReportEnd, more: Readonly<Record<string, unknown>>): void => {
    const rest = toJson({ summary, diagnostics, ...more });
    write(`${results > 0 ? "\n  " : ""}],\n${rest.slice("{\n".length)}\n`);
  };
  write(`{\n  "schemaVersion": ${SCHEMA_VERSION},\n  "results": [`);
  return {
    add: (result) => {
      const text = toJson(resultRow(result)).replaceAll("\n", "\n    ");
      write(`${results > 0 ? "," : ""}\n    ${text}`);
      results += 1;
    },
    finish: (whole) => end(whole, {}),
    breakOff: (part, { code, message, hints, details }) =>
      end(part, { error: { code, message, hints, details } }),
  };
}

function sarifWriter(writer: SarifWriter): ReportWriter {
  return {
    add: (result) => writer.add(result),
    finish: ({ diagnostics }) => writer.finish({ diagnostics }),
    breakOff: ({ diagnostics }, { message }) => writer.finish({ diagnostics, failure: message }),
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
  // The worst results come last, at the end of the screen; safe ones are printed immediately.
  const later = { caution: [] as string[], dangerous: [] as string[] };
  const closing = { caution: [] as string[][], dangerous: [] as string[][] };
  const printLater = (): void => printAll([...later.caution, ...later.dangerous]);
  return {
    add: (result) => {
      const { verdict } = result.report;
      const lines = skillBlock(result, layout);
      if (verdict === "safe") return printAll(lines);
      later[verdict].push(...lines);
      if (layout.isOnly !== true) closing[verdict].push(closingLine(result, layout));
    },
    finish: (end) => {
      printLater();
      const isMany = end.summary.skills > 1 || end.diagnostics.length > 0;
      printAll([...(isMany ? [""] : []), ...summaryLines(end, layout, closing)]);
    },
    // The results stay; the error follows on standard error.
    breakOff: printLater,
  };
}
