import type { SkillFile } from "../file/file-kind.ts";
import type { SourceText } from "../text/source-text.ts";

/** A text as a file begins one, for tests of what reads texts. */
export function makeSource(text: string, source: Partial<SourceText> = {}): SourceText {
  return {
    file: "SKILL.md",
    text,
    language: "markdown",
    firstLine: 1,
    keepsLines: true,
    chain: [],
    medium: "prose",
    stance: "live",
    section: [],
    isFixture: false,
    ...source,
  };
}

/** A file of a skill. */
export function makeFile(
  path: string,
  content: string | Uint8Array,
  mode: SkillFile["mode"] = "644",
): SkillFile {
  return { path, mode, bytes: typeof content === "string" ? Buffer.from(content) : content };
}
