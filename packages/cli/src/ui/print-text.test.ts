import { expect, test } from "vitest";
import { createTerminal, printText } from "./terminal.ts";

function print(text: string, stream: { isTTY?: boolean }): string {
  const written: string[] = [];
  const write = (part: string): void => void written.push(part);
  const environment = { FORCE_COLOR: "1" };
  printText(createTerminal({ stdout: { ...stream, write }, stderr: { write }, environment }), text);
  return written.join("");
}

const ODD = "a\tb\r\n\x1b[2J\x9b\u202e\u200b\x1b[31mred";

test("a program gets a text byte for byte, and nothing is added to it", () => {
  for (const text of ["", "one", "one\n", ODD]) expect(print(text, {})).toBe(text);
});

test("a person sees what would act, and colour codes of the text are no colours", () => {
  expect(print(ODD, { isTTY: true })).toBe("a→   b \n␛[2J��␛[31mred\n");
});

test("on a terminal a text ends with one line break", () => {
  expect(print("one", { isTTY: true })).toBe("one\n");
  expect(print("one\n", { isTTY: true })).toBe("one\n");
  expect(print("one\n\n", { isTTY: true })).toBe("one\n\n");
  expect(print("", { isTTY: true })).toBe("");
});
