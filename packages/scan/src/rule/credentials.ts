import type { Act, FactBook, FactPlace } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit } from "../finding/finding.ts";
import { rule } from "./rule-texts.ts";

export const CR1: Rule = rule("CR1", findLiteralSecrets);

function findLiteralSecrets(facts: FactBook): RuleHit[] {
  const hits: RuleHit[] = [];
  const seen = new Set<string>();
  for (const fact of facts.of("act")) {
    const { act } = fact;
    if (act.type !== "literal-secret") continue;
    // Views and inner texts of a file show the same key again.
    const key = `${fact.file}\0${act.provider}\0${fact.snippet}`;
    if (seen.has(key)) continue;
    seen.add(key);
    // Sixty-four digits in a document are as often a hash or the key of a test network.
    const isWholeKey =
      act.isPrivateKey &&
      (act.provider === "private-key" || fact.medium === "script" || fact.medium === "config");
    const demoted = reasonForInfo(fact, act);
    hits.push(
      hitAt(
        fact,
        demoted !== undefined ? "info" : isWholeKey ? "critical" : "warn",
        act.isPrivateKey
          ? "A whole private key stands here."
          : `A secret of ${NAMES.get(act.provider) ?? act.provider} stands here.`,
        demoted,
      ),
    );
  }
  return hits;
}

function reasonForInfo(
  { file, medium }: FactPlace,
  { provider, isPlaceholder, isPrivateKey }: Extract<Act, { readonly type: "literal-secret" }>,
): string | undefined {
  if (isPlaceholder) return "it is a placeholder";
  if (SAMPLE_FILE.test(file)) return "the file is a sample";
  // Documents are full of answers and requests with made-up tokens in them.
  return provider === "generic" && !isPrivateKey && !OBEYED.has(medium)
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
