import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "./evaluate.ts";
import {
  applyChoice,
  choicePrompt,
  isUnsure,
  type ModelPrompt,
  readChoice,
  readSamples,
  samplePrompt,
} from "./product.ts";
import type { SetSkill, TriggerSet } from "./trigger-set.ts";

/** So many prompts stand in one file, for whoever answers them. */
const ROWS_PER_FILE = 25;

/** So many of the skills that most often stand before the wanted ones get sample messages as those do. */
const RIVALS = 145;

const CHARACTERS_PER_TOKEN = 4;

/** So many messages are put to a model, of each style its share. */
const SAMPLED = 300;

/**
 * Writes the prompts as files of rows { id, system, user }; answers are files of rows { id, answer } in a folder of that name.
 *
 * A prompt goes by its own text, and they stand in that order: neither tells which skill or which kind of message it is about.
 */
export function writePrompts(folder: string, prompts: ReadonlyMap<string, ModelPrompt>): string {
  mkdirSync(folder, { recursive: true });
  const rows = [...prompts.values()]
    .map((prompt) => ({ id: idOf(prompt), ...prompt }))
    .sort((left, right) => (left.id < right.id ? -1 : 1))
    .map(({ id, system, user }) => JSON.stringify({ id, system, user }));
  for (let start = 0; start < rows.length; start += ROWS_PER_FILE) {
    const name = String(start / ROWS_PER_FILE + 1).padStart(3, "0");
    writeFileSync(join(folder, `${name}.jsonl`), `${rows.slice(start, start + ROWS_PER_FILE).join("\n")}\n`);
  }
  const tokens =
    rows.reduce((sum, { length }) => sum + length, 0) / CHARACTERS_PER_TOKEN / (rows.length || 1);
  return `${rows.length} prompts in ${folder}, about ${Math.round(tokens)} tokens each`;
}

function idOf({ system, user }: Pick<ModelPrompt, "system" | "user">): string {
  return createHash("sha256").update(`${system}\n${user}`).digest("hex").slice(0, 12);
}

/** The messages that a model is asked about: of each style the same share, whatever is made of them. */
export function sampleMessages({ queries }: TriggerSet): ReadonlySet<string> {
  const byStyle = new Map<string, string[]>();
  for (const { id, style, shouldTrigger } of queries) {
    const kind = `${style} ${shouldTrigger}`;
    byStyle.set(kind, [...(byStyle.get(kind) ?? []), id]);
  }
  const order = (id: string): string => idOf({ system: "", user: id });
  return new Set(
    [...byStyle.values()].flatMap((ids) =>
      ids
        .toSorted((left, right) => (order(left) < order(right) ? -1 : 1))
        .slice(0, Math.round((ids.length * SAMPLED) / queries.length)),
    ),
  );
}

/** The texts of the answers in a folder, by id. */
export function readAnswers(folder: string): ReadonlyMap<string, string> {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".jsonl")) : [];
  const lines = files.flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"));
  return new Map(
    lines
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const { id, answer } = JSON.parse(line) as { readonly id: unknown; readonly answer: unknown };
        return [String(id), typeof answer === "string" ? answer : JSON.stringify(answer)];
      }),
  );
}

/** The skills that messages are about, and the others that are taken for them most often: both have samples, or neither. */
export function samplePrompts(
  set: TriggerSet,
  outcomes: readonly Outcome[],
): ReadonlyMap<string, ModelPrompt> {
  const wanted = new Set(set.queries.map(({ skill }) => skill));
  const before = new Map<string, number>();
  for (const { query, top } of outcomes.filter((one) => one.query.shouldTrigger))
    for (const [place, name] of top.entries()) {
      if (name === query.skill) break;
      before.set(name, (before.get(name) ?? 0) + 1 / (place + 1));
    }
  const rivals = [...before].filter(([name]) => !wanted.has(name)).sort((left, right) => right[1] - left[1]);
  const chosen = new Set([...wanted, ...rivals.slice(0, RIVALS).map(([name]) => name)]);
  return new Map(
    set.skills.flatMap(({ skill, body }) =>
      chosen.has(skill.qualifiedName) ? [[skill.qualifiedName, samplePrompt(skill, body)]] : [],
    ),
  );
}

/** By qualified name: the sample messages that answers give, as the product reads them. */
export function samplesFrom(
  set: TriggerSet,
  answers: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly string[]> {
  const otherNames = set.skills.map(({ skill }) => skill.name);
  return new Map(
    set.skills.flatMap(({ skill, body }) => {
      const answer = answers.get(idOf(samplePrompt(skill, body)));
      return answer === undefined
        ? []
        : [[skill.qualifiedName, readSamples(answer, { skill, body, otherNames })]];
    }),
  );
}

/** What a model is asked about those of the sampled messages that the ranking is unsure of. */
export function choicePrompts(
  set: TriggerSet,
  outcomes: readonly Outcome[],
): ReadonlyMap<string, ModelPrompt> {
  const skillOf = skillsByName(set);
  const sampled = sampleMessages(set);
  return new Map(
    outcomes
      .filter(({ query, topProbability }) => sampled.has(query.id) && isUnsure([{ score: topProbability }]))
      .map(({ query, top }) => [
        query.id,
        choicePrompt(
          query.text,
          top.flatMap((name) => skillOf.get(name)?.skill ?? []),
        ),
      ]),
  );
}

/** What becomes of messages with the choices of a model; those without one stay as they are. */
export function applyChoices(
  set: TriggerSet,
  outcomes: readonly Outcome[],
  answers: ReadonlyMap<string, string>,
): readonly Outcome[] {
  const skillOf = skillsByName(set);
  return outcomes.map((outcome) => {
    const { query, top, rank, probability, topProbability } = outcome;
    const asked = top.flatMap((name) => skillOf.get(name) ?? []).map(({ skill }) => skill);
    const choice = isUnsure([{ score: topProbability }])
      ? readChoice(answers.get(idOf(choicePrompt(query.text, asked))), asked.length)
      : undefined;
    if (choice === undefined) return outcome;
    const ranked = asked.map((skill) => ({
      skill,
      score: skill.qualifiedName === query.skill ? probability : 0,
      reasons: [],
    }));
    const after = applyChoice(ranked, choice, "a model");
    const place = after.findIndex(({ skill }) => skill.qualifiedName === query.skill);
    return place < 0
      ? { ...outcome, rank: choice === 0 ? rank : rank + 1, probability: probability * UNLISTED }
      : { ...outcome, rank: place + 1, probability: after[place]?.score ?? 0 };
  });
}

/** As for one that was passed over. */
const UNLISTED = 0.4;

function skillsByName({ skills }: TriggerSet): ReadonlyMap<string, SetSkill> {
  return new Map(skills.map((one) => [one.skill.qualifiedName, one]));
}
