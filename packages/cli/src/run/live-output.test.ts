import { expect, test } from "vitest";
import { createTerminal } from "../ui/terminal.ts";
import { createLiveOutput } from "./live-output.ts";

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
