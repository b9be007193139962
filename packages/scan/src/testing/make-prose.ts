import type { ClauseFact, Fact, FactBook, LinkFact } from "../fact/fact.ts";
import { applyContext } from "../finding/create-findings.ts";
import type { FindingSeverity, Rule, SkillProfile } from "../finding/finding.ts";
import { createFactBook } from "../rule/create-profile.ts";
import type { Stance } from "../text/source-text.ts";
import { makePlace, makeProfile } from "./make-fact.ts";

/** The clauses and links of a text, one clause per line, as the Markdown analyser would give them. */
export function makeProse(text: string, stance: Stance = "live"): Fact[] {
  return text.split("\n").flatMap((line, index) => {
    const place = makePlace({ file: "SKILL.md", line: index + 1, snippet: line, medium: "prose", stance });
    const clause: ClauseFact = {
      ...place,
      kind: "clause",
      text: line.normalize("NFKC").toLowerCase(),
      index,
    };
    const links = Array.from(
      line.matchAll(/https?:\/\/[^\s)>]+/g),
      ([url]): LinkFact => ({ ...place, kind: "link", url, label: "", role: "bare" }),
    );
    return [clause, ...links];
  });
}

/** The facts of a text, with the flows and acts that it asks for. */
export function makeProseBook(text: string, stance: Stance = "live"): FactBook {
  return createFactBook(makeProse(text, stance));
}

/** A rule's worst severity for a text, with context applied; `none` without findings. */
export function worstOf(
  rule: Rule,
  text: string,
  { profile, stance }: { readonly profile?: Partial<SkillProfile>; readonly stance?: Stance } = {},
): FindingSeverity | "none" {
  const hits = rule.find(makeProseBook(text, stance), makeProfile(profile));
  const found = hits.map((hit) => applyContext(rule, hit).severity);
  return (["critical", "warn", "info"] as const).find((severity) => found.includes(severity)) ?? "none";
}
