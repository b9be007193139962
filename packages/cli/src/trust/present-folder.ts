import type { Skill, Skills } from "@skillet/core";
import { wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { showPath } from "../ui/show-path.ts";
import { skillList } from "../ui/skill-list.ts";
import { count } from "../ui/skill-state.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { JudgedSkill } from "./judge-folder.ts";
import type { TakenName } from "./taken-names.ts";

const MAX_SCRIPTS = 5;
const MAX_NAMES = 10;
const MAX_FINDINGS = 3;

/** What a person has to see before saying yes to a project: its skills, what a scan says of them, their scripts, and the names they take. */
export async function presentFolder(
  skills: Skills,
  project: {
    readonly root: string;
    /** The worst first. */
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
  return (await skills.verifyTrust(skill)).outcome === "changed";
}

async function scriptNotes(skills: Skills, skill: Skill): Promise<readonly string[]> {
  const { resources } = await skills.resources(skill);
  const scripts = resources.filter(({ script }) => script !== undefined).map(({ path }) => path);
  if (scripts.length === 0) return [];
  return [`${count(scripts.length, "script")}: ${listFirst(scripts, MAX_SCRIPTS)}`];
}

function takenWarning(taken: readonly TakenName[], layout: Layout): string[] {
  if (taken.length === 0) return [];
  const names = listFirst(
    taken.map(({ owner }) => owner.name),
    MAX_NAMES,
  );
  const text =
    taken.length === 1
      ? `The name ${names} would then mean the project's skill; yours keeps a qualified name.`
      : `${taken.length} names would then mean the project's skills: ${names}. Yours keep qualified names.`;
  return wrap(stripControl(text), { width: layout.width - 2 }).map(
    (line, index) => `${index === 0 ? layout.colours.yellow("!") : " "} ${line}`,
  );
}

function listFirst(names: readonly string[], most: number): string {
  const rest = names.length > most ? ` and ${names.length - most} more` : "";
  return `${names.slice(0, most).join(", ")}${rest}`;
}
