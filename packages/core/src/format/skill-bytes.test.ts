import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSkillBytes } from "./parse-skill.ts";
import { countCharacters } from "./skill-bytes.ts";
import { files } from "./testing/headers.ts";

describe("decisiveBytes", () => {
  const options = { directoryName: "a", file: "a/SKILL.md" };

  it("is the header of a plain skill", () => {
    const header = "---\nname: a\ndescription: Says hello.\nmetadata:\n  requires: gh\n---\n";
    expect(parseSkillBytes(Buffer.from(`${header}\nHi ✓.\n`), options)).toMatchObject({
      bodyCharacters: 5,
      decisiveBytes: header.length,
    });
  });

  it.each([
    ["without a description, which the body gives", "---\nname: a\n---\nText.\n"],
    ["without a header", "# A\n\nText.\n"],
    ["so large that its size is a fault", `---\nname: a\ndescription: b\n---\n${"x".repeat(256_001)}`],
  ])("is the whole of a file %s", (_, text) => {
    expect(parseSkillBytes(Buffer.from(text), options).decisiveBytes).toBe(text.length);
  });

  it("give the same manifest and diagnostics, for any file", () => {
    const property = fc.property(files(), (text) => {
      const bytes = Buffer.from(text);
      const { manifest, diagnostics, decisiveBytes } = parseSkillBytes(bytes, options);
      const again = parseSkillBytes(bytes.subarray(0, decisiveBytes), options);
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
