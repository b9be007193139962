import { OBEYED } from "../decode/find-opaque-recipes.ts";
import type { AnomalyFact } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit } from "../finding/finding.ts";
import { rule } from "./rule-texts.ts";

export const OB1: Rule = rule("OB1", (facts) => facts.of("anomaly").flatMap((fact) => judge(fact) ?? []));

function judge(place: AnomalyFact): RuleHit | undefined {
  switch (place.what) {
    case "packed-code":
      return weigh(place, `The code is packed: ${place.detail}`);
    case "split-strings":
      return weigh(place, `Words are taken apart into pieces: ${place.detail}`);
    case "blank-run":
      return weigh(place, `Text stands out of sight, behind ${place.detail}`);
    case "assembled-address":
      return hitAt(place, "critical", `The code calls ${place.detail}, which is written in no file`);
    case "opaque-recipe":
      return judgeRecipe(place);
    case "long-line":
      return judgeLongLine(place);
    default:
      return undefined;
  }
}

function weigh(place: AnomalyFact, message: string): RuleHit {
  if (place.stance !== "live") return hitAt(place, "info", message, `the text is ${place.stance}`);
  if (
    place.what === "blank-run" &&
    (place.medium === "data" || (place.detail.endsWith("in a line") && place.medium !== "prose"))
  )
    return hitAt(place, "info", message, "columns of data stand apart");
  return hitAt(place, "warn", message);
}

/** Decoding what nobody can read is odd; doing what it says is handing over the agent. */
function judgeRecipe(place: AnomalyFact): RuleHit {
  const hit = weigh(place, `The text hides what it asks for: ${place.detail}`);
  return hit.severity === "warn" && place.detail.endsWith(OBEYED) ? { ...hit, severity: "critical" } : hit;
}

const VENDOR_PATH =
  /\.min\.[cm]?js$|(?:^|\/)(?:dist|vendor|node_modules|third_party|third-party|bundle)\/|\.bundle\.[cm]?js$/;

function judgeLongLine(place: AnomalyFact): RuleHit {
  const message = `The code cannot be reviewed: ${place.detail}`;
  if (place.detail.endsWith("with a licence or a source map"))
    return hitAt(place, "info", message, "a vendor's bundle names its licence or its source");
  if (VENDOR_PATH.test(place.file)) return hitAt(place, "info", message, "the file is a bundle by its name");
  return weigh(place, message);
}
