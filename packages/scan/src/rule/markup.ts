import type { AnomalyFact, FactBook } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { classifyHost } from "../host/classify-host.ts";
import { wordSet } from "../word-list.ts";
import { judgeDestination } from "./judge-destination.ts";
import { rule } from "./rule-texts.ts";

export const BI2: Rule = rule("BI2", (facts, profile) => {
  const active = facts.of("anomaly").filter(({ what }) => what === "active-markup");
  const contacting = active.length === 0 ? new Set<string>() : filesThatContact(facts, profile);
  return active.map((fact) => activeHit(fact, contacting, profile));
});

function activeHit(fact: AnomalyFact, contacting: ReadonlySet<string>, profile: SkillProfile): RuleHit {
  const [, language = "", type = "", detail = ""] =
    /^(\w{1,10}) ([\w-]{1,30}): ([\s\S]*)$/.exec(fact.detail) ?? [];
  const [inPicture, inPage, what] = ACTIVITIES.get(type) ?? ["info", "info", type];
  const isPicture = language === "svg";
  const message = `${isPicture ? "The picture" : "The page"} ${what}`;
  // Markup that a document shows as code is never rendered.
  if (fact.medium === "fence" || /\.(?:md|mdx|markdown|txt)$/i.test(fact.file))
    return hitAt(fact, "info", message, "the document only shows it");
  const severity = isPicture
    ? pictureSeverity({ type, detail, severity: inPicture }, contacting.has(fact.file), profile)
    : pageSeverity({ type, detail, severity: inPage }, profile);
  return hitAt(fact, severity, message);
}

/** Severity in a picture (which needs no scripts and no other hosts), severity in a page, and what is done. */
const ACTIVITIES: ReadonlyMap<string, readonly [RuleHit["severity"], RuleHit["severity"], string]> = new Map([
  ["script", ["warn", "info", "holds a script"]],
  ["event-handler", ["warn", "info", "runs code on an event"]],
  ["script-address", ["warn", "info", "has an address that is a script"]],
  ["data-document", ["warn", "info", "holds another document in an address"]],
  ["foreign-object", ["info", "info", "holds foreign markup"]],
  ["remote-script", ["warn", "info", "loads a script from elsewhere"]],
  ["remote-content", ["warn", "info", "loads content from elsewhere"]],
  ["remote-style", ["info", "info", "loads a style or picture from elsewhere"]],
  ["redirect", ["warn", "info", "sends its reader elsewhere"]],
  ["form", ["warn", "info", "sends what is typed elsewhere"]],
  ["external-entity", ["warn", "info", "makes its parser load a file or an address"]],
  ["contact", ["critical", "info", "has a script that contacts an address"]],
  ["leak", ["critical", "critical", "sends cookies, storage or the page itself away"]],
]);

interface Activity {
  readonly type: string;
  readonly detail: string;
  readonly severity: RuleHit["severity"];
}

function pictureSeverity(
  { type, detail, severity }: Activity,
  contacts: boolean,
  profile: SkillProfile,
): RuleHit["severity"] {
  if (STARTED.has(type)) return contacts ? "critical" : severity;
  if (type === "contact") return isLocal(detail, profile) ? "warn" : severity;
  return type === "remote-content" && isLocal(detail, profile) ? "info" : severity;
}

const STARTED: ReadonlySet<string> = wordSet("script event-handler script-address");

/** Reports, templates and demonstrations contain scripts; what counts is where they load from and send to. */
function pageSeverity({ type, detail, severity }: Activity, profile: SkillProfile): RuleHit["severity"] {
  if (type === "external-entity")
    return /^(?:file:|\/|expect:|php:|https?:)/i.test(detail) ? "warn" : severity;
  return LEADING.has(type) && judgeDestination(detail, profile) === "throwaway" ? "warn" : severity;
}

const LEADING: ReadonlySet<string> = wordSet("remote-script redirect form");

function filesThatContact(facts: FactBook, profile: SkillProfile): ReadonlySet<string> {
  const files = new Set<string>();
  for (const { file, act } of facts.of("act"))
    if ((act.type === "fetch" || act.type === "send") && !isLocal(act.url, profile)) files.add(file);
  for (const { file, sink } of facts.of("flow"))
    if (sink.type === "network" && !isLocal(sink.url ?? sink.host ?? "", profile)) files.add(file);
  return files;
}

function isLocal(url: string, profile: SkillProfile): boolean {
  const kind = classifyHost(url);
  return kind === "loopback" || kind === "unknown" || judgeDestination(url, profile) === "local";
}
