import type { Act, ActFact, DataSource, DeclarationFact, FactPlace, FlowFact, Sink } from "../fact/fact.ts";
import type { SkillProfile } from "../finding/finding.ts";

/** A place in a script. */
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

export function makeFlow(
  sources: readonly DataSource[],
  sink: Sink,
  place: Partial<FactPlace> = {},
): FlowFact {
  return { ...makePlace(place), kind: "flow", sources, sink, steps: [] };
}

export function makeAct(act: Act, place: Partial<FactPlace> = {}): ActFact {
  return { ...makePlace(place), kind: "act", act };
}

/** A declaration in a skill's header. */
export function makeDeclaration(what: DeclarationFact["what"], value: string): DeclarationFact {
  return { ...makePlace({ file: "SKILL.md", medium: "frontmatter" }), kind: "declaration", what, value };
}

/** A profile of a skill without a description. */
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
