import { expect, test } from "vitest";
import { CliError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { plainLayout } from "../testing/plain-layout.ts";
import { createReportWriter, jsonWriter } from "./report-writer.ts";
import { makeFinding, makeScanResult } from "./testing/make-scan-result.ts";

const SUMMARY = {
  skills: 0,
  verdicts: { safe: 0, caution: 0, dangerous: 0 },
  findings: { info: 0, warn: 0, critical: 0 },
  suppressed: 0,
  files: 0,
  notWholly: 0,
};

function documentOf(results: readonly ReturnType<typeof makeScanResult>[]): string {
  const parts: string[] = [];
  const writer = jsonWriter((text) => parts.push(text));
  for (const result of results) writer.add(result);
  writer.finish({ summary: SUMMARY, diagnostics: [] });
  return parts.join("");
}

test("the pieces are one document, laid out as every other one", () => {
  for (const results of [[], [makeScanResult()], [makeScanResult(), makeScanResult({ name: "b" })]]) {
    const text = documentOf(results);
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), undefined, 2)}\n`);
    expect(JSON.parse(text)).toMatchObject({ schemaVersion: 1, summary: SUMMARY, diagnostics: [] });
  }
});

test("a result has its findings, counts and everything that a scan gives", () => {
  const finding = makeFinding({ demoted: "why", related: [{ file: "a", line: 1 }] });
  const digest = `sha256:${"0".repeat(64)}` as const;
  const result = makeScanResult({
    digest,
    fileDigests: new Map([["SKILL.md", digest]]),
    report: { verdict: "dangerous", findings: [finding], suppressed: [{ finding, reason: "known" }] },
  });
  const { verdict, capabilities, coverage, ruleSet } = result.report;
  expect(JSON.parse(documentOf([result])).results).toEqual([
    {
      path: "skills/pdf",
      name: "pdf",
      digest,
      verdict,
      summary: { critical: 1, warn: 0, info: 0, suppressed: 1, notWholly: 0 },
      findings: [{ ...finding, fileDigest: digest }],
      suppressed: [{ reason: "known", finding: { ...finding, fileDigest: digest } }],
      capabilities,
      coverage,
      ruleSet,
    },
  ]);
});

test("a terminal obeys nothing in it", () => {
  expect(documentOf([makeScanResult({ name: "a\x1b\u202e" })])).toContain('"name": "a\\u001b\\u202e"');
});

test("a scan that breaks off leaves one whole document, with what there is and the error", () => {
  for (const results of [0, 2]) {
    let text = "";
    const writer = jsonWriter((piece) => {
      text += piece;
    });
    for (let index = 0; index < results; index += 1) writer.add(makeScanResult());
    const failure = new CliError("unexpected", "It broke.");
    writer.breakOff({ summary: SUMMARY, diagnostics: [] }, failure);
    const document = JSON.parse(text);
    expect(Object.keys(document)).toEqual(["schemaVersion", "results", "summary", "diagnostics", "error"]);
    expect([document.results.length, document.error]).toEqual([
      results,
      { code: "unexpected", message: "It broke.", hints: [], details: {} },
    ]);
  }
});

test("a text report has safe skills in a line each, the worst last, and closes with what is not safe and why", () => {
  const lines: string[] = [];
  const terminal = { ...plainLayout(), isTerminal: false, lineWidth: 80 };
  const context = { terminal, environment: {}, version: "0" } as unknown as CommandContext;
  const writer = createReportWriter(context, {
    format: "text",
    verbose: false,
    isOnly: false,
    rules: [],
    write: (text) => lines.push(...text.split("\n").slice(0, -1)),
  });
  const capabilities = { ...makeScanResult().report.capabilities, network: ["a.test"] };
  const dangerous = { verdict: "dangerous", findings: [makeFinding({ line: 8 })] } as const;
  const caution = { verdict: "caution", findings: [makeFinding({ severity: "warn" })] } as const;
  writer.add(makeScanResult({ name: "steal", path: "skills/steal", report: dangerous }));
  writer.add(makeScanResult({ name: "odd", path: "skills/odd", report: caution }));
  writer.add(makeScanResult({ name: "fine", path: "skills/fine", report: { capabilities } }));
  const verdicts = { safe: 1, caution: 1, dangerous: 1 };
  writer.finish({ summary: { ...SUMMARY, skills: 3, verdicts }, diagnostics: [] });
  expect(lines.filter((line) => /^[✓!✗]/u.test(line))).toEqual([
    "✓ fine  safe  skills/fine",
    "! odd  caution  skills/odd",
    "✗ steal  dangerous  skills/steal",
    "✗ 3 skills: 1 dangerous, 1 caution, 1 safe",
  ]);
  expect(lines.slice(-5)).toEqual([
    "Caution:",
    expect.stringMatching(/^ {2}! odd \(skills\/odd\): EX1 at /),
    "Dangerous:",
    "  ✗ steal (skills/steal): EX1 at SKILL.md:8, Runs what it downloads from get.attack.test.",
    "✗ 3 skills: 1 dangerous, 1 caution, 1 safe",
  ]);
});
