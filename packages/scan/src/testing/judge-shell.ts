import { analyseShell } from "../analyse/shell/analyse-shell.ts";
import { createFindings } from "../finding/create-findings.ts";
import type { FindingSeverity, Rule, SkillProfile } from "../finding/finding.ts";
import { createFactBook } from "../rule/create-profile.ts";
import type { SourceText } from "../text/source-text.ts";
import { makeProfile } from "./make-fact.ts";
import { makeSource } from "./make-source.ts";

/** The severities of a rule's findings for commands, in the order of their lines, with context applied. */
export function judgeShell(
  rule: Rule,
  text: string,
  profile: Partial<SkillProfile> = {},
  source: Partial<SourceText> = {},
): FindingSeverity[] {
  const { facts } = analyseShell(
    makeSource(text, { file: "run.sh", language: "shell", medium: "script", ...source }),
  );
  const words = new Set(`${profile.name ?? ""} ${profile.description ?? ""}`.toLowerCase().match(/\w{2,}/g));
  const hits = rule.find(createFactBook(facts), makeProfile({ words, ...profile }));
  return createFindings(rule, hits).map(({ severity }) => severity);
}
