import type { ActOf, FactBook, FactPlace } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit } from "../finding/finding.ts";
import { distinct } from "../word-list.ts";
import { rule } from "./rule-texts.ts";

export const CR1: Rule = rule("CR1", findLiteralSecrets);

function findLiteralSecrets(facts: FactBook): RuleHit[] {
  // Views and inner texts of a file show the same key again.
  return distinct(
    facts.acts("literal-secret"),
    ({ file, act, snippet }) => `${file}\0${act.provider}\0${snippet}`,
  ).map((fact) => {
    const { act } = fact;
    // In a document, 64 hex digits are just as often a hash or the key of a test network.
    const isWholeKey =
      act.isPrivateKey &&
      (act.provider === "private-key" || fact.medium === "script" || fact.medium === "config");
    const demoted = reasonForInfo(fact);
    const severity = demoted !== undefined ? "info" : isWholeKey ? "critical" : "warn";
    const owner = NAMES.get(act.provider) ?? act.provider;
    const what = act.isPrivateKey ? "A whole private key" : `A secret of ${owner}`;
    return hitAt(fact, severity, `${what} stands here.`, demoted);
  });
}

function reasonForInfo({ file, medium, act }: ActOf<"literal-secret">): string | undefined {
  if (act.isPlaceholder) return "it is a placeholder";
  if (SAMPLE_FILE.test(file)) return "the file is a sample";
  // Documents are full of sample requests and responses with made-up tokens.
  return act.provider === "generic" && !act.isPrivateKey && !OBEYED.has(medium)
    ? "only the name beside it says so, and a document shows it"
    : undefined;
}

const OBEYED: ReadonlySet<FactPlace["medium"]> = new Set(["script", "config", "frontmatter", "hidden"]);
const SAMPLE_FILE = /\.(?:example|sample|template|dist)$|(?:^|\/)(?:example|sample)\.env$/i;
const NAMES: ReadonlyMap<string, string> = new Map([
  ["generic", "a service"],
  ["jwt", "a service (a signed token)"],
  ["seed-phrase", "a wallet"],
  ["private-key", "its owner (a private key)"],
]);
