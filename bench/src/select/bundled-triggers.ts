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

/** Decides every message of `sets`, one file `NAME.jsonl` a skill, among all skills below `skills`. */
export async function answerTriggers(places: {
  readonly skills: string;
  readonly sets: string;
}): Promise<readonly TriggerAnswer[]> {
  const selector = await openSelector(places.skills);
  return readdirSync(places.sets)
    .filter((file) => file.endsWith(".jsonl"))
    .sort()
    .flatMap((file) => {
      const skill = basename(file, ".jsonl");
      if (!readdirSync(places.skills).includes(skill)) throw new Error(`${file} is for no bundled skill.`);
      return readRows(join(places.sets, file)).map(({ message, expected }): TriggerAnswer => {
        const { activate, suggest } = selector.decide(message);
        const isIn = (list: typeof activate): boolean => list.some((one) => one.skill.name === skill);
        return {
          ...{ skill, message, expected },
          decision: isIn(activate) ? "activate" : isIn(suggest) ? "suggest" : "nothing",
          offered: [...activate, ...suggest]
            .map((one) => `${one.skill.name} ${one.score.toFixed(2)}`)
            .join(", "),
        };
      });
    });
}

/** The product's selector over all skills in a folder, as if every command that they need were there. */
export async function openSelector(folderOfSkills: string): Promise<Selector<Skill>> {
  const bodies = new Map<Skill, string>();
  for (const path of findSkillFiles(folderOfSkills)) {
    const folder = basename(dirname(path));
    const read = readSkill(path, { folder, qualifiedName: folder });
    if (read === undefined) throw new Error(`${path} is not a skill.`);
    // As they are in the product; whether a command is missing on this machine must not change the figures.
    bodies.set({ ...read.skill, scope: "bundled", origin: "builtin" }, read.body);
  }
  return createSelector([...bodies.keys()], { readBody: (skill) => bodies.get(skill) });
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
