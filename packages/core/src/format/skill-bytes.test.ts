import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSkillBytes, skimSkillBytes } from "./parse-skill.ts";
import { countCharacters } from "./skill-bytes.ts";
import { files } from "./testing/headers.ts";

describe("skimSkillBytes", () => {
  const options = { directoryName: "a", file: "a/SKILL.md" };

  it("reads name and requirements of a plain skill, and says how long its header is", () => {
    const header = "---\nname: a\ndescription: Says hello.\nmetadata:\n  requires: gh\n---\n";
    expect(skimSkillBytes(Buffer.from(`${header}\nHi ✓.\n`), "a")).toMatchObject({
      name: "a",
      gating: { bins: ["gh"] },
      bodyCharacters: 5,
      headerBytes: header.length,
    });
  });

  it.each([
    ["without a description, which the body gives", "---\nname: a\n---\nText.\n"],
    ["without a header", "# A\n\nText.\n"],
    ["so large that its size is a fault", `---\nname: a\ndescription: b\n---\n${"x".repeat(256_001)}`],
  ])("leaves a file %s to the whole reading", (_, text) => {
    expect(skimSkillBytes(Buffer.from(text), "a")).toBeUndefined();
  });

  it("agrees with the whole reading, which the header alone gives again, for any file", () => {
    const property = fc.property(files(), fc.constantFrom("a", "another", ""), (text, directoryName) => {
      const bytes = Buffer.from(text);
      const skimmed = skimSkillBytes(bytes, directoryName);
      if (skimmed === undefined) return;
      const whole = parseSkillBytes(bytes, { ...options, directoryName });
      const again = parseSkillBytes(bytes.subarray(0, skimmed.headerBytes), { ...options, directoryName });
      const { name, gating, bodyCharacters } = skimmed;
      expect({ name, gating: JSON.stringify(gating), bodyCharacters }).toEqual({
        name: whole.manifest?.name,
        gating: JSON.stringify(whole.manifest?.gating),
        bodyCharacters: whole.bodyCharacters,
      });
      expect({ ...again, bodyCharacters }).toEqual(whole);
    });
    fc.assert(property, { numRuns: 3000 });
  });
});

describe("countCharacters", () => {
  it("counts what decoding would give, wherever the bytes lie in memory", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "é", "漢", "🎬", "\u{10FFFF}", "plain text "), { maxLength: 40 }),
        fc.nat(7),
        fc.nat(5),
        (pieces, shift, skipped) => {
          const text = "x".repeat(skipped) + pieces.join("");
          const bytes = new Uint8Array(shift + Buffer.byteLength(text)).subarray(shift);
          bytes.set(Buffer.from(text));
          expect(countCharacters(bytes, skipped, bytes.length)).toBe(text.length - skipped);
        },
      ),
    );
  });
});
