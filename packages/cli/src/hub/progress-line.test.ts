import type { HubStep } from "@skillet/hub";
import { expect, test } from "vitest";
import type { Terminal } from "../ui/terminal.ts";
import { createProgressLine } from "./progress-line.ts";

/** Everything that steps wrote to a terminal of 40 columns. */
function written(steps: readonly HubStep[], isErrorTerminal = true): readonly string[] {
  const texts: string[] = [];
  const terminal = {
    isErrorTerminal,
    errorLineWidth: 40,
    errorColours: { dim: (text: string) => text },
    warnRaw: (text: string) => texts.push(text),
  } as unknown as Terminal;
  const progress = createProgressLine(terminal, { json: false });
  for (const step of steps) progress.show(step);
  progress.clear();
  return texts.map((text) => text.replace("\r\u001b[K", ""));
}

const fetching = (what: string, doneBytes: number, totalBytes?: number): HubStep => ({
  step: "fetch",
  what,
  doneBytes,
  ...(totalBytes !== undefined && { totalBytes }),
});

test("a download says how many bytes came, and of how many where that is known", () => {
  const lines = written([fetching("x.zip", 2_000_000), fetching("x.zip", 3_000_000, 4_000_000)]);
  expect(lines).toEqual([
    expect.stringMatching(/^Fetching x\.zip \([\d.]+ .?B\)$/),
    expect.stringMatching(/^Fetching x\.zip \([\d.]+ .?B of [\d.]+ .?B\)$/),
    "",
  ]);
});

test("a long address is cut before it pushes out how far the download is", () => {
  const [line = ""] = written([fetching(`https://example.com/${"a".repeat(100)}`, 2_000_000)]);
  expect(line).toMatch(/^Fetching https:\/\/.*… \([\d.]+ .?B\)$/u);
  expect(line.length).toBeLessThan(40);
});

test("the same line is written once, and nothing where nobody sees it", () => {
  const steps = [fetching("x.zip", 2_000_000), fetching("x.zip", 2_000_001)];
  expect(written(steps)).toHaveLength(2);
  expect(written(steps, false)).toEqual([]);
});
