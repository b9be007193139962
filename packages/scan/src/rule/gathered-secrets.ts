import type { ClauseFact, FlowFact } from "../fact/fact.ts";
import type { FactBook } from "../fact/fact-book.ts";
import { hitAt, type RuleHit } from "../finding/finding.ts";
import type { SkillProfile } from "../finding/rule.ts";
import { classifyPath } from "../secret/classify-path.ts";
import { wordSet } from "../word-list.ts";
import { isAway, judgeDestination } from "./judge-destination.ts";

/**
 * A sentence that lists the stores of several owners' secrets, in a skill that uploads a file to a stranger: what is to
 * be packed stands in one document, and where it goes in another.
 */
export function gatheredSecrets(book: FactBook, profile: SkillProfile): readonly RuleHit[] {
  if (profile.isSecurityTool) return [];
  const upload = book.of("flow").find((flow) => isUpload(flow, profile));
  if (upload === undefined) return [];
  return book
    .of("clause")
    .filter((clause) => clause.stance === "live" && !clause.isFixture && storesIn(clause) >= 2)
    .map((clause) => ({
      ...hitAt(
        clause,
        "critical",
        "Secrets of several owners are named, and a file is uploaded to a stranger",
      ),
      related: [upload],
    }));
}

function isUpload({ sources, sink, stance, isFixture }: FlowFact, profile: SkillProfile): boolean {
  if (sink.type !== "network" || stance !== "live" || isFixture) return false;
  if (!sources.some(({ type }) => type === "file")) return false;
  return isAway(judgeDestination(sink.url ?? sink.host, profile));
}

function storesIn({ text }: ClauseFact): number {
  if (!text.includes("/") && !text.includes(".")) return 0;
  const kinds = (text.match(PATH) ?? []).map(classifyPath);
  return new Set(kinds.filter((kind) => kind !== undefined && STORES.has(kind))).size;
}

const PATH = /[~.][\w.*/-]{2,80}/g;
const STORES: ReadonlySet<string> = wordSet(`
  ssh cloud kubernetes git package-registry netrc gpg keychain browser wallet password-store
`);
