import type { FactBook } from "../fact/fact.ts";
import { hitAt, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { classifyPath } from "../secret/classify-path.ts";
import { wordSet } from "../word-list.ts";
import { isAway, judgeDestination } from "./judge-destination.ts";

/** A section lists the stores of several owners, and elsewhere a file goes to a stranger: packing and sending stand apart. */
export function judgeGathered(book: FactBook, profile: SkillProfile): readonly RuleHit[] {
  if (profile.isSecurityTool || !listsStores(book)) return [];
  return book
    .flowsInto("network")
    .filter(
      ({ sources, sink }) =>
        sources.some(({ type }) => type === "file") &&
        isAway(judgeDestination(sink.url ?? sink.host, profile)),
    )
    .map((flow) =>
      hitAt(flow, "critical", "A file goes to a stranger, and secrets of several owners are named"),
    );
}

function listsStores(book: FactBook): boolean {
  const sections = new Map<string, Set<string>>();
  for (const { file, section, text, stance, isFixture } of book.of("clause")) {
    if (stance !== "live" || isFixture) continue;
    const key = [file, ...section].join("\0");
    for (const path of text.match(/[~.][\w.*/-]{2,80}/g) ?? []) {
      const kind = classifyPath(path) ?? "";
      if (STORES.has(kind)) sections.set(key, (sections.get(key) ?? new Set()).add(kind));
    }
  }
  return Array.from(sections.values()).some(({ size }) => size > 1);
}

const STORES: ReadonlySet<string> = wordSet(`
  ssh cloud kubernetes git package-registry netrc gpg keychain browser wallet password-store
`);
