import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";

const LONG =
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg";
const ODD = `it's $HOME "quoted" & <more>`;
const HIDDEN = "[redacted KEY]";

const redact = (secret: string, text: string): string => createRedactor({ KEY: secret }).text(text);

function output(program: string, args: readonly string[], key: string, input = ""): string | undefined {
  const { error, stdout, stderr } = spawnSync(program, args, {
    env: { KEY: key, PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" },
    input,
    encoding: "utf8",
  });
  return error === undefined ? stdout + stderr : undefined;
}

describe("a secret is taken out of what a program shows without meaning to", () => {
  test.each([
    ["a traced command of bash", "bash", ["-xc", 'true "$KEY"']],
    ["a traced command of sh", "sh", ["-xc", 'true "$KEY"']],
    ["a quoted word of bash", "bash", ["-c", 'printf "%q\\n" "$KEY"']],
    ["the variables of bash", "bash", ["-c", "declare -p KEY"]],
    ["the variables of sh", "sh", ["-c", "export -p"]],
    ["an error of Python", "python3", ["-c", "import os; {}[os.environ['KEY']]"]],
    ["an error of Python about bytes", "python3", ["-c", "import os; {}[os.environb[b'KEY']]"]],
    ["a quoted word of Python", "python3", ["-c", "import os, shlex; print(shlex.quote(os.environ['KEY']))"]],
    ["HTML of Python", "python3", ["-c", "import os, html; print(html.escape(os.environ['KEY']))"]],
    ["an object of Node", process.execPath, ["-e", "console.log({ key: process.env.KEY })"]],
    ["a dump of Perl", "perl", ["-MData::Dumper", "-e", "print Dumper($ENV{KEY})"]],
  ])("%s", (_what, program, args) => {
    for (const key of [ODD, "pässword's\tplace", String.raw`back\slash'and"both`]) {
      const text = output(program, args, key);
      if (text !== undefined)
        expect([key, redact(key, text)]).toEqual([key, expect.stringContaining(HIDDEN)]);
    }
  });

  test("base64 and hexadecimal with broken lines", () => {
    const base64 = Buffer.from(`${"u".repeat(50)}${LONG}`).toString("base64");
    const hex = Buffer.from(LONG).toString("hex");
    for (const columns of [19, 60, 64, 76])
      for (const end of ["\n", "\r\n", "\n    "]) {
        const wrap = (text: string): string => text.replace(new RegExp(`.{${columns}}`, "g"), `$&${end}`);
        const left = redact(LONG, wrap(base64)).replaceAll(/\s/g, "");
        expect(left).toMatch(/^.{66,68}\[redactedKEY\].{0,3}$/);
        expect(redact(LONG, wrap(hex)).trim()).toBe(HIDDEN);
        expect(redact(LONG, wrap(hex.toUpperCase())).trim()).toBe(HIDDEN);
      }
  });

  test.each([
    ["HTML", "it&#39;s $HOME &quot;quoted&quot; &amp; &lt;more&gt;"],
    ["XML", 'it\'s $HOME "quoted" &amp; &lt;more&gt;'],
    ["XML with all of its names", "it&apos;s $HOME &quot;quoted&quot; &amp; &lt;more&gt;"],
  ])("%s", (_what, text) => {
    expect(redact(ODD, `<p>${text}</p>`)).toBe(`<p>${HIDDEN}</p>`);
  });

  test("JSON with capital escapes", () => {
    expect(redact("passwörd-1234", '"passw\\u00F6rd-1234"')).toBe(`"${HIDDEN}"`);
  });
});

test("white space is passed over in long encoded forms alone", () => {
  expect(redact("correct horse", "correct\nhorse")).toBe("correct\nhorse");
  const short = Buffer.from("tops").toString("base64").slice(0, 5);
  expect(redact("tops", `${short.slice(0, 2)} ${short.slice(2)}`)).not.toContain(HIDDEN);
});
