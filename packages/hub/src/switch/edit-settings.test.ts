import type { SwitchSubject } from "@skillet/core/internal";
import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import { AGENT_SWITCHES, editSettings, undoSettings } from "./agent-switches.ts";
import { Uncertain } from "./edit-json.ts";

const SUBJECT: SwitchSubject = { names: ["pdf"], file: "/skills/pdf/SKILL.md" };

function off(agent: string, text: string, subject = SUBJECT): string {
  return editSettings(ownOf(agent), text, subject, true).text;
}

function ownOf(agent: string) {
  return AGENT_SWITCHES.get(agent)!;
}

/** Turns a skill off and on again. */
function thereAndBack(agent: string, text: string, subject = SUBJECT): string {
  const own = ownOf(agent);
  const { text: there, changes } = editSettings(own, text, subject, true);
  return undoSettings(own, there, subject, changes);
}

describe("an agent's settings", () => {
  test.each([
    ["claude-code", "{}\n", '{ "skillOverrides": { "pdf": "off" } }\n'],
    [
      "claude-code",
      '{\n\t// mine\n\t"model": "opus", // the big one\n}\n',
      '{\n\t// mine\n\t"skillOverrides": { "pdf": "off" },\n\t"model": "opus", // the big one\n}\n',
    ],
    ["claude-code", '{"skillOverrides":{"a":"off"}}', '{"skillOverrides":{"pdf": "off", "a":"off"}}'],
    ["claude-code", '{"skillOverrides": {"pdf": "name-only"}}', '{"skillOverrides": {"pdf": "off"}}'],
    [
      "gemini-cli",
      '{ "skills": { "disabled": [{}, ["pdf"]] } }',
      '{ "skills": { "disabled": ["pdf", {}, ["pdf"]] } }',
    ],
    ["gemini-cli", '{ "skills": { "disabled": ["a"] } }', '{ "skills": { "disabled": ["pdf", "a"] } }'],
    [
      "opencode",
      '{\n  "permission": {\n    "skill": {\n      "*": "allow"\n    }\n  }\n}\n',
      '{\n  "permission": {\n    "skill": {\n      "*": "allow",\n      "pdf": "deny"\n    }\n  }\n}\n',
    ],
    [
      "codex",
      'model = "x"',
      'model = "x"\n\n[[skills.config]]\npath = "/skills/pdf/SKILL.md"\nenabled = false\n',
    ],
  ])(
    "of %s get one change, keep everything else, and are the same again after it",
    (agent, before, after) => {
      expect(off(agent, before)).toBe(after);
      expect(off(agent, after)).toBe(after);
      expect(thereAndBack(agent, before)).toBe(before);
    },
  );

  test("that turn a skill off already are left as they are, in whatever case Gemini CLI is told its name", () => {
    for (const [agent, text] of [
      ["gemini-cli", '{"skills":{"disabled":["PDF"]}}'],
      ["opencode", '{"permission":{"skill":"deny"}}'],
      ["codex", '[[skills.config]]\npath = "/skills/pdf/SKILL.md"\nenabled = false\n'],
    ] as const)
      expect(off(agent, text)).toBe(text);
  });

  test("that someone turned on again meanwhile are not touched by undoing", () => {
    const own = ownOf("claude-code");
    const { changes } = editSettings(own, "{}", SUBJECT, true);
    const now = '{ "other": { "skillOverrides": { "pdf": "off" } } }';
    expect(undoSettings(own, now, SUBJECT, changes)).toBe(now);
  });

  test("that were laid out anew, or got a second skill, lose only this skill", () => {
    const own = ownOf("claude-code");
    const { changes } = editSettings(own, "{}", SUBJECT, true);
    const undo = (text: string) => undoSettings(own, text, SUBJECT, changes);
    expect(undo('{"skillOverrides":{"pdf":"off","b":"off"},"c":1}')).toBe(
      '{"skillOverrides":{"b":"off"},"c":1}',
    );
    expect(undo('{"a": 1, "skillOverrides":\n{"pdf":"off"\n}}')).toBe('{"a": 1}');
  });

  test.each([
    ["claude-code", '{ "skillOverrides": [] }'],
    ["claude-code", '{ "a": 1, }}'],
    ["claude-code", '{ "skillOverrides": {}, "skillOverrides": {} }'],
    ["claude-code", `${"[".repeat(100)}`],
    ["claude-code", '{ "a": "never closed'],
    ["claude-code", "[]"],
    ["gemini-cli", '{ "skills": { "disabled": "all" } }'],
    ["opencode", '{ "permission": "allow" }'],
    ["opencode", '{ "permission": { "skill": "ask" } }'],
    ["opencode", '{ "permission": { "skill": { "pdf": "allow", "*": "ask" } } }'],
    ["codex", "skills = { config = [] }\n"],
    ["codex", "[skills]\nconfig = []\n"],
    ["codex", "[skills.config]\n"],
    ["codex", "[[skills.config]\n"],
    ["codex", "skills.bundled.enabled = true\n"],
    ["codex", 'a = """never closed'],
    ["codex", "a = [1, 2\n"],
  ])("of %s that are not certain are refused: %s", (agent, text) => {
    expect(() => off(agent, text)).toThrow(Uncertain);
  });

  test("a name with a star is no pattern for OpenCode, so that no other skill is meant", () => {
    expect(() => off("opencode", "{}", { ...SUBJECT, names: ["p*"] })).toThrow(Uncertain);
  });

  test("names and paths with quotes, brackets and line breaks stay one text, and come out exactly", () => {
    const name = fc.string({
      unit: fc.constantFrom("a", '"', "'", "]", "}", "\n", "\\", "\u007f", "é", "#", "\t"),
      minLength: 1,
    });
    fc.assert(
      fc.property(name, (odd) => {
        const subject = { names: [odd], file: `/skills/${odd}/SKILL.md` };
        const claude = JSON.parse(off("claude-code", '{"a":1}', subject));
        expect(claude).toEqual({ a: 1, skillOverrides: { [odd]: "off" } });
        const codex = parseToml(off("codex", "a = 1\n", subject));
        expect(codex.skills).toEqual({ config: [{ path: subject.file, enabled: false }] });
        for (const agent of ["claude-code", "codex", "gemini-cli"])
          expect(thereAndBack(agent, agent === "codex" ? "a = 1\n" : '{"a":1}', subject)).toBe(
            agent === "codex" ? "a = 1\n" : '{"a":1}',
          );
      }),
    );
  });

  test("any JSON keeps all its other values, and is the same text after undoing", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(0, 2, 4, "\t"),
        (value, indent) => {
          const { skills: _, ...others } = value;
          const text = JSON.stringify(others, undefined, indent);
          const there = off("gemini-cli", text);
          expect(JSON.parse(there)).toEqual({ ...JSON.parse(text), skills: { disabled: ["pdf"] } });
          expect(thereAndBack("gemini-cli", text)).toBe(text);
        },
      ),
    );
  });

  test("TOML of every kind around it is read past, and keeps its values", () => {
    const text = `title = "a # b" # c
[a."b.c"]
multi = """
[[skills.config]]
path = "/skills/pdf/SKILL.md"
"""
literal = '''x "'''
list = [ "[", # one
  { k = "]" },
]
when = 2026-01-01T00:00:00Z
[[skills.config]]
name = "other"
enabled = false

[skills.bundled]
enabled = true
`;
    const there = parseToml(off("codex", text)) as { skills: { config: unknown[] } };
    expect(there.skills.config).toEqual([
      { name: "other", enabled: false },
      { path: "/skills/pdf/SKILL.md", enabled: false },
    ]);
    expect(thereAndBack("codex", text)).toBe(text);
  });
});
