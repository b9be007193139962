import { hitIf, type LintRule } from "./lint-rule.ts";

/** The shortest cut that clients make of descriptions where many skills are listed. */
const CUT = 60;

const startOf = (description: string): string =>
  description.replace(/\s+/g, " ").trim().toLowerCase().slice(0, CUT);

/** About a skill among the others that an agent reads. */
export const COMPANY_RULES: readonly LintRule[] = [
  {
    id: "description-shared-start",
    severity: "warning",
    reason: `Clients that list many skills cut descriptions, some after ${CUT} characters.`,
    hint: "Begin with what only this skill does.",
    find: ({ manifest: { description }, others }) => {
      const start = startOf(description);
      const same = [...others]
        .filter(([, other]) => startOf(other.description) === start)
        .map(([name]) => name);
      return hitIf(
        start.length === CUT && same.length > 0,
        `The first ${CUT} characters of the description are also those of ${same.slice(0, 3).join(", ")}.`,
        "description",
      );
    },
  },
  {
    id: "skill-collides",
    severity: "warning",
    reason: "Messages that are meant for one of two skills load the other.",
    hint: "Say in each what it is not for; details: skillet eval collisions NAME",
    find: ({ collisions, qualifiedName }) =>
      collisions
        .filter(({ skills }) => skills.includes(qualifiedName))
        .map(({ kind, skills, directions }) => {
          const rivals = skills
            .filter((name) => name !== qualifiedName)
            .slice(0, 3)
            .join(", ");
          const phrase = directions[0]?.phrases[0]?.text;
          const example = phrase === undefined ? "" : `, such as ${JSON.stringify(phrase)}`;
          return {
            message:
              kind === "copy"
                ? `${rivals} has the same text.`
                : `It and ${rivals} take each other's messages${example}.`,
            key: "description",
          };
        }),
  },
];
