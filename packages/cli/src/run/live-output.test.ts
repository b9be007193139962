import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTerminal } from "../ui/terminal.ts";
import { createLiveOutput, LiveText } from "./live-output.ts";

function open(isTTY: { readonly stdout: boolean; readonly stderr: boolean }) {
  const written: [stream: string, text: string | Uint8Array][] = [];
  const stream = (name: "stdout" | "stderr") => ({
    isTTY: isTTY[name],
    write: (text: string | Uint8Array) => written.push([name, text]),
  });
  const terminal = createTerminal({ stdout: stream("stdout"), stderr: stream("stderr"), environment: {} });
  return { live: createLiveOutput(terminal), written };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("bytes pass as they are where a program reads them, and are shown where a person does", () => {
  const { live, written } = open({ stdout: false, stderr: true });
  live.onOutput("stdout", bytes("\x1b[2J"));
  live.onOutput("stderr", bytes("\x1b[2J"));
  live.end();
  expect(written).toEqual([
    ["stdout", bytes("\x1b[2J")],
    ["stderr", "␛[2J"],
    ["stderr", "\n"],
  ]);
});

test("a line that either stream left open is ended once", () => {
  const { live, written } = open({ stdout: true, stderr: true });
  live.onOutput("stdout", bytes("out"));
  live.onOutput("stderr", bytes("err"));
  live.end();
  expect(written.map(([, text]) => text).join("")).toBe("outerr\n");
});

test("nothing is added to lines that are whole, nor where nothing was written", () => {
  const { live, written } = open({ stdout: true, stderr: true });
  live.end();
  live.onOutput("stdout", bytes("out\n"));
  live.end();
  expect(written).toEqual([["stdout", "out\n"]]);
});

test("what was kept back at the end is shown", () => {
  const { live, written } = open({ stdout: true, stderr: true });
  live.onOutput("stdout", bytes("a\x1b[3"));
  live.end();
  expect(written.map(([, text]) => text).join("")).toBe("a␛[3\n");
});

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function show(...chunks: readonly Uint8Array[]): string {
  const live = new LiveText();
  return chunks.map((chunk) => live.push(chunk)).join("") + live.end();
}

describe("LiveText", () => {
  test("plain text, tabs and line ends pass as they are", () => {
    expect(show(encode("a\tb\nü 技 👩‍💻\n"))).toBe("a\tb\nü 技 👩‍💻\n");
  });

  test("colours are taken out, also when a chunk ends inside one", () => {
    expect(show(encode("\x1b[1;31mred\x1b[0m\n"))).toBe("red\n");
    expect(show(encode("\x1b"), encode("["), encode("3"), encode("1mred\x1b[0"), encode("m"))).toBe("red");
  });

  test.each([
    ["a window title", "\x1b]0;owned\x07", "␛]0;owned␇"],
    ["the clipboard", "\x1b]52;c;aGk=\x1b\\", "␛]52;c;aGk=␛\\"],
    ["the cursor", "\x1b[2J\x1b[H", "␛[2J␛[H"],
    ["a question to the terminal", "\x1b[6n\x1bP+q\x1b\\", "␛[6n␛P+q␛\\"],
    ["an 8-bit sequence as text", "\x9b2J\x9d0;x\x9c", "\uFFFD2J\uFFFD0;x\uFFFD"],
    ["direction and hidden text", "a\u202eb\u2066c\u200bd", "a\uFFFDb\uFFFDc\uFFFDd"],
    ["bell, backspace and delete", "a\x07\b\x7f", "a␇␈␡"],
  ])("%s is shown and not obeyed", (_title, written, shown) => {
    expect(show(encode(written))).toBe(shown);
    expect(show(...[...encode(written)].map((byte) => Uint8Array.of(byte)))).toBe(shown);
  });

  test("8-bit control bytes and broken characters become a mark", () => {
    expect(show(Uint8Array.of(0x9b, 0x32, 0x4a, 0xff))).toBe("\uFFFD2J\uFFFD");
  });

  test("a carriage return cannot write over a line", () => {
    expect(show(encode("10 %\r20 %\r"), encode("\nrm -rf /\rls"))).toBe("10 %\n20 %\nrm -rf /\nls");
  });

  test("an endless colour is not kept back", () => {
    const live = new LiveText();
    expect(live.push(encode(`\x1b[${"1;".repeat(50)}`))).toContain("␛[1;");
  });

  test("nothing that acts comes through, wherever chunks end, and where they end changes nothing", () => {
    const piece = fc.constantFrom(
      "\x1b",
      "[",
      "3",
      ";",
      "m",
      "]",
      "\x07",
      "\x9b",
      "\r",
      "\n",
      "\t",
      "a",
      "é",
      "\u202e",
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.array(fc.nat(60), { maxLength: 6 }),
        (pieces, cuts) => {
          const bytes = encode(pieces.join(""));
          const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
          const shown = show(...places.slice(1).map((end, index) => bytes.subarray(places[index], end)));
          // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
          expect(shown).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
          expect(shown.replaceAll(/\uFFFD+/g, "\uFFFD")).toBe(show(bytes).replaceAll(/\uFFFD+/g, "\uFFFD"));
        },
      ),
    );
  });
});
