import type { AnomalyFact, FactBook } from "../fact/fact.ts";
import { type FindingSeverity, hitAt, type Rule, type RuleHit } from "../finding/finding.ts";
import { rule } from "./rule-texts.ts";

export const BI1: Rule = rule("BI1", (facts) =>
  facts.of("anomaly").flatMap((fact) => judge(fact, facts) ?? []),
);

function judge(place: AnomalyFact, facts: FactBook): RuleHit | undefined {
  const sentence = SENTENCES.get(place.what);
  if (sentence === undefined) return undefined;
  return hitAt(place, severityOf(place, facts), `${sentence}: ${place.detail}`);
}

const SENTENCES: ReadonlyMap<AnomalyFact["what"], string> = new Map<AnomalyFact["what"], string>([
  ["executable", "A program"],
  ["bytecode-without-source", "Compiled code, which runs and cannot be read"],
  ["encrypted-archive", "Encrypted, so that nobody can look inside"],
  ["nested-archive", "Packed twice"],
  ["archive-bomb", "Unpacks to more than a computer should hold"],
  ["escaping-path", "Leads out of the skill"],
  ["macro", "Macros"],
  ["active-document", "A document that acts when it is opened"],
  ["shortcut", "A shortcut"],
  ["double-extension", "A name that hides what the file is"],
  ["magic-mismatch", "A file that is not what its name says"],
]);

function severityOf(place: AnomalyFact, facts: FactBook): FindingSeverity {
  switch (place.what) {
    case "nested-archive":
      return "info";
    case "executable":
      // Bundlers embed WebAssembly, which can do no more than the script around it.
      if (place.detail.startsWith("WebAssembly in ")) return "info";
      return isHidden(place, facts) ? "critical" : "warn";
    case "escaping-path":
      return isUnambiguous(place) ? "critical" : "warn";
    default:
      return "warn";
  }
}

// A program under another name, inside a text or behind a picture: nobody does that by accident.
function isHidden(place: AnomalyFact, facts: FactBook): boolean {
  if (/ in [a-z]/.test(place.detail) || place.file.endsWith("!/appended")) return true;
  return facts
    .of("anomaly")
    .some(
      ({ file, what }) => file === place.file && (what === "magic-mismatch" || what === "double-extension"),
    );
}

// A member that climbs out of its archive, or a link to where secrets and settings live; `../shared` is how repositories share files.
function isUnambiguous({ detail }: AnomalyFact): boolean {
  if (!detail.startsWith("the link leads to ")) return true;
  return /leads to (?:~|\/(?:etc|root|home|Users|proc|var|private|dev)\b|[A-Za-z]:)|\/\.(?:ssh|aws|gnupg|config|claude|netrc|kube|docker)\b/.test(
    detail,
  );
}

export const AN1: Rule = rule("AN1", (facts) => {
  const seen = new Set<string>();
  return facts.of("unread").flatMap((place): RuleHit[] => {
    const key = `${place.file}\0${place.reason}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [hitAt(place, "warn", `${place.file} was not read whole: ${place.reason}`)];
  });
});
