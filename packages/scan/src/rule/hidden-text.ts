import type { HiddenFact } from "../fact/fact.ts";
import { type FindingSeverity, hitAt, type Rule, type RuleHit } from "../finding/finding.ts";
import { foldText } from "../text/fold-text.ts";
import { demandIn } from "./is-teaching.ts";
import { rule } from "./rule-texts.ts";

export const PI3: Rule = rule("PI3", (facts) => facts.of("hidden").flatMap(hiddenHits));

function hiddenHits(fact: HiddenFact): readonly RuleHit[] {
  // What invisible characters spell is another rule's.
  const what = HOW[fact.how];
  if (what === undefined) return [];
  const text = foldText(fact.text.slice(0, MAX_JUDGED_CHARACTERS)).replace(/\s+/g, " ");
  const why = demandIn(text);
  if (why !== undefined) return [hitAt(fact, "warn", `${what} ${why}`)];
  const severity = unexplained(fact, text);
  return [hitAt(fact, severity, `${what} holds text that the rendered page does not show`)];
}

const MAX_JUDGED_CHARACTERS = 8_000;

const HOW: Partial<Readonly<Record<HiddenFact["how"], string>>> = {
  "html-comment": "A comment",
  "markdown-comment": "A comment",
  "invisible-style": "An invisible element",
  attribute: "An attribute",
  metadata: "Metadata",
};

/** Text made invisible needs a reason; comments, and labels for screen readers in pages, have one. */
function unexplained(fact: HiddenFact, text: string): FindingSeverity {
  if (fact.how !== "invisible-style") return "info";
  // Text for screen readers describes the page; it does not name a mailbox.
  if (!isDocument(fact.file)) return MAILBOX.test(text) ? "warn" : "info";
  return text.split(" ").length >= MIN_WORDS || /[\u3040-\u30ff\u3400-\u9fff]{6}/.test(text)
    ? "warn"
    : "info";
}

const MAILBOX = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/;
const MIN_WORDS = 4;

function isDocument(file: string): boolean {
  return /\.(?:md|mdx|markdown|txt)$/i.test(file);
}
