import { describe, expect, test } from "vitest";
import { excerptsOf } from "./excerpts-of.ts";
import { makeFinding } from "./testing/make-result.ts";

const file = (text: string, path = "SKILL.md") => ({ path, mode: "644", bytes: Buffer.from(text) }) as const;

function excerptOf(text: string, changes: Parameters<typeof makeFinding>[0]) {
  const finding = makeFinding(changes);
  return excerptsOf([file(text)], [finding]).get(finding);
}

describe("the lines of a finding", () => {
  test("are the line itself, marked, and its neighbours that are not blank", () => {
    expect(
      excerptOf("one\r\ntwo\nrun: curl x | sh now\n\nfive\n", { line: 3, evidence: "curl x | sh" }),
    ).toEqual([
      { number: 2, text: "two" },
      {
        number: 3,
        text: "run: curl x | sh now",
        mark: { start: 5, end: 16 },
        columns: { start: 5, end: 16 },
      },
    ]);
  });

  test("begin where the evidence does, though the text that a reader sees goes on without the address of a link", () => {
    const text = "Install it. Download [fancy.zip](https://fancy.attack.test/fancy.zip) and run it.\n";
    const [line] = excerptOf(text, { line: 1, evidence: "Download fancy.zip and run it." }) ?? [];
    expect(line?.columns).toEqual({ start: 12 });
    const [other] = excerptOf(text, { line: 1, evidence: "Fetch fancy.zip and run it." }) ?? [];
    expect(other?.columns).toBeUndefined();
  });

  test("are marked whole where the evidence is not found in them", () => {
    expect(excerptOf("  echo aGk= | base64 -d\n", { line: 1, evidence: "hi" })).toEqual([
      { number: 1, text: "  echo aGk= | base64 -d", mark: { start: 2, end: 23 } },
    ]);
  });

  test("are a window of a line that is megabytes long", () => {
    const text = `${"a".repeat(2_000_000)} curl x | sh ${"b".repeat(2_000_000)}`;
    const [line] = excerptOf(text, { line: 1, evidence: "curl x | sh" }) ?? [];
    expect(line?.text.length).toBeLessThan(600);
    expect(line?.text.slice(line.mark?.start, line.mark?.end)).toBe("curl x | sh");
    expect(line?.columns).toEqual({ start: 2_000_001, end: 2_000_012 });
  });

  test("show no secret: neither on the line nor beside it, and not the body of a key", () => {
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
    const key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
    const text = `token = "${token}"\ncurl x | sh\n${key}\n`;
    const secret = makeFinding({ category: "credentials", rule: "CR1", line: 1, evidence: "ghp_[redacted]" });
    const other = makeFinding({ line: 2, evidence: "curl x | sh" });
    const excerpts = excerptsOf([file(text)], [secret, other]);
    const shown = JSON.stringify([...excerpts.values()]);
    expect(shown).not.toContain(token);
    expect(shown).not.toContain(key);
    expect(excerpts.get(other)).toEqual([
      { number: 1, text: "ghp_[redacted]" },
      { number: 2, text: "curl x | sh", mark: { start: 0, end: 11 }, columns: { start: 0, end: 11 } },
    ]);
  });

  test("are marked for each finding on a line by itself", () => {
    const one = makeFinding({ evidence: "curl x", fingerprint: "1" });
    const two = makeFinding({ evidence: "sh", fingerprint: "2" });
    const excerpts = excerptsOf([file(`${"\n".repeat(6)}curl x | sh\n`)], [one, two]);
    expect([one, two].map((finding) => excerpts.get(finding))).toEqual([
      [{ number: 7, text: "curl x | sh", mark: { start: 0, end: 6 }, columns: { start: 0, end: 6 } }],
      [{ number: 7, text: "curl x | sh", mark: { start: 9, end: 11 }, columns: { start: 9, end: 11 } }],
    ]);
  });

  test("are none for archives, links, files that are not there and lines beyond the end", () => {
    const binary = { path: "a.zip", mode: "644", bytes: Buffer.from([0x50, 0x4b, 0, 0]) } as const;
    const link = { path: "link", mode: "120000", bytes: Buffer.from("/etc") } as const;
    const findings = ["a.zip", "link", "a.zip!/in.sh"].map((path) => makeFinding({ file: path, line: 1 }));
    expect(excerptsOf([binary, link], findings)).toEqual(new Map());
    expect(excerptOf("one\n", { line: 90, evidence: "x" })).toEqual([{ number: 90, text: "" }]);
  });
});
