import MiniSearch from "minisearch";
import { type RankMetrics, rankMetrics } from "./metrics.ts";
import type { SetSkill, TriggerSet } from "./trigger-set.ts";

const MAX_BODY_CHARACTERS = 16_000;
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

/** Ranks a message's skills: their places, the best first. */
type Ranker = (message: string) => readonly number[];

/** What plain searching reaches on the same messages: BM25 over everything, over name and description, and minisearch. */
export function measureBaselines(set: TriggerSet): Readonly<Record<string, RankMetrics>> {
  const places = new Map(set.skills.map(({ skill }, place) => [skill.qualifiedName, place]));
  const wanted = set.queries.filter(({ shouldTrigger }) => shouldTrigger);
  const measure = (rank: Ranker): RankMetrics =>
    rankMetrics(
      wanted.map(({ text, skill }) => {
        const found = rank(text).indexOf(places.get(skill) ?? -1);
        return found < 0 ? Number.POSITIVE_INFINITY : found + 1;
      }),
    );
  return {
    bm25: measure(
      plainBm25(set.skills.map((one) => `${headerOf(one)} ${one.body.slice(0, MAX_BODY_CHARACTERS)}`)),
    ),
    nameAndDescription: measure(plainBm25(set.skills.map(headerOf))),
    minisearch: measure(miniSearch(set.skills, ["name", "description"])),
    minisearchWithBody: measure(miniSearch(set.skills, ["name", "description", "body"])),
  };
}

function headerOf({ skill }: SetSkill): string {
  return `${skill.name} ${skill.manifest.description} ${skill.manifest.whenToUse ?? ""}`;
}

function plainBm25(texts: readonly string[]): Ranker {
  const documents = texts.map((text) => countWords(text));
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
      const rarity = Math.log(1 + (texts.length - list.length + 0.5) / (list.length + 0.5));
      for (const [place, count] of list) {
        const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * (lengths[place] ?? 0)) / usual);
        const score = (rarity * count * (SATURATION + 1)) / (count + norm);
        scores.set(place, (scores.get(place) ?? 0) + score);
      }
    }
    return [...scores]
      .sort((left, right) => right[1] - left[1] || left[0] - right[0])
      .map(([place]) => place);
  };
}

function countWords(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

function miniSearch(skills: readonly SetSkill[], fields: string[]): Ranker {
  const search = new MiniSearch({ fields, searchOptions: { boost: { name: 2 } } });
  search.addAll(
    skills.map(({ skill, body }, id) => ({
      id,
      name: skill.name.replace(/[-_]/g, " "),
      description: skill.manifest.description,
      body: body.slice(0, MAX_BODY_CHARACTERS),
    })),
  );
  return (message) => search.search(message).map(({ id }) => id as number);
}
