import type { ActFact, AnomalyFact, ClauseFact, FactBook, FlowFact, HiddenFact } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { foldText } from "../text/fold-text.ts";
import { wordSet } from "../word-list.ts";
import { demandIn, isDocument } from "./is-teaching.ts";
import { rule } from "./rule-texts.ts";

export const UN1: Rule = rule("UN1", (facts, profile) => [
  ...facts
    .of("hidden")
    .filter(({ how }) => HIDING.has(how))
    .map((place): RuleHit => {
      const words = place.text.replace(/\s+/g, " ").trim();
      return READS_AS_WORDS.test(words)
        ? hitAt(place, "critical", `Invisible characters say: ${shorten(words)}`)
        : hitAt(place, "warn", "A run of invisible characters, which no reading turns into text");
    }),
  ...facts
    .of("anomaly")
    .filter(({ what }) => what === "invisible-characters")
    .map((place) => judgeBroken(place, facts, profile)),
]);

export const UN2: Rule = rule("UN2", (facts, profile) =>
  facts.of("anomaly").flatMap((place): RuleHit[] => {
    if (place.what === "bidi-override") return [judgeOverride(place, profile)];
    return place.what === "homoglyph" ? [judgeHomoglyph(place, facts, profile)] : [];
  }),
);

const HIDING: ReadonlySet<string> = new Set(["tag-characters", "variation-selectors", "zero-width"]);
const READS_AS_WORDS = /[A-Za-z]{3}/;
const MANY_INSIDE_WORDS = 3;

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

// Documents about the trick show it beside its name.
const NAMES_OVERRIDE = /\bu\+?20[26][0-9a-e]\b|\\u20[26][0-9a-e]|\bbidi|\brtlo?\b|right[- ]to[- ]left/i;

function judgeOverride(place: AnomalyFact, { isSecurityTool }: SkillProfile): RuleHit {
  const message = `Direction controls reorder the line (${place.detail})`;
  const isShown = (isSecurityTool && isDocument(place)) || place.stance !== "live";
  if (!isShown && enclosesCommand(place.snippet))
    return hitAt(place, "critical", `${message}, and a command stands between them`);
  if (NAMES_OVERRIDE.test(place.snippet) && place.medium !== "script")
    return hitAt(place, "info", message, "the line names the control that it shows");
  return hitAt(place, "warn", message);
}

function enclosesCommand(line: string): boolean {
  for (const [, enclosed = ""] of line.matchAll(ENCLOSED))
    if (COMMAND.test(enclosed) || COMMAND.test([...enclosed].reverse().join(""))) return true;
  return false;
}

const ENCLOSED = /[\u202a\u202b\u202d\u202e\u2066-\u2068]([^\u202a-\u202e\u2066-\u2069]{4,400})/g;
const COMMAND =
  /\b(?:sudo\s|rm\s{1,4}-|curl\s|wget\s|(?:ba|z)?sh\s{1,4}-c|eval\b|exec\b|chmod\s|nc\s{1,4}-|powershell|iex\b|os\.system|subprocess|child_process|npm\s{1,4}i|pip\s{1,4}install|ssh\s|scp\s|dd\s{1,4}if=|mkfs|base64\s{1,4}-)|\|\s{0,4}(?:ba|z)?sh\b/i;

function judgeBroken(place: AnomalyFact, facts: FactBook, profile: SkillProfile): RuleHit {
  const message = `Invisible characters break up words (${place.detail})`;
  if (Number.parseInt(place.detail, 10) < MANY_INSIDE_WORDS)
    return hitAt(place, "info", message, "one or two come from copying text");
  const demand = disguisedDemand(place, facts, profile);
  if (demand === undefined) return hitAt(place, "warn", message);
  const why = `${message}; without them the text ${demand.why}`;
  return { ...hitAt(place, "critical", why), related: [demand.clause] };
}

/** What a text demands once its disguise is removed: nobody disguises ordinary words. */
function disguisedDemand(
  place: AnomalyFact,
  facts: FactBook,
  { isSecurityTool }: SkillProfile,
): { readonly why: string; readonly clause: ClauseFact } | undefined {
  if (isSecurityTool) return undefined;
  for (const clause of facts.of("clause")) {
    if (clause.file !== place.file || clause.stance !== "live" || !isDisguised(clause, place)) continue;
    const why = demandIn(clause.text);
    if (why !== undefined) return { why, clause };
  }
  return undefined;
}

// Every clause is folded, but only a disguised one reads differently then.
function isDisguised(clause: ClauseFact, { what, line }: AnomalyFact): boolean {
  return what === "homoglyph" ? clause.line === line : DISGUISED.test(clause.snippet);
}

const DISGUISED = /[A-Za-z][\u200b-\u200d\u2060-\u2064\ufeff\u180e\u3164\uffa0\u2800\u00ad]+[A-Za-z]/;

function judgeHomoglyph(place: AnomalyFact, facts: FactBook, profile: SkillProfile): RuleHit {
  const [word = "", looksLike = ""] = place.detail.split(" → ");
  const message = `The word ${word} is not ${looksLike}: letters of another alphabet stand in it`;
  if (place.stance !== "live") return hitAt(place, "info", message, `the text is ${place.stance}`);
  const names = [word.toLowerCase(), looksLike.toLowerCase()];
  const act = [...facts.of("act"), ...facts.of("flow")].find(
    (fact) => fact.file === place.file && fact.line === place.line && isCalled(fact, names),
  );
  if (act === undefined) {
    const demand = disguisedDemand(place, facts, profile);
    if (demand === undefined) return hitAt(place, "warn", message);
    return hitAt(place, "critical", `${message}; read as it looks, the text ${demand.why}`);
  }
  return { severity: "critical", place, message: `${message}, and it is run or contacted`, related: [act] };
}

function isCalled(fact: ActFact | FlowFact, names: readonly string[]): boolean {
  if (fact.stance !== "live") return false;
  const deeds = fact.kind === "flow" ? [...fact.sources, fact.sink] : [fact.act];
  return deeds
    .filter(({ type }) => CALLING.has(type))
    .map((deed): string | undefined => {
      if ("host" in deed) return deed.host;
      if ("program" in deed) return deed.program;
      return "by" in deed ? deed.by : "name" in deed ? deed.name : undefined;
    })
    .some((called) => called !== undefined && names.some((name) => called.toLowerCase().includes(name)));
}

const CALLING: ReadonlySet<string> = wordSet("network execute fetch send run install-package install-skill");

export const PI3: Rule = rule("PI3", (facts) => facts.of("hidden").flatMap(hiddenHits));

function hiddenHits(fact: HiddenFact): readonly RuleHit[] {
  // Text spelled in invisible characters is another rule's.
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

/** Invisible text needs a reason; comments and screen-reader labels in pages have one. */
function unexplained(fact: HiddenFact, text: string): RuleHit["severity"] {
  if (fact.how !== "invisible-style") return "info";
  // Text for screen readers describes the page; it does not name a mailbox.
  if (!DOCUMENT_FILE.test(fact.file)) return MAILBOX.test(text) ? "warn" : "info";
  return text.split(" ").length >= MIN_WORDS || /[\u3040-\u30ff\u3400-\u9fff]{6}/.test(text)
    ? "warn"
    : "info";
}

const MAILBOX = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/;
const MIN_WORDS = 4;
const DOCUMENT_FILE = /\.(?:md|mdx|markdown|txt)$/i;
