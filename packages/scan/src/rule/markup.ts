import type { AnomalyFact, FactBook, FactPlace } from "../fact/fact.ts";
import type { FindingSeverity, Rule, RuleHit, SkillProfile } from "../finding/finding.ts";
import { classifyHost } from "../host/classify-host.ts";
import { judgeDestination } from "./judge-destination.ts";
import { rule } from "./rule-texts.ts";

export const BI2: Rule = rule("BI2", (facts, profile) => {
  const active = facts.of("anomaly").filter(({ what }) => what === "active-markup");
  const contacting = active.length === 0 ? new Set<string>() : filesThatContact(facts, profile);
  return active.flatMap((fact) => activeHits(fact, contacting, profile));
});

function activeHits(
  fact: AnomalyFact,
  contacting: ReadonlySet<string>,
  profile: SkillProfile,
): readonly RuleHit[] {
  const match = /^(\w{1,10}) ([\w-]{1,30}): /.exec(fact.detail);
  const language = match?.[1] ?? "";
  const type = match?.[2] ?? "";
  const message = MESSAGES.get(type);
  if (message === undefined) return [];
  const detail = fact.detail.slice(match?.[0].length ?? 0);
  const hit = { place: fact, message: `${language === "svg" ? "The picture" : "The page"} ${message}` };
  // Nothing renders what a document only shows as code.
  if (isShownAsCode(fact)) return [{ ...hit, severity: "info", demoted: "the document only shows it" }];
  return [
    {
      ...hit,
      severity: severityOf({ language, type, detail, contacts: contacting.has(fact.file) }, profile),
    },
  ];
}

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["script", "holds a script"],
  ["event-handler", "runs code on an event"],
  ["script-address", "has an address that is a script"],
  ["data-document", "holds another document in an address"],
  ["foreign-object", "holds foreign markup"],
  ["remote-script", "loads a script from elsewhere"],
  ["remote-content", "loads content from elsewhere"],
  ["remote-style", "loads a style or picture from elsewhere"],
  ["redirect", "sends its reader elsewhere"],
  ["form", "sends what is typed elsewhere"],
  ["external-entity", "makes its parser load a file or an address"],
  ["contact", "has a script that contacts an address"],
  ["leak", "sends cookies, storage or the page itself away"],
]);

interface Activity {
  readonly language: string;
  readonly type: string;
  readonly detail: string;
  readonly contacts: boolean;
}

function severityOf(activity: Activity, profile: SkillProfile): FindingSeverity {
  if (activity.type === "leak") return "critical";
  return activity.language === "svg" ? pictureSeverity(activity, profile) : pageSeverity(activity, profile);
}

/** A picture has no business with scripts, and none with other hosts. */
function pictureSeverity({ type, detail, contacts }: Activity, profile: SkillProfile): FindingSeverity {
  switch (type) {
    case "contact":
      return isLocal(detail, profile) ? "warn" : "critical";
    case "script":
    case "event-handler":
    case "script-address":
      return contacts ? "critical" : "warn";
    case "foreign-object":
    case "remote-style":
      return "info";
    case "remote-content":
      return isLocal(detail, profile) ? "info" : "warn";
    default:
      return "warn";
  }
}

/** Reports, templates and demonstrations have scripts; what counts is where they come from and where they send. */
function pageSeverity({ type, detail }: Activity, profile: SkillProfile): FindingSeverity {
  switch (type) {
    case "external-entity":
      return /^(?:file:|\/|expect:|php:|https?:)/i.test(detail) ? "warn" : "info";
    case "remote-script":
    case "redirect":
    case "form":
      return judgeDestination(detail, profile) === "throwaway" ? "warn" : "info";
    default:
      return "info";
  }
}

function isShownAsCode({ medium, file }: FactPlace): boolean {
  return medium === "fence" || /\.(?:md|mdx|markdown|txt)$/i.test(file);
}

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
