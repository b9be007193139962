import type { Act } from "../fact/fact.ts";
import { type FindingSeverity, hitAt, type Rule, type RuleHit } from "../finding/finding.ts";
import { isDocument } from "./is-teaching.ts";
import { rule } from "./rule-texts.ts";

type Abuse = Extract<Act, { readonly type: "abuse" }>;

export const RA1: Rule = rule("RA1", (book, profile) => {
  const commanded = new Set(
    book
      .of("flow")
      .filter(
        ({ sink, sources }) => sink.type === "execute" && sources.some(({ type }) => type === "network"),
      )
      .map(({ file, line }) => `${file}\0${line}`),
  );
  return book.of("act").flatMap((fact): RuleHit[] => {
    const { act } = fact;
    if (act.type !== "abuse") return [];
    const message = `${MESSAGES[act.what]}: ${act.detail}`;
    if (act.what === "beacon-loop" && isCommanded(fact, commanded))
      return [hitAt(fact, "critical", `${message}, and what comes back is run`)];
    const isMention = fact.medium === "inline-code" || fact.medium === "table" || fact.medium === "quote";
    if (isMention || (profile.isSecurityTool && isDocument(fact) && act.what !== "beacon-loop"))
      return [hitAt(fact, "info", message, "it is named in a document, not run")];
    return [hitAt(fact, SEVERITIES[act.what], message)];
  });
});

// A loop's body stands within a few lines of its head.
function isCommanded(
  { file, line }: { readonly file: string; readonly line: number },
  lines: ReadonlySet<string>,
): boolean {
  for (let offset = 0; offset < 12; offset++) if (lines.has(`${file}\0${line + offset}`)) return true;
  return false;
}

const SEVERITIES: Readonly<Record<Abuse["what"], FindingSeverity>> = {
  miner: "critical",
  "fork-bomb": "critical",
  "beacon-loop": "warn",
  flood: "warn",
};

const MESSAGES: Readonly<Record<Abuse["what"], string>> = {
  miner: "A cryptocurrency is mined",
  "fork-bomb": "Processes are started without end",
  "beacon-loop": "A host is called in an endless loop",
  flood: "Another machine is flooded",
};
