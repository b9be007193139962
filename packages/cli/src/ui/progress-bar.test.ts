import type { HubStep } from "@skillet/hub";
import { expect, test } from "vitest";
import { type BarOptions, createProgressBar, createProgressLine } from "./progress-bar.ts";
import { createTerminal } from "./terminal.ts";

function barOn(
  options: Pick<BarOptions, "beside" | "why"> & {
    readonly columns?: number;
    readonly isTTY: boolean;
    readonly isPiped?: boolean;
    readonly total: number;
  },
) {
  const written: string[] = [];
  let now = 0;
  const terminal = createTerminal({
    stdout: { isTTY: options.isPiped !== true, write: () => true },
    stderr: {
      isTTY: options.isTTY,
      columns: options.columns ?? 60,
      write: (text) => written.push(String(text)),
    },
    environment: { NO_COLOR: "1" },
  });
  const bar = createProgressBar(terminal, options.total, {
    ...(options.why !== undefined && { why: options.why }),
    beside: options.beside ?? "text",
    now: () => now,
  });
  const wait = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { written, bar, wait };
}

test("a bar is drawn on a terminal, not more often than can be seen, and taken away", () => {
  const { written, bar, wait } = barOn({ isTTY: true, total: 20 });
  bar.show({ done: 5, name: "pdf\x1b[2J" });
  bar.show({ done: 6, name: "unseen" });
  wait(100);
  bar.show({ done: 10, name: "x".repeat(100) });
  bar.clear();
  bar.clear();
  expect(written).toEqual([
    `\r\x1b[KScanning 5 of 20 skills ${"█".repeat(4)}${"░".repeat(12)} pdf␛[2J`,
    `\r\x1b[KScanning 10 of 20 skills ${"█".repeat(8)}${"░".repeat(8)} ${"x".repeat(16)}…`,
    "\r\x1b[K",
  ]);
});

test.each([
  [40, "Scanning 17 of 2,354 skills before the…"],
  [60, "Scanning 17 of 2,354 skills before they are shown"],
  [80, `Scanning 17 of 2,354 skills before they are shown ${"░".repeat(16)} pdf`],
])("at %i columns it says what is done, how far it is and why, before anything else", (columns, line) => {
  const { written, bar } = barOn({ isTTY: true, columns, total: 2_354, why: "before they are shown" });
  bar.show({ done: 17, name: "pdf" });
  expect(written).toEqual([`\r\x1b[K${line}`]);
});

test.each([
  ["where nobody sees it", { isTTY: false, total: 500 }],
  ["over a few skills", { isTTY: true, total: 3 }],
  ["while standard output goes to a pager or a program", { isTTY: true, isPiped: true, total: 500 }],
  ["beside a document on the same screen", { isTTY: true, beside: "json", total: 500 }],
] as const)("there is no bar %s", (_, options) => {
  const { written, bar } = barOn(options);
  bar.show({ done: 1, name: "pdf" });
  bar.clear();
  expect(written).toEqual([]);
});

test("there is a bar while the report goes to a file", () => {
  const { written, bar } = barOn({ isTTY: true, isPiped: true, beside: "file", total: 500 });
  bar.show({ done: 1, name: "pdf" });
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
