import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { codeFrame } from "./code-frame.ts";
import { displayWidth } from "./display-width.ts";

const colours = picocolors.createColors(false);
const frame = (text: string, line: number, column: number, endColumn?: number, width = 80): string[] =>
  codeFrame(text, { line, column, ...(endColumn !== undefined && { endColumn }) }, { width, colours });

describe("codeFrame", () => {
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
