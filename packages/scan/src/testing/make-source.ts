import type { SkillFile } from "../file/file-kind.ts";
import type { SourceText } from "../text/source-text.ts";

/** A text as the whole of a file. */
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

export function makeFile(
  path: string,
  content: string | Uint8Array,
  mode: SkillFile["mode"] = "644",
): SkillFile {
  return { path, mode, bytes: typeof content === "string" ? Buffer.from(content) : content };
}
