import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAllowedName, suggestName } from "./check-name.ts";
import { parseSkill } from "./parse-skill.ts";

const NAME_FAULT = /^(?:name-(?!not-ascii)|missing-name)/;

/** Every fault of a name in strict mode, with what to do about it. */
function nameFaults(name: string, directoryName?: string): string[] {
  const { diagnostics } = parseSkill(`---\nname: ${JSON.stringify(name)}\ndescription: b\n---\n`, {
    mode: "strict",
    ...(directoryName !== undefined && { directoryName }),
  });
  return diagnostics.filter(({ code }) => NAME_FAULT.test(code)).map(({ code, hint }) => `${code}: ${hint}`);
}

describe("suggestName", () => {
  it.each([
    ["My PDF_Tools (v1.2)", "my-pdf-tools-v1-2"],
    ["--a--b--", "a-b"],
    ["ﬁle Ärger", "file-ärger"],
    ["x".repeat(100), "x".repeat(64)],
    [`${"x".repeat(63)} y`, "x".repeat(63)],
    ["🎬 …", ""],
  ])("makes of %j the name %j", (text, name) => {
    expect(suggestName(text)).toBe(name);
  });

  it("suggests nothing that the specification does not allow", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme", maxLength: 200 }));
    const property = fc.property(text, (written) => {
      const name = suggestName(written);
      expect(name === "" || isAllowedName(name)).toBe(true);
      if (name !== "") expect(nameFaults(name, name)).toEqual([]);
    });
    fc.assert(property, { numRuns: 1000 });
  });
});

describe("the hints for a name", () => {
  it.each([
    [
      "all lead to one name that is allowed",
      "My PDF  Tools",
      undefined,
      ["name-characters: Write my-pdf-tools.", "name-not-lowercase: Write my-pdf-tools."],
    ],
    [
      "lead to the folder's name where that is allowed",
      "PDF Tools",
      "pdf",
      [
        "name-characters: Write pdf.",
        "name-directory-mismatch: Set name: pdf.",
        "name-not-lowercase: Write pdf.",
      ],
    ],
    [
      "never lead to a folder's name that is not allowed",
      "PDF",
      "My PDF",
      ["name-directory-mismatch: Rename the folder to pdf.", "name-not-lowercase: Write pdf."],
    ],
    [
      "say that a folder of the same name is renamed with it",
      "PDF",
      "PDF",
      ["name-not-lowercase: Write pdf, and rename the folder to it."],
    ],
    [
      "leave the choice between two names that are allowed",
      "pdf",
      "tools",
      ["name-directory-mismatch: Rename the folder to pdf, or set name: tools."],
    ],
    [
      "help where no name can be made",
      "🎬",
      undefined,
      [expect.stringMatching(/^name-characters: Write letters/)],
    ],
  ])("%s", (_what, name, directoryName, faults) => {
    expect(nameFaults(name, directoryName)).toEqual(faults);
  });

  it("for a missing name also correct the folder's", () => {
    const hintFor = (directoryName: string): string | undefined =>
      parseSkill("---\ndescription: b\n---\n", { mode: "strict", directoryName }).diagnostics[0]?.hint;
    expect(hintFor("pdf-tools")).toBe("Add a line name: pdf-tools.");
    expect(hintFor("PDF Tools")).toBe("Add a line name: pdf-tools, and rename the folder to pdf-tools.");
    expect(hintFor("🎬")).toBe("Add a line name: my-skill, and rename the folder to my-skill.");
  });

  it("stay short whatever the name is", () => {
    for (const length of [65, 256, 257, 20_000]) {
      const faults = nameFaults("X_".repeat(length / 2), "My PDF");
      expect(faults.filter((fault) => fault.length > 400)).toEqual([]);
      expect(faults.length).toBeGreaterThan(0);
    }
  });
});

describe("a name of more than 256 characters", () => {
  const skill = (name: string): string => `---\nname: ${name}\ndescription: b\n---\n`;

  it.each([
    ["is replaced by the folder's", "漢".repeat(30_000), "long", "long"],
    ["without a folder is cut down", `${"x".repeat(300)}`, undefined, "x".repeat(64)],
    ["without a letter is none", "🎬".repeat(200), undefined, "unnamed"],
    ["is taken up to there", "x".repeat(256), "long", "x".repeat(256)],
  ])("%s", (_what, written, directoryName, loaded) => {
    const options = directoryName === undefined ? {} : { directoryName };
    const { manifest, diagnostics } = parseSkill(skill(written), options);
    expect(manifest?.name).toBe(loaded);
    expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toContain("warning name-too-long");
    const strict = parseSkill(skill(written), { ...options, mode: "strict" });
    expect(strict.diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toContain(
      "error name-too-long",
    );
  });
});
