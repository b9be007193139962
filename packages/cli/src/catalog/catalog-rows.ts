import type { CatalogReport, Session } from "@skillet/core";

/** What became of each skill, by qualified name, as the JSON document shows it. */
export interface CatalogRows {
  /** Every skill that is in the text. */
  readonly shown: readonly string[];
  /** Those of them whose description was cut, in part or altogether. */
  readonly shortened: readonly string[];
  /** Those of them without any of their description. */
  readonly nameOnly: readonly string[];
  readonly omitted: readonly string[];
  /** Characters of each description that are in the text, and that are not. */
  readonly skills: CatalogReport["skills"];
  /** Enabled skills that a model is not told about, and why. */
  readonly hidden: readonly HiddenRow[];
}

/** An enabled skill that is kept from models. */
interface HiddenRow {
  readonly name: string;
  readonly reason: string;
}

/** Sorts a report by what became of the skills, and adds those that models may not see in this session. */
export function catalogRows(report: CatalogReport, session: Session): CatalogRows {
  const { skills } = report;
  const looked = new Set(skills.map(({ name }) => name));
  // Where the library is too large, a catalogue for a message looks only at what suits it.
  const beyond =
    report.total === skills.length
      ? []
      : session
          .usable("model")
          .flatMap(({ qualifiedName }) => (looked.has(qualifiedName) ? [] : [qualifiedName]));
  const named = (...outcomes: readonly string[]): readonly string[] =>
    skills.filter(({ outcome }) => outcomes.includes(outcome)).map(({ name }) => name);
  return {
    shown: named("shown", "shortened", "name-only"),
    shortened: named("shortened", "name-only"),
    nameOnly: named("name-only"),
    omitted: [...named("omitted"), ...beyond],
    skills,
    hidden: session.snapshot.skills
      .filter(({ state }) => state === "enabled")
      .flatMap((skill) => {
        const reason = session.hiddenFrom(skill, "model");
        return reason === undefined ? [] : [{ name: skill.qualifiedName, reason }];
      }),
  };
}
