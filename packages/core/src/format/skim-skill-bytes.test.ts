import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSkillBytes } from "./parse-skill.ts";
import { countCharacters, skimSkillBytes } from "./skim-skill-bytes.ts";
import { files } from "./testing/headers.ts";

describe("skimSkillBytes", () => {
  it("reads name, requirements and length of a plain skill, and where its header ends", () => {
    const header = "---\nname: greet\ndescription: Says hello.\nmetadata:\n  requires: gh\n---\n";
    expect(skimSkillBytes(Buffer.from(`${header}\nHi ✓.\n`), { directoryName: "greet" })).toMatchObject({
      name: "greet",
      gating: { bins: ["gh"] },
      bodyCharacters: 5,
      headerBytes: header.length,
      isFaultless: true,
    });
  });

  it.each([
    ["without a description, which the body gives", "---\nname: a\n---\nText.\n"],
    ["without a header", "# A\n\nText.\n"],
    ["that is no UTF-8", "---\nname: a\ndescription: \xff\n---\n"],
    ["so large that its size is a fault", `---\nname: a\ndescription: b\n---\n${"x".repeat(256_001)}`],
  ])("leaves a file to the parser %s", (_, text) => {
    expect(skimSkillBytes(Buffer.from(text, "latin1"), { directoryName: "a" })).toBeUndefined();
  });

  it("says what the parser says, and its header alone says the rest, for any file", () => {
    const property = fc.property(files(), (text) => {
      const bytes = Buffer.from(text);
      const options = { directoryName: "a", file: "a/SKILL.md" };
      const skimmed = skimSkillBytes(bytes, options);
      if (skimmed === undefined) return;
      const { manifest, diagnostics, bodyCharacters } = parseSkillBytes(bytes, options);
      expect({ name: skimmed.name, gating: skimmed.gating }).toEqual({
        name: manifest?.name,
        gating: manifest?.gating,
      });
      expect(skimmed.bodyCharacters).toBe(bodyCharacters);
      if (skimmed.isFaultless) expect(diagnostics).toEqual([]);
      const again = parseSkillBytes(bytes.subarray(0, skimmed.headerBytes), options);
      expect({ manifest: again.manifest, diagnostics: again.diagnostics }).toEqual({ manifest, diagnostics });
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
