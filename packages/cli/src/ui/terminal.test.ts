import { describe, expect, test } from "vitest";
import { createTerminal, type Terminal } from "./terminal.ts";

function open(environment: Record<string, string>, stream: { isTTY?: boolean; columns?: number } = {}) {
  const written: string[] = [];
  const write = (text: string): void => void written.push(text);
  const terminal: Terminal = createTerminal({ stdout: { ...stream, write }, stderr: { write }, environment });
  return { terminal, written };
}

describe("createTerminal", () => {
  test.each([
    ["a pipe has no colours", {}, {}, false],
    ["a terminal has colours", {}, { isTTY: true }, true],
    ["NO_COLOR turns them off", { NO_COLOR: "1" }, { isTTY: true }, false],
    ["an empty NO_COLOR means nothing", { NO_COLOR: "" }, { isTTY: true }, true],
    ["FORCE_COLOR turns them on in a pipe", { FORCE_COLOR: "1" }, {}, true],
    ["FORCE_COLOR=0 turns them off", { FORCE_COLOR: "0" }, { isTTY: true }, false],
    ["NO_COLOR beats FORCE_COLOR", { NO_COLOR: "1", FORCE_COLOR: "1" }, {}, false],
    ["a dumb terminal has none", { TERM: "dumb" }, { isTTY: true }, false],
  ])("%s", (_title, environment: Record<string, string>, stream, expected) => {
    expect(open(environment, stream).terminal.colours.isColorSupported).toBe(expected);
  });

  test.each([
    [{}, {}, 80],
    [{ COLUMNS: "120" }, {}, 120],
    [{ COLUMNS: "120" }, { columns: 100 }, 100],
    [{ COLUMNS: "no" }, {}, 80],
    [{ COLUMNS: "3" }, {}, 24],
  ])("%o on %o is wide %i", (environment: Record<string, string>, stream, expected) => {
    expect(open(environment, stream).terminal.width).toBe(expected);
  });

  test("a text is wrapped at words on a terminal; indented lines, given lines and pipes stay as they are", () => {
    const text = "one two three four five six seven eight\n  skillet install something/that --is long";
    const narrow = open({}, { isTTY: true, columns: 24 });
    narrow.terminal.print(text);
    narrow.terminal.print([text.slice(0, 39)]);
    expect(narrow.written).toEqual([
      "one two three four five\nsix seven eight\n  skillet install something/that --is long\n",
      "one two three four five six seven eight\n",
    ]);
    const pipe = open({ COLUMNS: "24" });
    pipe.terminal.print(text);
    expect(pipe.written).toEqual([`${text}\n`]);
  });

  test("only colour codes get through to a terminal with colours", () => {
    const { terminal, written } = open({ FORCE_COLOR: "1" });
    terminal.print("\x1b[31mred\x1b[39m \x1b]0;title\x07\x1b[2J\x9b\r\u202e");
    expect(written).toEqual(["\x1b[31mred\x1b[39m ]0;title[2J\n"]);
  });

  test("without colours not even colour codes get through", () => {
    const { terminal, written } = open({});
    terminal.warn("\x1b[31mred\x1b[39m");
    expect(written).toEqual(["red\n"]);
  });
});
