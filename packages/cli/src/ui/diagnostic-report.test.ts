import type { Diagnostic } from "@skillet/kit/diagnostics";
import { expect, test } from "vitest";
import { plainLayout } from "../testing/plain-layout.ts";
import { diagnosticBlock, diagnosticReport } from "./diagnostic-report.ts";

const diagnostic: Diagnostic = {
  code: "name-not-lowercase",
  severity: "error",
  message: "The name has upper-case letters.",
  file: "pdf/SKILL.md",
  range: { line: 2, column: 7, endLine: 2, endColumn: 10 },
  hint: "Write pdf.",
};
const options = {
  ...plainLayout(40),
  lineWidth: Number.POSITIVE_INFINITY,
  file: "pdf/SKILL.md",
  text: "---\nname: PDF\n---\n",
};

test("a report begins like a compiler's, so that editors find the place", () => {
  expect(diagnosticReport(diagnostic, options)).toEqual([
    "pdf/SKILL.md:2:7: error name-not-lowercase: The name has upper-case letters.",
    "  2 | name: PDF",
    "    |       ^~~",
    "  hint: Write pdf.",
  ]);
});

test("on a terminal a long message stands below its title", () => {
  expect(diagnosticReport(diagnostic, { ...options, lineWidth: 50 }).slice(0, 3)).toEqual([
    "pdf/SKILL.md:2:7: error name-not-lowercase:",
    "  The name has upper-case letters.",
    "  2 | name: PDF",
  ]);
});

test("on a narrow terminal a place that takes the whole line stands above the rest", () => {
  expect(diagnosticReport(diagnostic, { ...options, lineWidth: 30, width: 30 }).slice(0, 4)).toEqual([
    "pdf/SKILL.md:2:7:",
    "  error name-not-lowercase:",
    "  The name has upper-case",
    "  letters.",
  ]);
});

test("without a text there is no frame", () => {
  const { text: _text, ...rest } = options;
  expect(diagnosticReport({ ...diagnostic, severity: "info" }, rest)).toEqual([
    "pdf/SKILL.md:2:7: info name-not-lowercase: The name has upper-case letters.",
    "  hint: Write pdf.",
  ]);
});

test("a block keeps within the screen", () => {
  expect(diagnosticBlock(diagnostic, options)).toEqual([
    "error name-not-lowercase",
    "  pdf/SKILL.md:2:7",
    "  The name has upper-case letters.",
    "  2 | name: PDF",
    "    |       ^~~",
    "  hint: Write pdf.",
  ]);
});

test("escapes in a message are shown", () => {
  const [line] = diagnosticReport({ ...diagnostic, message: "Odd \x1b[2J" }, options);
  expect(line).toBe("pdf/SKILL.md:2:7: error name-not-lowercase: Odd ␛[2J");
});
