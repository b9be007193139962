import { type Session, type Skill, visibleSkills } from "@skillet/core";

/** Why skills were not searched, in the order that they are told in. */
const CAUSES: readonly string[] = [
  "disabled",
  "unavailable",
  "untrusted",
  "shadowed",
  "withheld",
  "denied",
  "elsewhere",
];

/** How many skills neither a model nor a person can have here, or are bound to other files than these, by cause. */
export function countLeftOut(
  session: Session,
  { files }: { readonly files?: readonly string[] } = {},
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const { skills } = session.snapshot;
  const hidden = files === undefined ? [] : visibleSkills(skills, { files }).hidden;
  const isElsewhere = new Set(hidden.flatMap(({ skill, cause }) => (cause === "paths" ? [skill] : [])));
  for (const skill of skills) {
    const cause = causeOf(skill, session) ?? (isElsewhere.has(skill) ? "elsewhere" : undefined);
    if (cause !== undefined) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return new Map(CAUSES.flatMap((cause) => (counts.has(cause) ? [[cause, counts.get(cause) ?? 0]] : [])));
}

/** The same in words; nothing where all were searched. */
export function leftOutWords(counts: ReadonlyMap<string, number>): string {
  const entries = [...counts];
  if (entries.length === 0) return "";
  const total = entries.reduce((sum, [, number]) => sum + number, 0);
  const parts = entries.map(([cause, number]) => `${number} ${cause}`).join(", ");
  const [[only = ""] = []] = entries;
  const where = entries.length === 1 && STATES.has(only) ? `skillet show --state ${only}` : "skillet show";
  return `Not searched: ${parts}. To see ${total === 1 ? "it" : "them"}: ${where}`;
}

const STATES: ReadonlySet<string> = new Set(["disabled", "unavailable", "untrusted", "shadowed"]);

function causeOf(skill: Skill, session: Session): string | undefined {
  if (session.hiddenFrom(skill, "model") === undefined || session.hiddenFrom(skill, "user") === undefined)
    return undefined;
  if (skill.state !== "enabled") return skill.state;
  return session.vetting(skill)?.outcome === "withhold" ? "withheld" : "denied";
}
