import { OBEYED } from "../decode/find-opaque-recipes.ts";
import type { AnomalyFact, FactBook } from "../fact/fact.ts";
import { type FindingSeverity, hitAt, type Rule, type RuleHit } from "../finding/finding.ts";
import { distinct } from "../word-list.ts";
import { rule } from "./rule-texts.ts";

export const BI1: Rule = rule("BI1", (facts) =>
  facts.of("anomaly").flatMap((place) => {
    const sentence = SENTENCES.get(place.what);
    return sentence === undefined
      ? []
      : [hitAt(place, severityOf(place, facts), `${sentence}: ${place.detail}`)];
  }),
);

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

// A program with a misleading file name, inside a text or appended to a picture is never an accident.
function isHidden(place: AnomalyFact, facts: FactBook): boolean {
  if (/ in [a-z]/.test(place.detail) || place.file.endsWith("!/appended")) return true;
  return facts
    .of("anomaly")
    .some(
      ({ file, what }) => file === place.file && (what === "magic-mismatch" || what === "double-extension"),
    );
}

// An archive member that escapes, or a link to secrets and settings; repositories share files through `../shared`.
function isUnambiguous({ detail }: AnomalyFact): boolean {
  if (!detail.startsWith("the link leads to ")) return true;
  return /leads to (?:~|\/(?:etc|root|home|Users|proc|var|private|dev)\b|[A-Za-z]:)|\/\.(?:ssh|aws|gnupg|config|claude|netrc|kube|docker)\b/.test(
    detail,
  );
}

export const AN1: Rule = rule("AN1", (facts) =>
  distinct(facts.of("unread"), ({ file, reason }) => `${file}\0${reason}`).map((place) =>
    hitAt(place, "warn", `${place.file} was not read whole: ${place.reason}`),
  ),
);

export const OB1: Rule = rule("OB1", (facts) =>
  facts.of("anomaly").flatMap((place) => {
    const message = OPAQUE.get(place.what)?.replace("*", () => place.detail);
    return message === undefined ? [] : [judgeOpaque(place, message)];
  }),
);

const OPAQUE: ReadonlyMap<AnomalyFact["what"], string> = new Map<AnomalyFact["what"], string>([
  ["packed-code", "The code is packed: *"],
  ["blank-run", "Text stands out of sight, behind *"],
  ["assembled-address", "The code calls *, which is written in no file"],
  ["opaque-recipe", "The text hides what it asks for: *"],
  ["long-line", "The code cannot be reviewed: *"],
]);

function judgeOpaque(place: AnomalyFact, message: string): RuleHit {
  if (place.what === "assembled-address") return hitAt(place, "critical", message);
  const reason = reasonForOpaque(place);
  if (reason !== undefined) return hitAt(place, "info", message, reason);
  // Decoding something unreadable is odd; obeying the result hands over control of the agent.
  return hitAt(place, place.detail.endsWith(OBEYED) ? "critical" : "warn", message);
}

function reasonForOpaque({ what, detail, file, medium, stance }: AnomalyFact): string | undefined {
  if (what === "long-line" && detail.endsWith("with a licence or a source map"))
    return "a vendor's bundle names its licence or its source";
  if (what === "long-line" && VENDOR_PATH.test(file)) return "the file is a bundle by its name";
  if (stance !== "live") return `the text is ${stance}`;
  const isColumn = medium === "data" || (detail.endsWith("in a line") && medium !== "prose");
  return what === "blank-run" && isColumn ? "columns of data stand apart" : undefined;
}

const VENDOR_PATH =
  /\.min\.[cm]?js$|(?:^|\/)(?:dist|vendor|node_modules|third_party|third-party|bundle)\/|\.bundle\.[cm]?js$/;
