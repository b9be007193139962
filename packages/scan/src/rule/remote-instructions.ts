import type { FlowFact } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { isCovert } from "./find-skill-installs.ts";
import { judgeDestination } from "./judge-destination.ts";
import { rule } from "./rule-texts.ts";

export const PI4: Rule = rule("PI4", (facts, profile) =>
  facts.of("flow").flatMap((flow) => (flow.sink.type === "instructions" ? judge(flow, profile) : [])),
);

function judge(flow: FlowFact, profile: SkillProfile): readonly RuleHit[] {
  return flow.sources.flatMap((source): readonly RuleHit[] => {
    if (source.type !== "network") return [];
    const destination = judgeDestination(source.url ?? source.host, profile);
    if (destination === "local") return [];
    const page = source.host === undefined || source.host === "" ? "a page elsewhere" : source.host;
    // Having a page obeyed without the user's knowledge is hostile, no matter who owns the page.
    if (isCovert(flow.snippet))
      return [hitAt(flow, "critical", `What ${page} says is to be followed unseen`)];
    const message = `What ${page} says is to be followed as instructions`;
    return destination === "known"
      ? [hitAt(flow, "info", message, "the page belongs to a vendor that is known")]
      : [hitAt(flow, "warn", message)];
  });
}
