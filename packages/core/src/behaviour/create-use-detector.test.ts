// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expansions of a shell
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentEvent, DetectedUse } from "./create-use-detector.ts";
import { createUseDetector } from "./create-use-detector.ts";
import { NO_USES, USES } from "./testing/command-cases.ts";
import { placeSkill, SKILLS } from "./testing/skills-in-use.ts";

const PDF = "/project/.skills/pdf";
const detector = createUseDetector(SKILLS, {
  canonical: (path) => path,
  home: "/home/me",
  variables: { SKILL_DIR: PDF, CLAUDE_SKILL_DIR: PDF },
});

function show(uses: readonly DetectedUse[]): string {
  return uses
    .map(
      ({ skill, how, certainty, subject }) =>
        `${skill.name}${certainty === "sure" ? "" : "?"} ${how} ${subject}`,
    )
    .join("; ");
}

function usesOf(
  command: string | readonly string[],
  more: { cwd?: string; shell?: "powershell" } = {},
): string {
  return show(detector.detect({ kind: "command", command, cwd: "/project", ...more }));
}

describe("a command", () => {
  test("in thousands of blocks does not break the detector", () => {
    const nested = (text: string): string => `${"{ ".repeat(200)}${text}${"; }".repeat(200)}`;
    const shells = Array.from({ length: 12 }, (_, index) => `v${index}='${nested(`eval "$v${index + 1}"`)}'`);
    expect(usesOf(`${shells.join("\n")}\neval "$v0"`)).toBe("");
  });

  test.each(USES)("%s uses %s", (command, uses) => {
    expect(usesOf(command)).toBe(uses);
  });

  test.each(NO_USES)("%s uses no skill", (command, uses) => {
    expect(usesOf(command)).toBe(uses);
  });

  test("is judged with full precision and recall over the table, where the existing detector finds less than a third", () => {
    const isRight = ([command, uses]: (typeof USES)[number]): boolean => usesOf(command) === uses;
    expect([...USES, ...NO_USES].length).toBeGreaterThan(150);
    expect(new Set([...USES, ...NO_USES].map(([command]) => command)).size).toBe(
      USES.length + NO_USES.length,
    );
    expect(USES.filter(isRight).length / USES.length).toBe(1);
    expect(NO_USES.filter(isRight).length / NO_USES.length).toBe(1);
    expect(USES.filter(([, , existing]) => existing === "same").length / USES.length).toBeLessThan(1 / 3);
  });
});

test("a row says what was used, how, how certain that is and why", () => {
  expect(
    detector.detect({ kind: "command", command: "cat .skills/pdf/SKILL.md; qpdf x", cwd: "/project" }),
  ).toEqual([
    {
      skill: SKILLS[0],
      how: "instructions",
      certainty: "sure",
      subject: "SKILL.md",
      reason: 'reads "SKILL.md"',
    },
  ]);
  expect(detector.detect({ kind: "command", command: "qpdf x" })).toEqual([
    {
      skill: SKILLS[0],
      how: "command",
      certainty: "likely",
      subject: "qpdf",
      reason: 'calls "qpdf", which no other skill wraps',
    },
  ]);
});

describe("a program and its arguments without a shell", () => {
  test.each([
    [["python", "-W", "ignore", ".skills/pdf/scripts/fill.py"], "pdf script scripts/fill.py"],
    [["bash", "-lc", "cd .skills/pdf && ./scripts/run.sh"], "pdf script scripts/run.sh"],
    [["cat", ".skills/pdf/references/a b.md"], "pdf resource references/a b.md"],
    [["pwsh", "-NoProfile", "-File", ".skills/pdf/scripts/a.ps1", "x"], "pdf script scripts/a.ps1"],
    [["cmd.exe", "/c", "type .skills\\pdf\\SKILL.md"], "pdf instructions SKILL.md"],
    // Nobody expands these.
    [["python", "$SKILL_DIR/scripts/fill.py"], ""],
    [["cat", "~/.agents/skills/notes/SKILL.md"], ""],
    [["echo", "a; python .skills/pdf/scripts/fill.py"], ""],
    [[], ""],
    [[""], ""],
  ])("%j uses %s", (command, uses) => {
    expect(usesOf(command)).toBe(uses);
  });
});

describe("PowerShell", () => {
  test.each([
    [".\\.skills\\pdf\\scripts\\a.ps1 -Name x", "pdf script scripts/a.ps1"],
    ["& .\\.skills\\pdf\\scripts\\a.ps1", "pdf script scripts/a.ps1"],
    ["& '.skills/pdf/scripts/a.ps1'", "pdf script scripts/a.ps1"],
    [". .\\.skills\\pdf\\scripts\\a.ps1", "pdf script scripts/a.ps1"],
    ["Set-Location .skills\\pdf; python scripts\\fill.py", "pdf script scripts/fill.py"],
    ["Push-Location .skills\\pdf; .\\scripts\\a.ps1; Pop-Location", "pdf script scripts/a.ps1"],
    ["Get-Content .skills\\pdf\\SKILL.md", "pdf instructions SKILL.md"],
    ["gc -Raw -Path .skills\\pdf\\SKILL.md", "pdf instructions SKILL.md"],
    ["cat -TotalCount 20 .skills\\pdf\\SKILL.md | Select-Object -First 3", "pdf instructions SKILL.md"],
    ["type .skills\\pdf\\SKILL.md", "pdf instructions SKILL.md"],
    [
      "Select-String -Pattern font -Path .skills\\pdf\\references\\forms.md",
      "pdf resource references/forms.md",
    ],
    ['python "$env:SKILL_DIR\\scripts\\fill.py"', "pdf script scripts/fill.py"],
    ["python (Join-Path $env:SKILL_DIR scripts fill.py)", "pdf script scripts/fill.py"],
    ["$d = '.skills/pdf'; python $d/scripts/fill.py", "pdf script scripts/fill.py"],
    ["if (Test-Path x) { python .skills\\pdf\\scripts\\fill.py }", "pdf script scripts/fill.py"],
    ["$x = (Get-Content ~\\.agents\\skills\\notes\\SKILL.md)", "notes instructions SKILL.md"],
    ["powershell -ExecutionPolicy Bypass -File .skills\\pdf\\scripts\\a.ps1", "pdf script scripts/a.ps1"],
    ['pwsh -Command "python .skills/pdf/scripts/fill.py"', "pdf script scripts/fill.py"],
    ["Get-ChildItem .skills\\pdf", ""],
    ["Remove-Item .skills\\pdf\\SKILL.md", ""],
    ["Set-Content .skills\\pdf\\SKILL.md 'python .skills/pdf/scripts/fill.py'", ""],
    ["# python .skills/pdf/scripts/fill.py", ""],
  ])("%s uses %s", (command, uses) => {
    expect(usesOf(command, { shell: "powershell" })).toBe(uses);
  });

  test("paths on Windows are compared in any case and with either separator", () => {
    const win = { cwd: "c:\\users\\me", shell: "powershell" } as const;
    expect(usesOf("python skills\\WIN\\scripts\\A.py", win)).toBe("win script scripts/A.py");
    expect(usesOf("gc C:/Users/me/Skills/win/skill.MD", win)).toBe("win instructions skill.MD");
    expect(usesOf('python "C:\\Users\\Me\\skills\\win\\scripts\\a.py"')).toBe("win script scripts/a.py");
    const server = createUseDetector([placeSkill("\\\\nas\\kit\\pdf", { separator: "\\" })]);
    for (const command of ["cd \\\\NAS\\kit; gc pdf\\SKILL.md", 'gc "\\\\nas\\kit\\pdf\\SKILL.md"'])
      expect(show(server.detect({ kind: "command", command, shell: "powershell" }))).toBe(
        "pdf instructions SKILL.md",
      );
    expect(usesOf(["python", "skills\\win\\a.py"], { cwd: "C:\\Users\\Me" })).toBe("win script a.py");
  });
});

describe("a file that a tool reads", () => {
  test.each([
    [".skills/pdf/SKILL.md", "pdf instructions SKILL.md"],
    ["/project/.skills/pdf/references/forms.md", "pdf resource references/forms.md"],
    [".skills/pdf/scripts/fill.py", "pdf resource scripts/fill.py"],
    [".skills/pdf/LICENSE", "pdf resource LICENSE"],
    ["~/.agents/skills/notes/SKILL.md", "notes instructions SKILL.md"],
    [".skills/suite/skills/inner/SKILL.md", "inner instructions SKILL.md"],
    [".skills/suite/skills/other.md", "suite resource skills/other.md"],
    ["C:\\Users\\Me\\skills\\win\\SKILL.md", "win instructions SKILL.md"],
    [".skills/pdf", ""],
    [".skills/pdf/", ""],
    [".skills/pdf/references", ""],
    [".skills/pdf/../x.md", ""],
    [".skills/pdf/a\0b", ""],
    [`.skills/pdf/${"a".repeat(5000)}`, ""],
    ["", ""],
    ["/", ""],
  ])("%j: %s", (path, uses) => {
    expect(show(detector.detect({ kind: "read", path, cwd: "/project" }))).toBe(uses);
  });

  test("says nothing by a relative path when nobody knows where it was read", () => {
    expect(detector.detect({ kind: "read", path: ".skills/pdf/SKILL.md" })).toEqual([]);
    expect(show(detector.detect({ kind: "read", path: `${PDF}/SKILL.md` }))).toBe(
      "pdf instructions SKILL.md",
    );
  });

  test("is found in a source that is no folder", () => {
    const memory = createUseDetector([placeSkill("memory:kit/greet")]);
    expect(show(memory.detect({ kind: "read", path: "memory:kit/greet/references/x.md" }))).toBe(
      "greet resource references/x.md",
    );
  });

  test("is a command of a user by its own path alone", () => {
    const base = placeSkill("/project/.claude/commands");
    const command = {
      ...base,
      name: "ship",
      kind: "command",
      path: "/project/.claude/commands/ship.md",
    } as const;
    const found = createUseDetector([command], { canonical: (path) => path });
    expect(show(found.detect({ kind: "read", path: "/project/.claude/commands/ship.md" }))).toBe(
      "ship instructions ship.md",
    );
    expect(found.detect({ kind: "read", path: "/project/.claude/commands/other.md" })).toEqual([]);
  });
});

describe("links", () => {
  let base: string;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "skillet-behaviour-")));
    mkdirSync(join(base, "store/pdf/scripts"), { recursive: true });
    mkdirSync(join(base, "skills"));
    writeFileSync(join(base, "store/pdf/SKILL.md"), "");
    writeFileSync(join(base, "store/pdf/scripts/fill.py"), "");
    symlinkSync("../store/pdf", join(base, "skills/pdf"));
    symlinkSync("store/pdf/scripts/fill.py", join(base, "fill.py"));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  test("lead to the same skill by its tool's path, by its real path and by a link to one of its files", () => {
    const linked = createUseDetector([placeSkill(join(base, "skills/pdf"))]);
    for (const path of ["skills/pdf/scripts/fill.py", "store/pdf/scripts/fill.py", "fill.py"])
      expect(show(linked.detect({ kind: "command", command: ["python", path], cwd: base }))).toBe(
        "pdf script scripts/fill.py",
      );
    expect(show(linked.detect({ kind: "read", path: join(base, "store/pdf/SKILL.md") }))).toBe(
      "pdf instructions SKILL.md",
    );
  });

  test("of a SKILL.md alone lead to its skill, and its neighbours belong to none", () => {
    mkdirSync(join(base, "skills/alone"));
    symlinkSync("../../store/pdf/SKILL.md", join(base, "skills/alone/SKILL.md"));
    const alone = createUseDetector([placeSkill(join(base, "skills/alone"))]);
    expect(show(alone.detect({ kind: "read", path: join(base, "store/pdf/SKILL.md") }))).toBe(
      "alone instructions SKILL.md",
    );
    expect(alone.detect({ kind: "read", path: join(base, "store/pdf/scripts/fill.py") })).toEqual([]);
  });

  test("other places of the same skill count as its own", () => {
    const skill = { ...placeSkill("/nowhere/pdf"), alsoAt: [join(base, "skills/pdf/SKILL.md")] };
    const found = createUseDetector([skill]);
    expect(show(found.detect({ kind: "read", path: join(base, "skills/pdf/scripts/fill.py") }))).toBe(
      "pdf resource scripts/fill.py",
    );
  });
});

describe("commands that skills wrap", () => {
  const wrapping = (count: number, header: string, state: "enabled" | "disabled" = "enabled") =>
    Array.from({ length: count }, (_, index) => ({
      ...placeSkill(`/s/k${index}`, { header: [header] }),
      state,
    }));
  const qpdf = "allowed-tools: Bash(qpdf:*)";
  const count = (skills: Parameters<typeof createUseDetector>[0], command: string): number =>
    createUseDetector(skills, { canonical: (path) => path }).detect({ kind: "command", command }).length;

  test("point to the few enabled skills that wrap them, and to none where many do", () => {
    expect(count(wrapping(3, qpdf), "qpdf x")).toBe(3);
    expect(count(wrapping(4, qpdf), "qpdf x")).toBe(0);
    expect(count(wrapping(1, qpdf, "disabled"), "qpdf x")).toBe(0);
  });

  test("are never those that everybody calls", () => {
    for (const command of ["git", "ssh", "tar", "python", "rg", "ls"])
      expect(count(wrapping(1, `allowed-tools: Bash(${command}:*)`), `${command} x`)).toBe(0);
  });

  test("are read from the code blocks of the instructions where those are given", () => {
    const skill = placeSkill("/s/video");
    const found = createUseDetector([skill], { bodyOf: () => "```sh\nffmpeg -i in.mov out.mp4\n```\n" });
    expect(show(found.detect({ kind: "command", command: "nice ffmpeg -i a b" }))).toBe(
      "video? command ffmpeg",
    );
    expect(show(found.detect({ kind: "command", command: "/opt/ffmpeg -i a b" }))).toBe("");
  });
});

test("of two skills in one place the enabled one is meant", () => {
  const off = { ...placeSkill("/s/pdf"), state: "shadowed" } as const;
  const on = placeSkill("/s/pdf");
  const [use] = createUseDetector([off, on]).detect({ kind: "read", path: "/s/pdf/SKILL.md" });
  expect(use?.skill).toBe(on);
});

test("a name from a path adds no line and no tag to a reason", () => {
  const [use] = detector.detect({ kind: "read", path: `${PDF}/a\n<system>b` });
  expect(use?.reason).toBe('reads "a\\n\\u003csystem\\u003eb"');
});

describe("whatever an agent sends", () => {
  const WORDS = fc.constantFrom(
    ..."cd python bash -c -lc cat sed -n -i env uv run xargs find -exec {} ; && || | ( ) { } < > << <<< EOF \n $( ` \" ' $SKILL_DIR ${ } [[ ]] for in do done if then fi case esac while ../ / ~ * {a,b} .skills/pdf/scripts/fill.py .skills/pdf SKILL.md & ; Get-Content $env:X @( \\ \0 \f \u00a0".split(
      " ",
    ),
    " ",
  );
  const commands = fc.array(fc.oneof(WORDS, fc.string({ maxLength: 6 })), { maxLength: 40 });

  test("is read without an error, the same every time, one row for each skill", () => {
    fc.assert(
      fc.property(commands, fc.constantFrom("posix" as const, "powershell" as const), (parts, shell) => {
        for (const command of [parts.join(" "), parts.join(""), parts]) {
          const event: AgentEvent = { kind: "command", command, shell, cwd: "/project" };
          const uses = detector.detect(event);
          expect(new Set(uses.map(({ skill }) => skill)).size).toBe(uses.length);
          expect(detector.detect(event)).toEqual(uses);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("is no use when it names nothing inside a skill", () => {
    const outside = createUseDetector([placeSkill("/elsewhere/kept/apart")], {
      canonical: (path) => path,
      home: "/home/me",
    });
    fc.assert(
      fc.property(commands, fc.webPath(), (parts, path) => {
        fc.pre(!parts.join("").includes("apart"));
        expect(outside.detect({ kind: "command", command: parts.join(" "), cwd: "/project" })).toEqual([]);
        expect(outside.detect({ kind: "read", path: `/elsewhere/kept/apart/../${path}` })).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ["(", ""],
    ["{ ", ""],
    ["$(", ""],
    ["`", ""],
    ['"$(', ""],
    ["<<a ", ""],
    ["${a:-", ""],
    ["{a,", ""],
    ["if ", ""],
    ["f() { ", ""],
    ["env ", ""],
    ["bash -c ", ""],
    ["eval ", ""],
    ["a=$a$a$a$a;", ""],
    ["for i in 1 2 3 4 5 6 7 8; do ", "echo $i; done"],
    ["cat .skills/pdf/../", ""],
    ["../", ""],
    ["\\", ""],
    ["a\n", ""],
  ])("%j a hundred thousand times over stays within the bounds", (part, end) => {
    for (const shell of ["posix", "powershell"] as const)
      expect(
        detector.detect({ kind: "command", command: part.repeat(100_000) + end, shell, cwd: "/project" }),
      ).toEqual([]);
  });

  test("is read up to the bound, and what stands before it counts", () => {
    const command = `python .skills/pdf/scripts/fill.py; ${"echo a; ".repeat(100_000)}`;
    expect(usesOf(command)).toBe("pdf script scripts/fill.py");
    expect(usesOf(`${"x".repeat(20_000)}; cat .skills/pdf/SKILL.md`)).toBe("");
    expect(usesOf(["cat", ...Array.from({ length: 100_000 }, () => "x"), ".skills/pdf/SKILL.md"])).toBe("");
  });

  test("costs no look at the file system for each skill", () => {
    const skills = Array.from({ length: 2000 }, (_, index) => placeSkill(`/many/s${index}`));
    let looks = 0;
    const counting = createUseDetector(skills, {
      canonical: (path) => {
        looks += 1;
        return path;
      },
    });
    looks = 0;
    expect(counting.detect({ kind: "command", command: "cat x; python y.py; ./z", cwd: "/w" })).toEqual([]);
    expect(looks).toBe(3);
  });
});
