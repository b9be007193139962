import MiniSearch from "minisearch";
import type { Outcome } from "./evaluate.ts";
import type { SetSkill, TriggerSet } from "./trigger-set.ts";

const MAX_BODY_CHARACTERS = 16_000;
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

/** No model is asked about these. */
export const NOT_ASKED = { top: [], topProbability: 0 } as const;

/** Scores a message's skills, by their places. */
type Scorer = (message: string) => ReadonlyMap<number, number>;

/** What plain searching over all text reaches on the same messages; scores stand for probabilities. */
export function measureBaselines(
  set: TriggerSet,
): Readonly<Record<"bm25" | "minisearch", readonly Outcome[]>> {
  const places = new Map(set.skills.map(({ skill }, place) => [skill.qualifiedName, place]));
  const measure = (score: Scorer): readonly Outcome[] =>
    set.queries.map((query) => {
      const scores = score(query.text);
      const own = scores.get(places.get(query.skill) ?? -1) ?? 0;
      const better = [...scores.values()].filter((other) => other > own).length;
      return {
        query,
        rank: own === 0 ? Number.POSITIVE_INFINITY : better + 1,
        probability: own,
        ...NOT_ASKED,
      };
    });
  return { bm25: measure(plainBm25(set.skills)), minisearch: measure(miniSearch(set.skills)) };
}

function plainBm25(skills: readonly SetSkill[]): Scorer {
  const documents = skills.map(({ skill, body }) => {
    const { description, whenToUse = "" } = skill.manifest;
    return countWords(`${skill.name} ${description} ${whenToUse} ${body.slice(0, MAX_BODY_CHARACTERS)}`);
  });
  const lengths = documents.map((words) => [...words.values()].reduce((sum, count) => sum + count, 0));
  const usual = lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1);
  const postings = new Map<string, [number, number][]>();
  documents.forEach((words, place) => {
    for (const [word, count] of words) {
      const list = postings.get(word);
      if (list === undefined) postings.set(word, [[place, count]]);
      else list.push([place, count]);
    }
  });
  return (message) => {
    const scores = new Map<number, number>();
    for (const word of countWords(message).keys()) {
      const list = postings.get(word) ?? [];
      const rarity = Math.log(1 + (skills.length - list.length + 0.5) / (list.length + 0.5));
      for (const [place, count] of list) {
        const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * (lengths[place] ?? 0)) / usual);
        const score = (rarity * count * (SATURATION + 1)) / (count + norm);
        scores.set(place, (scores.get(place) ?? 0) + score);
      }
    }
    return scores;
  };
}

function countWords(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

function miniSearch(skills: readonly SetSkill[]): Scorer {
  const search = new MiniSearch({
    fields: ["name", "description", "body"],
    searchOptions: { boost: { name: 2 } },
  });
  search.addAll(
    skills.map(({ skill, body }, id) => ({
      id,
      name: skill.name.replace(/[-_]/g, " "),
      description: skill.manifest.description,
      body: body.slice(0, MAX_BODY_CHARACTERS),
    })),
  );
  return (message) => new Map(search.search(message).map(({ id, score }) => [id as number, score]));
}
