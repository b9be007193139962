import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_SKILL_BYTES } from "./format-limits.ts";
import { parseSkill } from "./parse-skill.ts";
import { parseSkillBytes } from "./parse-skill-bytes.ts";
import { files } from "./testing/headers.ts";

describe("parseSkillBytes", () => {
  it("reads a plain skill without its body", () => {
    const text = "---\nname: greet\ndescription: Says hello.\n---\n\n# Greet\n\nSay hello ✓.\n";
    const { manifest, bodyCharacters, diagnostics } = parseSkillBytes(Buffer.from(text));
    expect({ name: manifest?.name, description: manifest?.description }).toEqual({
      name: "greet",
      description: "Says hello.",
    });
    expect(bodyCharacters).toBe("# Greet\n\nSay hello ✓.".length);
    expect(diagnostics).toEqual([]);
  });

  it("gives the same manifest, diagnostics and length of body as parseSkill, for any file and mode", () => {
    const mode = fc.constantFrom("strict" as const, "lenient" as const, "lenient" as const);
    const property = fc.property(files(), mode, fc.nat(7), (text, chosen, shift) => {
      const encoded = Buffer.from(text);
      const bytes = new Uint8Array(shift + encoded.length).subarray(shift);
      bytes.set(encoded);
      const options = { mode: chosen, file: "a/SKILL.md", directoryName: "a" };
      const parsed = parseSkill(encoded.toString("utf8"), options);
      expect(comparable(parseSkillBytes(bytes, options))).toEqual(
        comparable({ ...parsed, bodyCharacters: parsed.body.length }),
      );
    });
    fc.assert(property, { numRuns: 2000 });
  });

  it.each(["é", "🎬", "ab漢", ""])("counts a body of %j", (body) => {
    const text = `---\nname: a\ndescription: b\n---\n${body}`;
    expect(parseSkillBytes(Buffer.from(text)).bodyCharacters).toBe(body.length);
  });

  it("never throws, and says why it skips, for any bytes", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }).map((rest) => Buffer.concat([Buffer.from("---\n"), rest])),
    );
    fc.assert(
      fc.property(bytes, (value) => expectReason(parseSkillBytes(value))),
      { numRuns: 2000 },
    );
  });

  it.each([
    [
      "Latin-1",
      Buffer.from("---\nname: caf\xe9\n---\n", "latin1"),
      "not valid UTF-8",
      { line: 2, column: 10 },
    ],
    ["UTF-16", Buffer.from("\uFEFF---\n", "utf16le"), "UTF-16", { line: 1, column: 1 }],
  ])("refuses %s and points at the first wrong byte", (_what, bytes, message, range) => {
    expect(parseSkillBytes(bytes)).toEqual({
      bodyCharacters: 0,
      diagnostics: [
        {
          code: "not-utf8",
          severity: "error",
          message: `The file is ${message}.`,
          file: "SKILL.md",
          range,
          hint: "Save it as UTF-8.",
        },
      ],
    });
  });

  it("refuses files above the limit, and warns of large ones below it", () => {
    const skill = "---\nname: a\ndescription: b\n---\n";
    const codes = (size: number): string[] => {
      const { diagnostics } = parseSkillBytes(Buffer.from(skill.padEnd(size, "x")));
      return diagnostics.map(({ severity, code }) => `${severity} ${code}`);
    };
    expect(codes(256_000)).toEqual([]);
    expect(codes(256_001)).toEqual(["warning file-large"]);
    expect(codes(MAX_SKILL_BYTES)).toEqual(["warning file-large"]);
    expect(codes(MAX_SKILL_BYTES + 1)).toEqual(["error skill-too-large"]);
  });

  it("shares what is empty between manifests", () => {
    const [first, second] = ["a", "b"].map((name) =>
      parseSkillBytes(Buffer.from(`---\nname: ${name}\ndescription: c\n---\n`)),
    );
    expect(first?.manifest?.gating).toBe(second?.manifest?.gating);
    expect(first?.manifest?.metadata).toBe(second?.manifest?.metadata);
    expect(first?.diagnostics).toBe(second?.diagnostics);
    expect(Object.isFrozen(first?.manifest?.tags)).toBe(true);
  });
});

function expectReason(parsed: ReturnType<typeof parseSkillBytes>): void {
  const errors = parsed.diagnostics.filter(({ severity }) => severity === "error");
  expect(errors.length > 0).toBe(parsed.manifest === undefined);
  for (const error of errors)
    expect(error).toMatchObject({ hint: expect.any(String), range: expect.any(Object) });
}

/** As JSON, because the order of keys in maps counts as well. */
function comparable(parsed: ReturnType<typeof parseSkillBytes>): unknown {
  const { manifest, bodyCharacters, diagnostics } = parsed;
  return { manifest: JSON.stringify(manifest), bodyCharacters, diagnostics };
}
