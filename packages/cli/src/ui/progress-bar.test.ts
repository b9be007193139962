import type { HubStep } from "@skillet/hub";
import { expect, test } from "vitest";
import { createCountLine, createProgressLine } from "./progress-bar.ts";
import { createTerminal } from "./terminal.ts";

function lineOn(
  options: Partial<Pick<Parameters<typeof createCountLine>[0], "beside" | "json" | "least">> & {
    readonly isTTY?: boolean;
    readonly isPiped?: boolean;
  },
) {
  const written: string[] = [];
  const { isTTY = true, isPiped = false, ...place } = options;
  const terminal = createTerminal({
    stdout: { isTTY: !isPiped, write: () => true },
    stderr: { isTTY, columns: 60, write: (text) => written.push(String(text)) },
    environment: { NO_COLOR: "1" },
  });
  return { written, line: createCountLine({ terminal, ...place }, "Scanning skills before they are shown") };
}

test("a line says what is done, why, and how far it is, not more often than can be seen, and is taken away", () => {
  const { written, line } = lineOn({ beside: "text" });
  line.show(500, 2_354, "pdf\x1b[2J");
  line.show(501, 2_354, "unseen");
  line.show(1_000, 2_354, "x".repeat(100));
  line.clear();
  line.clear();
  expect(written).toEqual([
    "\r\x1b[KScanning skills before they are shown: 500 of 2354  pdf␛[2J",
    "\r\x1b[KScanning skills before they are shown: 1000 of 2354  xxxxx…",
    "\r\x1b[K",
  ]);
});

test.each([
  ["where no one sees it", { isTTY: false }],
  ["over a few skills", { least: 501 }],
  ["while standard output goes to a pager or a program", { isPiped: true, beside: "text" }],
  ["beside a document on the same screen", { beside: "json" }],
  ["with --json", { json: true }],
] as const)("there is no line %s", (_, options) => {
  const { written, line } = lineOn(options);
  line.show(1, 500, "pdf");
  line.clear();
  expect(written).toEqual([]);
});

test("there is a line while the report goes to a file", () => {
  const { written, line } = lineOn({ isPiped: true, beside: "file" });
  line.show(1, 500, "pdf");
  expect(written).toHaveLength(1);
});

/** Everything that steps wrote to a terminal of 40 columns, until a line of a report came. */
function written(steps: readonly HubStep[], isTTY = true): readonly string[] {
  const texts: string[] = [];
  const terminal = createTerminal({
    stdout: { write: () => true },
    stderr: { isTTY, columns: 40, write: (text) => texts.push(String(text)) },
    environment: { NO_COLOR: "1" },
  });
  const show = createProgressLine({ terminal, json: false });
  for (const step of steps) show(step);
  terminal.print("a report");
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
