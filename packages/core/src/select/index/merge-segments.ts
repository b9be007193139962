import { MAX_SEGMENT_SKILLS, packGrams, packTerms, readClauses, type Segment, termText } from "./segment.ts";
import { livingHeaders } from "./skill-index.ts";

/**
 * Makes one segment of several, without the skills that are gone; nothing is read again.
 *
 * The caller sees to it that no more skills are left than a segment holds.
 */
export function mergeSegments(segments: readonly Segment[], isAlive: (key: string) => boolean): Segment {
  const terms = new MergedTerms();
  const sources = segments.map((segment, place) => {
    const before = segments
      .slice(0, place)
      .reduce((sum, { keys }) => sum + keys.filter((key) => isAlive(key)).length, 0);
    return placeSkills(segment, before, isAlive);
  });
  const keys = sources.flatMap(({ segment: { keys: own }, places }) =>
    own.filter((_, skill) => isPlaced(places, skill)),
  );
  if (keys.length > MAX_SEGMENT_SKILLS)
    throw new RangeError(`${keys.length} skills do not fit into one segment of ${MAX_SEGMENT_SKILLS}.`);
  const numbers = sources.map((source) => terms.add(source));
  const headerCounts = countHeaders(sources, numbers, terms.texts.length);
  return {
    keys,
    patterns: sources.flatMap(({ segment: { patterns }, places }) =>
      patterns
        .filter(({ skill }) => isPlaced(places, skill))
        .map(({ skill, source }) => ({ skill: places[skill] as number, source })),
    ),
    ...packTerms(terms.texts),
    headerCounts,
    ...mergePostings(sources, numbers, terms.texts.length),
    ...mergeClauses(sources, numbers),
    ...packGrams(terms.texts, headerCounts),
  };
}

/** A segment and its skills' new numbers; -1 for those that are gone. */
interface Source {
  readonly segment: Segment;
  readonly places: Int32Array;
}

function placeSkills(segment: Segment, first: number, isAlive: (key: string) => boolean): Source {
  let next = first;
  const places = Int32Array.from(segment.keys, (key) => {
    if (!isAlive(key)) return -1;
    next += 1;
    return next - 1;
  });
  return { segment, places };
}

function isPlaced(places: Int32Array, skill: number): boolean {
  return (places[skill] as number) >= 0;
}

/** The terms that are left, numbered anew; a word of skills that are gone is gone with them. */
class MergedTerms {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** By term of a segment: its new number, -1 where no skill that is left has it. */
  add(source: Source): Int32Array {
    return Int32Array.from(findUsed(source), (isUsed, term) => {
      if (isUsed === 0) return -1;
      const text = termText(source.segment, term);
      const known = this.#numbers.get(text);
      if (known !== undefined) return known;
      this.#numbers.set(text, this.texts.length);
      this.texts.push(text);
      return this.texts.length - 1;
    });
  }
}

/** By term: 1 where a skill that is left has it; what a skill is not for is in its clauses alone. */
function findUsed({ segment, places }: Source): Uint8Array {
  const { postingStarts, postingSkills, clauseTerms } = segment;
  const used = Uint8Array.from(segment.headerCounts, (_, term) => {
    const own = postingSkills.subarray(postingStarts[term], postingStarts[term + 1]);
    return own.some((skill) => isPlaced(places, skill)) ? 1 : 0;
  });
  for (let skill = 0; skill < places.length; skill += 1) {
    if (!isPlaced(places, skill)) continue;
    for (const { start, end } of readClauses(segment, skill))
      for (const term of clauseTerms.subarray(start, end)) used[term] = 1;
  }
  return used;
}

/** What the headers of skills that are gone had is taken off. */
function countHeaders(sources: readonly Source[], numbers: readonly Int32Array[], size: number): Uint32Array {
  const counts = new Uint32Array(size);
  sources.forEach(({ segment, places }, at) => {
    livingHeaders(segment, (skill) => isPlaced(places, skill)).forEach((count, term) => {
      const number = numbers[at]?.[term] ?? -1;
      if (number >= 0) counts[number] = (counts[number] as number) + count;
    });
  });
  return counts;
}

function mergePostings(
  sources: readonly Source[],
  numbers: readonly Int32Array[],
  size: number,
): Pick<Segment, "postingStarts" | "postingSkills" | "postingWeights"> {
  const visit = (use: (number: number, place: number, weight: number) => void): void => {
    sources.forEach(({ segment, places }, at) => {
      const { postingStarts, postingSkills, postingWeights } = segment;
      for (let term = 0; term + 1 < postingStarts.length; term += 1) {
        const number = numbers[at]?.[term] ?? -1;
        if (number < 0) continue;
        for (
          let index = postingStarts[term] as number;
          index < (postingStarts[term + 1] as number);
          index += 1
        ) {
          const place = places[postingSkills[index] as number] as number;
          if (place >= 0) use(number, place, postingWeights[index] as number);
        }
      }
    });
  };
  const postingStarts = new Uint32Array(size + 1);
  visit((number) => {
    postingStarts[number + 1] = (postingStarts[number + 1] as number) + 1;
  });
  for (let term = 0; term < size; term += 1)
    postingStarts[term + 1] = (postingStarts[term + 1] as number) + (postingStarts[term] as number);
  const next = postingStarts.slice();
  const postingSkills = new Uint16Array(postingStarts[size] as number);
  const postingWeights = new Uint8Array(postingStarts[size] as number);
  // Segment after segment, each ascending: so are the skills of a term.
  visit((number, place, weight) => {
    const at = next[number] as number;
    next[number] = at + 1;
    postingSkills[at] = place;
    postingWeights[at] = weight;
  });
  return { postingStarts, postingSkills, postingWeights };
}

function mergeClauses(
  sources: readonly Source[],
  numbers: readonly Int32Array[],
): Pick<Segment, "clauseStarts" | "clauseTerms"> {
  const clauseStarts: number[] = [0];
  const total = sources.reduce((sum, { segment }) => sum + segment.clauseTerms.length, 0);
  const clauseTerms = new Uint32Array(total);
  let length = 0;
  sources.forEach(({ segment, places }, at) => {
    for (let skill = 0; skill < places.length; skill += 1) {
      if (!isPlaced(places, skill)) continue;
      for (const { head, start, end } of readClauses(segment, skill)) {
        clauseTerms[length] = head;
        length += 1;
        for (let index = start; index < end; index += 1) {
          clauseTerms[length] = numbers[at]?.[segment.clauseTerms[index] as number] ?? 0;
          length += 1;
        }
      }
      clauseStarts.push(length);
    }
  });
  return { clauseStarts: Uint32Array.from(clauseStarts), clauseTerms: clauseTerms.slice(0, length) };
}

/** Every segment costs every message a look-up of all its terms; with more than these, the small ones become one. */
const MAX_SEGMENTS = 4;
const SMALL_SEGMENT_SKILLS = MAX_SEGMENT_SKILLS / 2;

/** With more than this gone, a segment is written anew without them. */
const MAX_DEAD_SHARE = 0.25;

/** Puts small segments together where many have piled up, and leaves out skills that are gone where those are many. */
export function compactSegments(
  segments: readonly Segment[],
  isAlive: (key: string) => boolean,
): readonly Segment[] {
  const sizes = new Map(segments.map((segment) => [segment, segment.keys.filter(isAlive).length]));
  const sizeOf = (segment: Segment): number => sizes.get(segment) ?? 0;
  const isMany = segments.length > MAX_SEGMENTS;
  const isLoose = (segment: Segment): boolean =>
    segment.keys.length - sizeOf(segment) > segment.keys.length * MAX_DEAD_SHARE ||
    (isMany && sizeOf(segment) < SMALL_SEGMENT_SKILLS);
  const loose = segments.filter(isLoose);
  if (loose.length === 0) return segments;
  const firm = segments.filter((segment) => !loose.includes(segment));
  return [...firm, ...groupBySize(loose, sizeOf).map((group) => mergeSegments(group, isAlive))];
}

/** In order, as many to a group as one segment holds; nothing of what is gone altogether. */
function groupBySize(
  segments: readonly Segment[],
  sizeOf: (segment: Segment) => number,
): readonly (readonly Segment[])[] {
  const groups: Segment[][] = [];
  let room = 0;
  for (const segment of segments) {
    const size = sizeOf(segment);
    if (size === 0) continue;
    if (size > room) {
      groups.push([]);
      room = MAX_SEGMENT_SKILLS;
    }
    groups.at(-1)?.push(segment);
    room -= size;
  }
  return groups;
}
