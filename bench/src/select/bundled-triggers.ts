import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createSelector, type Selector, type Skill } from "./product.ts";
import { findSkillFiles, readSkill } from "./trigger-set.ts";

/** A message of one skill's set, and what was decided about that skill among all bundled ones. */
export interface TriggerAnswer {
  readonly skill: string;
  readonly message: string;
  readonly expected: boolean;
  readonly decision: "activate" | "suggest" | "nothing";
  /** All that was offered, the likeliest first. */
  readonly offered: string;
}

/** Of its own sets a skill learns from all but one part, and is asked about that. */
const FOLDS = 5;

/**
 * Decides messages among all skills below `skills`, which learn from their own sets as they do in the product.
 *
 * With `sets`, one file `NAME.jsonl` a skill, those; else the messages of the skills' own sets, none of which the selector
 * that decides it has seen.
 */
export async function answerTriggers(places: {
  readonly skills: string;
  readonly sets?: string | undefined;
}): Promise<readonly TriggerAnswer[]> {
  const { skills, sets } = places;
  const own = readOwnSets(skills);
  if (sets === undefined) {
    const answers = Array.from({ length: FOLDS }, async (_, fold) => {
      const isAsked = (_row: SkillRow, place: number): boolean => place % FOLDS === fold;
      const taught = own.filter((row, place) => !isAsked(row, place));
      return answerAll(await openSelector(skills, taught), own.filter(isAsked));
    });
    return (await Promise.all(answers)).flat();
  }
  const files = readdirSync(sets).filter((file) => file.endsWith(".jsonl"));
  const rows = files.sort().flatMap((file) => {
    const skill = basename(file, ".jsonl");
    if (!readdirSync(skills).includes(skill)) throw new Error(`${file} is for no bundled skill.`);
    return readRows(join(sets, file)).map((row) => ({ ...row, skill }));
  });
  return answerAll(await openSelector(skills, own), rows);
}

function answerAll(selector: Selector<Skill>, rows: readonly SkillRow[]): readonly TriggerAnswer[] {
  return rows.map(({ skill, message, expected }): TriggerAnswer => {
    const { activate, suggest } = selector.decide(message);
    const isIn = (list: typeof activate): boolean => list.some((one) => one.skill.name === skill);
    return {
      skill,
      message,
      expected,
      decision: isIn(activate) ? "activate" : isIn(suggest) ? "suggest" : "nothing",
      offered: [...activate, ...suggest].map((one) => `${one.skill.name} ${one.score.toFixed(2)}`).join(", "),
    };
  });
}

/** The product's selector over all skills in a folder, as if every command that they need were there. */
export async function openSelector(
  folderOfSkills: string,
  taught: readonly SkillRow[] = readOwnSets(folderOfSkills),
): Promise<Selector<Skill>> {
  const bodies = new Map<Skill, string>();
  for (const path of findSkillFiles(folderOfSkills)) {
    const folder = basename(dirname(path));
    const read = readSkill(path, { folder, qualifiedName: folder });
    if (read === undefined) throw new Error(`${path} is not a skill.`);
    // As they are in the product; whether a command is missing on this machine must not change the figures.
    bodies.set({ ...read.skill, scope: "bundled", origin: "builtin" }, read.body);
  }
  const examples = new Map(
    [...new Set(taught.map(({ skill }) => skill))].map((name) => [
      name,
      taught
        .filter(({ skill }) => skill === name)
        .map(({ message, expected }) => ({ message, shouldTrigger: expected })),
    ]),
  );
  return createSelector([...bodies.keys()], { readBody: (skill) => bodies.get(skill), examples });
}

/** The sets that skills come with. */
function readOwnSets(folderOfSkills: string): readonly SkillRow[] {
  return readdirSync(folderOfSkills)
    .sort()
    .flatMap((skill) =>
      readRows(join(folderOfSkills, skill, "evals/triggers.jsonl")).map((row) => ({ ...row, skill })),
    );
}

interface SkillRow extends Row {
  readonly skill: string;
}

interface Row {
  readonly message: string;
  readonly expected: boolean;
}

function readRows(file: string): readonly Row[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const { message, expected } = JSON.parse(line) as Partial<Row>;
      if (typeof message !== "string" || typeof expected !== "boolean")
        throw new Error(`${file} has a row without "message" or "expected": ${line}`);
      return { message, expected };
    });
}

/** Of the calls, the share that was right; of what should have called the skill, the share that did. */
export interface TriggerFigures {
  readonly precision: number;
  readonly recall: number;
}

/** NaN where there is nothing to divide by: no call, or no message that should call. */
export function figuresOf(answers: readonly TriggerAnswer[], at: "activate" | "suggest"): TriggerFigures {
  const called = answers.filter(({ decision }) => decision === "activate" || decision === at);
  const right = called.filter(({ expected }) => expected).length;
  return {
    precision: right / called.length,
    recall: right / answers.filter(({ expected }) => expected).length,
  };
}
