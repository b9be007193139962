import type { FlowFact } from "../fact/fact.ts";
import { hitAt, type RuleHit } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";
import { hasAny, readMeaning } from "../prose/meaning.ts";
import { foldText } from "../text/fold-text.ts";
import { combinationHits } from "./intent-combinations.ts";
import { judgeDestination } from "./judge-destination.ts";
import { ruleText } from "./rule-texts.ts";

export const PI4: Rule = {
  ...ruleText("PI4"),
  find: (facts, profile) => [
    ...facts.of("flow").flatMap((flow): readonly RuleHit[] => {
      if (flow.sink.type !== "instructions") return [];
      return flow.sources.flatMap((source): readonly RuleHit[] => {
        if (source.type !== "network") return [];
        const destination = judgeDestination(source.url ?? source.host, profile);
        if (destination === "local") return [];
        const page = source.host === undefined || source.host === "" ? "a page elsewhere" : source.host;
        // Whoever has a page obeyed behind the user's back does not mean the user well, whoever owns it.
        if (isCovert(flow)) return [hitAt(flow, "critical", `What ${page} says is to be followed unseen`)];
        return [
          hitAt(
            flow,
            destination === "known" ? "info" : "warn",
            `What ${page} says is to be followed as instructions`,
            destination === "known" ? "the page belongs to a vendor that is known" : undefined,
          ),
        ];
      });
    }),
    ...combinationHits(facts, profile, "PI4"),
  ],
};

function isCovert({ snippet }: FlowFact): boolean {
  const text = foldText(snippet);
  return hasAny(readMeaning(text), "quietly", "covertly") || UNSEEN.test(text);
}

const UNSEEN =
  /\b(?:without (?:showing|displaying|mentioning|telling)|(?:do not|don't|never) (?:show|display|mention))\b/;
