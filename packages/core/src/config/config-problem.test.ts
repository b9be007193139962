import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attempt, createPlace, failureOf } from "./testing/config-place.ts";

describe("config that cannot be used", () => {
  test("every problem of every file is in the error, in the manner of a compiler", () => {
    const place = createPlace();
    place.organisation("policy: { mode: lockd }\n");
    place.user(
      "skills:\n  scriptTimeout: soon\n  precedence: [user, usr, user]\n  directories:\n    - scope: user\n",
    );
    const error = failureOf(() => place.load());
    expect(error.code).toBe("config-invalid");
    expect(error.message.replaceAll(place.root, "")).toMatchInlineSnapshot(`
      "The configuration has 5 problems:

      /org/config.yaml:1:17: \`policy.mode\` must be one of default, plan, locked, but is "lockd"
        1 | policy: { mode: lockd }
          |                 ^^^^^
        hint: did you mean locked?

      /user/.skillet/config.yaml:2:18: \`skills.scriptTimeout\` must be a whole number of milliseconds from 1 to 86400000, but is "soon"
        2 |   scriptTimeout: soon
          |                  ^^^^
        hint: write a number in that range, in digits and without quotes

      /user/.skillet/config.yaml:3:22: \`skills.precedence.1\` must be one of organisation, plugin, project, claude, user, bundled, but is "usr"
        3 |   precedence: [user, usr, user]
          |                      ^^^
        hint: did you mean user?

      /user/.skillet/config.yaml:3:27: \`skills.precedence.2\` repeats user
        3 |   precedence: [user, usr, user]
          |                           ^^^^
        hint: remove one of them

      /user/.skillet/config.yaml:5:7: \`skills.directories.0\` has no \`path\`
        5 |     - scope: user
          |       ^^^^^^^^^^^
        hint: add \`path\`"
    `);
    expect(error.data).toEqual({
      problems: [
        expect.objectContaining({
          file: place.organisationFile,
          line: 1,
          column: 17,
          hint: "did you mean locked?",
        }),
        expect.objectContaining({ file: place.userFile, line: 2, column: 18 }),
        expect.objectContaining({ file: place.userFile, line: 3, column: 22 }),
        expect.objectContaining({ file: place.userFile, line: 3, column: 27 }),
        expect.objectContaining({ file: place.userFile, line: 5, column: 7 }),
      ],
      unlisted: 0,
    });
  });

  const faulty: [string, string, RegExp][] = [
    ["broken YAML", "skills: [a\nb: c\n", /:\d+:\d+: this is not valid YAML/],
    [
      "a key that is there twice",
      "policy: {}\nskills: {}\npolicy: {}\n",
      /:3:1: the key `policy` is there twice/,
    ],
    ["brackets that are not closed, once", "skills: {a: [\n", /^The configuration has 1 problem:/],
    ["an alias", "skills: &s {}\npolicy: *s\n", /:2:9: aliases are not supported/],
    ["a tag", "skills: !!binary aGk=\n", /:1:9: this is not valid YAML/],
    ["a second document", "skills: {}\n---\npolicy: {}\n", /there is a second document/],
    ["a list at the top", "- a\n", /the configuration must be a map, but is a list/],
    ["a scope that is named twice", "skills: { precedence: [user, user] }\n", /repeats user/],
    [
      "a scope that needs trust",
      "skills: { directories: [{ path: x, scope: project }] }\n",
      /must be one of explicit, plugin, user/,
    ],
    [
      "a folder passed off as the organisation's",
      "skills: { directories: [{ path: x, scope: organisation }] }\n",
      /must be one of/,
    ],
    ["a number for a name", "skills: { disabledBundled: [1.10] }\n", /must be one line of text, but is 1.1/],
    ["an empty list item", "skills:\n  disabledBundled:\n    -\n", /`skills.disabledBundled.0` is empty/],
    [
      "an address that git would read as an option",
      'skills: { plugins: [{ url: "--upload-pack=x" }] }\n',
      /not start with a dash/,
    ],
    ["terminal escapes", 'skills: { userDir: "\\e[31m" }\n', /must be one line of text/],
    ["a time that is none", "skills: { plugins: [{ url: u, installedAt: yesterday }] }\n", /must be a time/],
    ["a limit below its bound", "skills: { limits: { directories: 0 } }\n", /from 1 to/],
    ["a huge number", "skills: { limits: { depth: 1e400 } }\n", /must be a whole number/],
    ["a rule without an action", "policy: { rules: [{ skill: a }] }\n", /has no `action`/],
    [
      "more rules than are tried on each skill",
      `policy: { rules: [${"{ skill: a, action: ask },".repeat(1001)}] }\n`,
      /more than 1000 entries/,
    ],
    [
      "nesting without end",
      "a: ".concat("{a: ".repeat(60_000)),
      /:1:128: maps and lists are nested more than 32/,
    ],
    ["brackets without end", "[".repeat(200_000), /:1:33: maps and lists are nested more than 32 deep/],
    ["brackets after quoted ones", '["]",'.repeat(50_000), /nested more than 32 deep/],
    ["brackets after commented ones", "[ #]\n ".repeat(40_000), /nested more than 32 deep/],
    ["very many faults", "]".repeat(255 * 1024), /has 1001 problems:[\s\S]*and 981 more/],
    [
      "lines that nest",
      `${"k: b: c\n".repeat(4000)}]`,
      /:1:4: this is not valid YAML: the value holds a colon/,
    ],
    [
      "very many values of the wrong kind",
      `skills: { precedence: [${"x,".repeat(130_000)}] }`,
      /:1:26: `skills.precedence.1` must be one of[\s\S]*and 129980 more/,
    ],
    ["a key as long as the file", `${"k".repeat(100_000)}: 1\n`.repeat(2), /`k{200}…` is there twice/],
    ["a text that is repeated in the fault", `]${"k".repeat(200_000)}`, /\n\n.{1,500}\n/],
  ];

  test.each(faulty)("%s is an error with its place", (_title, text, expected) => {
    const place = createPlace();
    place.user(text);
    const error = failureOf(() => place.load());
    expect(error.code).toBe("config-invalid");
    expect(error.message).toMatch(expected);
    for (const problem of error.data.problems as { line?: number; hint: string }[]) {
      expect(problem).toMatchObject({
        file: place.userFile,
        line: expect.any(Number),
        hint: expect.stringMatching(/./),
      });
    }
  });

  test("control characters of a file do not reach the terminal through the error", () => {
    const place = createPlace();
    place.user("skills: { scriptTimeout: \u001b]0;x\u0007 }\n");
    expect(failureOf(() => place.load()).message.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  });

  test("a FIFO, a folder, a file beyond the limit, a link to nowhere and bytes that are no text are errors at once", () => {
    const makers: [string, (file: string) => void][] = [
      ["this is not a regular file", (file) => execFileSync("mkfifo", [file])],
      ["this is not a regular file", (file) => mkdirSync(file)],
      ["the file is larger than 262144 bytes", (file) => writeFileSync(file, "#".repeat(262_145))],
      ["this is a link to a file that does not exist", (file) => symlinkSync("nowhere", file)],
      ["the file is not UTF-8 text", (file) => writeFileSync(file, new Uint8Array([0x61, 0xff]))],
    ];
    for (const [message, make] of makers) {
      for (const layer of ["userFile", "projectFile", "organisationFile"] as const) {
        const place = createPlace();
        mkdirSync(dirname(place[layer]), { recursive: true });
        make(place[layer]);
        const error = failureOf(() => place.load({ projectTrusted: true }));
        expect(error.data.problems).toEqual([{ file: place[layer], message, hint: expect.any(String) }]);
      }
    }
  });

  test("the user's file may be a link into a dotfile repository", () => {
    const place = createPlace();
    mkdirSync(place.home, { recursive: true });
    mkdirSync(join(place.root, "dotfiles"));
    writeFileSync(join(place.root, "dotfiles/config.yaml"), "skills: { scriptTimeout: 5 }\n");
    symlinkSync("../../dotfiles/config.yaml", place.userFile);
    expect(place.load().config.skills.scriptTimeout).toBe(5);
  });

  test("flags and the environment are checked like files", () => {
    const place = createPlace();
    const error = failureOf(() =>
      place.load({ environment: { SKILLET_PRECEDENCE: "usr" }, flags: { skills: { scriptTimeout: "5" } } }),
    );
    expect(error.data.problems).toMatchObject([{ file: "environment" }, { file: "flags" }]);
  });

  test("arbitrary text either loads or is refused with a place, and never does anything else", () => {
    const place = createPlace();
    const piece = fc.constantFrom(
      "skills",
      "policy",
      ": ",
      ":\n",
      "\n",
      "  ",
      "- ",
      "[",
      "]",
      "{",
      "}",
      ",",
      '"',
      "'",
      "#",
      "|",
      ">",
      "&a ",
      "*a",
      "!x ",
      "?",
      "%",
      "---",
      "\t",
      "\r",
      "é",
      "0x1",
      "~",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(piece, { maxLength: 40 }).map((parts) => parts.join("")),
        ),
        (text) => {
          place.user(text);
          const outcome = attempt(() => place.load());
          if (SkilletError.isInstance(outcome)) expect(outcome.code).toBe("config-invalid");
          else expect(outcome).toHaveProperty("config");
        },
      ),
      { numRuns: 400 },
    );
  });
});
