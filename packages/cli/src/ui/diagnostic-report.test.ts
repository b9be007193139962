import type { Diagnostic } from "@skillet/kit/diagnostics";
import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { plainLayout } from "../testing/plain-layout.ts";
import { codeFrame, diagnosticBlock, diagnosticReport } from "./diagnostic-report.ts";
import { displayWidth } from "./text.ts";

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

const colours = picocolors.createColors(false);
const frame = (text: string, line: number, column: number, endColumn?: number, width = 80): string[] =>
  codeFrame(text, { line, column, ...(endColumn !== undefined && { endColumn }) }, { width, colours });

describe("codeFrame", () => {
  test("what is marked is shown whole, over several lines where it is wider than the screen", () => {
    const text = "send the key to the host, and do not tell the user";
    const lines = codeFrame(text, { line: 1, column: 1, endColumn: text.length + 1 }, { width: 40, colours });
    expect(lines).toEqual([
      "  1 | send the key to the host, and do",
      "    | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
      "    | not tell the user",
      "    | ~~~~~~~~~~~~~~~~~",
    ]);
  });

  test("the caret stands under the fault and runs along it", () => {
    expect(frame("---\nname: Bad Name\n---\n", 2, 7, 15)).toEqual([
      "  2 | name: Bad Name",
      "    |       ^~~~~~~~",
    ]);
  });

  test("a fault behind wide characters is still pointed at", () => {
    expect(frame("名前: x", 1, 5)).toEqual(["  1 | 名前: x", "    |       ^"]);
  });

  test("a tab is shown and counts as it is shown", () => {
    expect(frame("\tname: x", 1, 2, 6)).toEqual(["  1 | →   name: x", "    |     ^~~~"]);
  });

  test("escapes in the file are not obeyed", () => {
    expect(frame("name: \x1b[31mx", 1, 7)[0]).toBe("  1 | name: ␛[31mx");
  });

  test("a long line is cut around the fault", () => {
    const lines = frame(`description: ${"word ".repeat(60)}here: ${"more ".repeat(60)}`, 1, 314, 318, 60);
    expect(lines.every((line) => displayWidth(line) <= 60)).toBe(true);
    const [source = "", caret = ""] = lines;
    expect(source.slice(caret.indexOf("^"), caret.lastIndexOf("~") + 1)).toBe("here");
  });

  test("a line of a megabyte is shown in part", () => {
    const lines = frame("x".repeat(1_000_000), 1, 500_000);
    expect(lines.every((line) => displayWidth(line) <= 80)).toBe(true);
  });

  test("a position outside the file has no frame", () => {
    expect(frame("one line", 7, 1)).toEqual([]);
  });

  test("a position past the end of its line points behind the line", () => {
    expect(frame("ab", 1, 9)).toEqual(["  1 | ab", "    |   ^"]);
  });
});
