import type { Skill, Skills, Snapshot } from "@skillet/core";
import { withheldReason } from "@skillet/scan";
import type { CommandContext } from "../context/command-context.ts";
import { openVetter, toVet } from "../context/open-registry.ts";
import { skillList } from "../ui/skill-list.ts";
import type { ShownVerdict } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, firstLines, hang, listFirst, showPath, wrap } from "../ui/text.ts";

const MAX_SCRIPTS = 5;
const MAX_NAMES = 10;
const MAX_FINDINGS = 3;

/** What a person has to see before saying yes to a project: its skills, what a scan says of them, their scripts, and the names they take. */
export async function presentFolder(
  skills: Skills,
  project: {
    readonly root: string;
    readonly judged: readonly JudgedSkill[];
    readonly taken: readonly TakenName[];
  },
  layout: Layout,
): Promise<string[]> {
  const { judged, taken } = project;
  const held = judged.map(({ skill }) => skill);
  const root = showPath(project.root, layout.environment);
  const scopes = [...new Set(held.map(({ scope }) => scope))];
  const notes = await skillNotes(skills, judged, takenNotes(taken, layout));
  const verdicts = new Map(judged.map((known) => [known.skill, known]));
  const list = skillList(held, { ...layout, long: true, scopes, notes, verdicts, order: "given" });
  const offered = judged.some(({ withheld }) => withheld !== undefined) ? "its other skills" : "these skills";
  const title =
    held.length === 0 ? `${root} holds no skills yet.` : `${root} holds ${count(held.length, "skill")}:`;
  return [
    ...wrap(title, layout),
    "",
    ...(list.length > 0 ? [...list, ""] : []),
    ...wrap(`Trusting the folder offers ${offered} to models and lets its config be read.`, layout),
    ...takenWarning(taken, layout),
  ];
}

function takenNotes(taken: readonly TakenName[], { environment }: Layout): ReadonlyMap<Skill, string> {
  return new Map(
    taken.map(({ taker, owner }) => {
      const place = `the ${owner.scope} skill ${showPath(owner.path, environment)}`;
      return [taker, `takes the name ${owner.name} from ${place}`];
    }),
  );
}

async function skillNotes(
  skills: Skills,
  judged: readonly JudgedSkill[],
  taken: ReadonlyMap<Skill, string>,
): Promise<ReadonlyMap<Skill, readonly string[]>> {
  const notes = new Map<Skill, readonly string[]>();
  for (const { skill, findings, withheld } of judged) {
    const isEdited = await wasEdited(skills, skill);
    const takes = taken.get(skill);
    notes.set(skill, [
      ...findings.slice(0, MAX_FINDINGS),
      // The list itself says it of one that was trusted before.
      ...(withheld === undefined || skill.state === "enabled"
        ? []
        : [`stays withheld when the folder is trusted: ${withheld}`]),
      ...(isEdited ? ["edited since the folder was trusted"] : []),
      ...(takes === undefined ? [] : [takes]),
      ...(await scriptNotes(skills, skill)),
    ]);
  }
  return notes;
}

// Discovery looks at SKILL.md alone; scripts and references count as well.
async function wasEdited(skills: Skills, skill: Skill): Promise<boolean> {
  if (skill.diagnostics.some(({ code }) => code === "changed-since-trust")) return true;
  return (await skills.reader.verifyTrust(skill)).outcome === "changed";
}

async function scriptNotes(skills: Skills, skill: Skill): Promise<readonly string[]> {
  const { resources } = await skills.reader.indexResources(skill);
  const scripts = resources.filter(({ script }) => script !== undefined).map(({ path }) => path);
  if (scripts.length === 0) return [];
  return [`${count(scripts.length, "script")}: ${listFirst(scripts, MAX_SCRIPTS)}`];
}

function takenWarning(taken: readonly TakenName[], layout: Layout): string[] {
  if (taken.length === 0) return [];
  const owned = taken.map(({ owner }) => owner.name);
  const names = listFirst(owned, MAX_NAMES);
  const text =
    taken.length === 1
      ? `The name ${names} would then mean the project's skill; yours keeps a qualified name.`
      : `${taken.length} names would then mean the project's skills: ${names}. Yours keep qualified names.`;
  return hang(text, layout, { indent: 2, lead: `${layout.colours.yellow("!")} ` });
}

export interface JudgedSkill extends ShownVerdict {
  readonly skill: Skill;
  /** The worst findings, each with its rule and place. */
  readonly findings: readonly string[];
}

const WORST_FIRST = ["unknown", "dangerous", "caution", "safe"];

/** Scans the skills of a folder before somebody trusts it, where they are not known yet; the worst come first. */
export async function judgeFolder(
  context: CommandContext,
  skills: Skills,
  held: readonly Skill[],
): Promise<readonly JudgedSkill[]> {
  const vetter = await openVetter(context, skills);
  // All at once, which shows how far it is and keeps what is found for lists and sessions.
  const answers = await vetter.vet(held.map((skill) => toVet(skills, skill)));
  const judged: JudgedSkill[] = [];
  for (const [index, skill] of held.entries()) {
    const { verdict = "unknown", reason } = answers[index] ?? {};
    if (verdict === "safe") {
      judged.push({ skill, verdict, findings: [] });
      continue;
    }
    const inspection = await vetter.inspect(toVet(skills, skill));
    if ("problem" in inspection)
      judged.push({ skill, verdict: "unknown", withheld: inspection.problem, findings: [] });
    else
      judged.push({
        skill,
        verdict,
        ...(inspection.approved && { approved: true }),
        ...(reason !== undefined && {
          withheld: withheldReason({ name: lastingName(skills, skill) }, inspection),
        }),
        findings: inspection.known.findings.map(
          ({ rule, file, line, message }) => `${rule} at ${file}:${line}: ${message}`,
        ),
      });
  }
  return judged.sort((left, right) => rank(left) - rank(right));
}

function rank({ verdict }: JudgedSkill): number {
  return WORST_FIRST.indexOf(verdict);
}

// Trust can move a name from one skill to another, and the command must still be about this one.
function lastingName({ snapshot }: Skills, skill: Skill): string {
  const isShared = snapshot.skills.some((other) => other !== skill && other.name === skill.name);
  return isShared ? skill.path : skill.qualifiedName;
}

/** A name that a skill of a project gets once its folder is trusted, and the skill that has it now. */
export interface TakenName {
  readonly taker: Skill;
  readonly owner: Skill;
}

/** The names that skills of yours lose to skills of a project once it is trusted. */
export function takenNames(snapshot: Snapshot, held: readonly Skill[]): readonly TakenName[] {
  const ranks = new Map(snapshot.roots.map(({ sourceId }, index) => [sourceId, index]));
  const rankOf = (skill: Skill): number => ranks.get(skill.source.id) ?? ranks.size;
  const owners = new Map(
    snapshot.skills
      .filter((skill) => skill.qualifiedName === skill.name && isOfferedElsewhere(skill))
      .map((skill) => [skill.name, skill]),
  );
  const takers = new Map<string, Skill>();
  for (const skill of held) {
    if (skill.state !== "untrusted" || skill.plugin !== undefined) continue;
    const first = takers.get(skill.name);
    if (first === undefined || rankOf(skill) < rankOf(first)) takers.set(skill.name, skill);
  }
  return [...takers].flatMap(([name, taker]) => {
    const owner = owners.get(name);
    return owner !== undefined && rankOf(taker) < rankOf(owner) ? [{ taker, owner }] : [];
  });
}

function isOfferedElsewhere({ scope, state }: Skill): boolean {
  return scope !== "project" && scope !== "claude" && (state === "enabled" || state === "unavailable");
}

const MAX_TOLD = 10;

export function trustQuestion(judged: readonly JudgedSkill[]): string {
  const withheld = judged.filter((skill) => skill.withheld !== undefined).length;
  const offered = judged.filter((skill) => skill.withheld === undefined && skill.verdict !== "safe");
  const approved = offered.filter((skill) => skill.verdict === "dangerous" && skill.approved === true).length;
  const odd = offered.length - approved;
  const were = approved === 1 ? "is dangerous and was" : "are dangerous and were";
  const parts = [
    ...(withheld > 0 ? [`${count(withheld, "skill")} ${withheld === 1 ? "stays" : "stay"} withheld`] : []),
    ...(approved > 0 ? [`${count(approved, "skill")} ${were} approved earlier`] : []),
    ...(odd > 0 ? [`${count(odd, "skill")} ${odd === 1 ? "asks" : "ask"} for caution`] : []),
  ];
  return parts.length === 0 ? "Trust this folder?" : `${parts.join(", ")}. Trust this folder anyway?`;
}

/** Which skills of a folder are not offered though it is trusted, and the command that lets each be. */
export function withheldLines(withheld: readonly JudgedSkill[], layout: Layout): string[] {
  return firstLines(
    withheld,
    MAX_TOLD,
    ({ skill, withheld: reason = "" }) =>
      hang(`${skill.qualifiedName} stays withheld: ${reason}`, layout, {
        ...{ indent: 2, lead: `${layout.colours.yellow("!")} ` },
      }),
    (rest) => `  and ${count(rest, "more skill")}`,
  );
}
