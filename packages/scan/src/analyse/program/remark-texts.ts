import type { SourceText } from "../../text/source-text.ts";
import type { FactRecorder } from "./fact-recorder.ts";
import type { Remark } from "./program-tree.ts";

const MIN_REMARK_CHARACTERS = 20;
const MAX_REMARKS = 200;

/** Comments, bare strings and descriptions that speak to somebody, as texts for the language rules. */
export function remarkTexts(
  source: SourceText,
  remarks: readonly Remark[],
  recorder: FactRecorder,
): readonly SourceText[] {
  const texts: SourceText[] = [];
  for (const remark of remarks) {
    if (texts.length >= MAX_REMARKS) break;
    for (const { text, stance } of partsOf(remark)) {
      if (text.length <= MIN_REMARK_CHARACTERS || !speaks(text)) continue;
      if (!/\s/.test(text.trim()) && !OTHER_SCRIPT.test(text)) continue;
      texts.push({
        file: source.file,
        text,
        language: "markdown",
        firstLine: recorder.lineOf(remark.from),
        keepsLines: source.keepsLines,
        chain: source.chain,
        medium: remark.kind === "string" ? "config" : "comment",
        stance: source.stance === "live" ? stance : source.stance,
        section: source.section,
        isFixture: source.isFixture,
        ...(source.isInDefensiveSkill && { isInDefensiveSkill: true }),
      });
    }
  }
  return texts;
}

/** What a comment says, and the code that it shows, which nobody runs; both keep their lines. */
function partsOf({ text }: Remark): readonly Pick<SourceText, "text" | "stance">[] {
  if (!text.includes("```") && !text.includes("@example")) return [{ text, stance: "live" }];
  const said: string[] = [];
  const shown: string[] = [];
  let isFenced = false;
  let isExample = false;
  for (const line of text.split("\n")) {
    const isFence = line.trimStart().startsWith("```");
    const tag = isFenced ? undefined : /^\s*@(\w+)/.exec(line)?.[1];
    if (tag !== undefined) isExample = tag === "example";
    const isShown = isFence || isFenced || isExample;
    said.push(isShown ? "" : line);
    shown.push(isShown ? line : "");
    if (isFence) isFenced = !isFenced;
  }
  return [
    { text: said.join("\n"), stance: "live" },
    { text: shown.join("\n"), stance: "example" },
  ];
}

/** Whether somebody tells a reader, above all a model, what to do; other scripts always count. */
function speaks(text: string): boolean {
  return SPEAKING.test(text) || OTHER_SCRIPT.test(text);
}

const SPEAKING =
  /\b(?:you|your|must|always|never|ignore|disregard|forget|override|instructions?|prompt|assistant|agent|model|claude|gpt|llm|ai|system|user|secret(?:ly)?|silent(?:ly)?|important|required?|send|upload|execute|run|fetch|download|install|paste|copy|do not|don't)\b/i;
const OTHER_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}]/u;
