import type { Analyser } from "../analyse/analyser.ts";
import { type Fact, MAX_SNIPPET_CHARACTERS } from "../fact/fact.ts";
import { lineAt, type SourceText } from "../text/source-text.ts";
import type { PackRule } from "./pack-rule.ts";
import { viewText } from "./text-condition.ts";

/** An analyser that writes down where the rules of a pack match, one place for each rule and text. */
export function createPackAnalyser(rules: readonly PackRule[]): Analyser {
  return (source) => {
    const facts: Fact[] = [];
    let folded: string | undefined;
    for (const rule of rules) {
      if (!isLookedAt(rule, source)) continue;
      if (rule.view === "folded") folded ??= viewText(source.text, "folded");
      const text = rule.view === "folded" && folded !== undefined ? folded : source.text;
      const match = rule.condition(text);
      if (match !== undefined) facts.push(createFact(rule, source, text, match));
    }
    return { facts, texts: [] };
  };
}

function isLookedAt({ languages, media }: PackRule, { language, medium }: SourceText): boolean {
  return (languages.size === 0 || languages.has(language)) && (media.size === 0 || media.has(medium));
}

// Folding keeps lines, though not columns: the line is counted in the text that matched.
function createFact(
  { rule }: PackRule,
  source: SourceText,
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): Fact {
  const { file, chain, medium, stance, section, isFixture } = source;
  const snippetEnd = Math.max(end, Math.min(text.length, start + 80));
  return {
    kind: "match",
    rule: rule.id,
    file,
    line: lineAt({ ...source, text }, start),
    snippet: text.slice(start, Math.min(snippetEnd, start + MAX_SNIPPET_CHARACTERS)).split("\n", 1)[0] ?? "",
    chain,
    medium,
    stance,
    section,
    isFixture,
  };
}
