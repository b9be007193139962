import type { Act, ActFact, DataSource, DeclarationFact, FactPlace, FlowFact, Sink } from "../fact/fact.ts";
import type { SkillProfile } from "../finding/finding.ts";

/** A place in a script, for facts that a test makes by hand. */
export function makePlace(place: Partial<FactPlace> = {}): FactPlace {
  return {
    file: "scripts/run.sh",
    line: 1,
    snippet: "",
    chain: [],
    medium: "script",
    stance: "live",
    section: [],
    isFixture: false,
    ...place,
  };
}

/** A flow from some sources to a sink. */
export function makeFlow(
  sources: readonly DataSource[],
  sink: Sink,
  place: Partial<FactPlace> = {},
): FlowFact {
  return { ...makePlace(place), kind: "flow", sources, sink, steps: [] };
}

/** Something that is done. */
export function makeAct(act: Act, place: Partial<FactPlace> = {}): ActFact {
  return { ...makePlace(place), kind: "act", act };
}

/** Something that a skill says of itself. */
export function makeDeclaration(what: DeclarationFact["what"], value: string): DeclarationFact {
  return { ...makePlace({ file: "SKILL.md", medium: "frontmatter" }), kind: "declaration", what, value };
}

/** A skill that says nothing of itself. */
export function makeProfile(profile: Partial<SkillProfile> = {}): SkillProfile {
  return {
    name: "",
    description: "",
    declaredHosts: new Set(),
    isSecurityTool: false,
    words: new Set(),
    ...profile,
  };
}
