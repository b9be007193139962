import { execFileSync } from "node:child_process";
import { symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Document, type Sandbox, skillText } from "./sandbox.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

const EVIL = String.raw`---
name: "evil\e[2J\e]0;owned\a\x9b31m\u202e"
description: "Nice \e]52;c;ZXZpbA==\a text\u200b \e[8mhidden\r over"
when_to_use: "\e[2J"
allowed-tools: ["Read", "Bash(\e[2J"]
---

Body with a real escape: ${"\x1b"}[2J and ${"\x9b"}2J costs $5.
`;

function hostile(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write("home/.skillet/skills/evil/SKILL.md", EVIL);
  sandbox.write("home/.skillet/skills/bad/SKILL.md", `---\nname: bad\n\x1b[31mdescription: x\n---\n\x1b[2J`);
  sandbox.write("project/.skillet/skills/evil\x1b[2J/SKILL.md", EVIL);
  return sandbox;
}

describe("text from skills", () => {
  test.each([
    [["show", "--long"]],
    [["show", "--json"]],
    [["explain", "evil"]],
    [["explain", "evil", "--json"]],
    [["catalog"]],
    [["catalog", "--json"]],
    [["catalog", "--format", "json"]],
    [["catalog", "--format", "markdown"]],
    [["catalog", "--report", "--budget", "10"]],
    [["activate", "evil", "--json"]],
    [["read", "evil", "evil\x1b[2J"]],
    [["read", "evil", "x", "--json"]],
    [["check-tool", "evil", "Bash", "evil \x1b[2J"]],
    [["check-tool", "evil", "Bash", "evil \x1b[2J", "--json"]],
    [["records", "evil\x1b[2J"]],
    [["validate", "../home/.skillet/skills"]],
    [["validate", "../home/.skillet/skills", "--json"]],
    [["validate", "../home/.skillet/skills/evil", "--ref-compat"]],
    [["doctor"]],
    [["doctor", "--json"]],
    [["trust", "--yes"]],
    [["disable", "evil"]],
  ])("never reaches the terminal as control: skillet %s", async (args) => {
    const { stdout, stderr } = await hostile().skillet(args);
    expect(stdout + stderr).not.toMatch(CONTROL);
    expect(stdout + stderr).toContain("evil");
  });

  test("with colours on, nothing but our own colour codes is there", async () => {
    const { stdout } = await hostile().skillet(["show", "--long"], { environment: { FORCE_COLOR: "1" } });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are taken out first
    expect(stdout.replaceAll(/\x1b\[(?:1|2|22|3[1-6]|39)m/g, "")).not.toMatch(CONTROL);
  });

  test("JSON shows every invisible and direction-changing character as an escape", async () => {
    const sandbox = createSandbox();
    const invisible = ["\u061c", "\u00ad", "\u180e", "\ufff9", "\u{e0041}"];
    sandbox.write("home/.skillet/skills/odd/SKILL.md", skillText("odd", `Odd ${invisible.join("")}.`));
    const { stdout } = await sandbox.skillet(["show", "odd", "--json"]);
    expect(JSON.parse(stdout).skills[0].description).toContain(invisible.join(""));
    expect(invisible.filter((character) => stdout.includes(character))).toEqual([]);
  });

  test("JSON carries the real characters, escaped", async () => {
    const { document } = await hostile().json(["show", "evil"]);
    expect(document.skills[0].name).toBe("evil\x1b[2J\x1b]0;owned\x07\x9b31m\u202e");
  });
});

describe("validate on what is no readable file", () => {
  const codes = (document: Document): string[] =>
    document.results.flatMap(({ diagnostics }: Document) => diagnostics.map(({ code }: Document) => code));

  test("a FIFO is refused at once", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/fifo/.keep", "");
    execFileSync("mkfifo", [join(sandbox.project, "fifo/SKILL.md")]);
    for (const path of ["fifo", "fifo/SKILL.md"]) {
      const { exitCode, document } = await sandbox.json(["validate", path]);
      expect({ exitCode, valid: document.results.every(({ valid }: Document) => valid) }).toEqual({
        exitCode: 1,
        valid: false,
      });
    }
  });

  test("a device is refused at once", async () => {
    const { exitCode, document } = await createSandbox().json(["validate", "/dev/zero"]);
    expect(exitCode).toBe(1);
    expect(codes(document)).toContain("not-a-file");
  });

  test("a file larger than a skill may be is not read", async () => {
    const sandbox = createSandbox();
    truncateSync(sandbox.write("project/huge/SKILL.md", skillText("huge")), 1024 ** 3);
    const { exitCode, document } = await sandbox.json(["validate", "huge"]);
    expect(exitCode).toBe(1);
    expect(codes(document)).toEqual(["skill-too-large"]);
  });

  test("a link out of the folder is not followed", async () => {
    const sandbox = createSandbox();
    const secret = sandbox.write("secret/SKILL.md", skillText("secret"));
    sandbox.write("project/linked/.keep", "");
    symlinkSync(secret, join(sandbox.project, "linked/SKILL.md"));
    const { exitCode, document } = await sandbox.json(["validate", "linked/SKILL.md"]);
    expect(exitCode).toBe(1);
    expect(codes(document)).toEqual(["path-outside-root"]);
  });

  test("a link that leads back to itself is reported", async () => {
    const sandbox = createSandbox();
    symlinkSync("loop", join(sandbox.project, "loop"));
    const { exitCode, document } = await sandbox.json(["validate", "loop"]);
    expect(exitCode).toBe(1);
    expect(codes(document)).toEqual(["link-loop"]);
  });

  test.runIf(process.platform === "linux")(
    "a home in which no folder can be made ends every command",
    async () => {
      const sandbox = createSandbox();
      const environment = { HOME: "/proc", SKILLET_HOME: "/proc/.skillet" };
      expect((await sandbox.skillet(["show"], { environment })).exitCode).toBe(0);
      expect((await sandbox.skillet(["trust", "--yes"], { environment })).exitCode).toBe(2);
      expect((await sandbox.json(["--skills-root", "/proc/self", "show"], { environment })).exitCode).toBe(0);
    },
  );

  test("a path that no file system takes is reported", async () => {
    const { exitCode, document } = await createSandbox().json(["validate", "n".repeat(300)]);
    expect(exitCode).toBe(1);
    expect(codes(document)).toEqual(["path-not-found"]);
  });

  test("a path that is not there is reported", async () => {
    const { exitCode, document } = await createSandbox().json(["validate", "nowhere"]);
    expect(exitCode).toBe(1);
    expect(document.results).toEqual([
      {
        path: "nowhere",
        kind: "place",
        valid: false,
        diagnostics: [
          {
            code: "path-not-found",
            severity: "error",
            message: "There is nothing at this path.",
            file: "nowhere",
            hint: "Check the spelling, or run the command from another folder. For a source elsewhere: skillet try SOURCE",
          },
        ],
      },
    ]);
  });
});
