import { addTo } from "../word-list.ts";
import { knowWord, type Marks } from "./marks.ts";

/**
 * Compiles named patterns over word classes, to match clauses' marks. `a` must be there, `!a` must not, `a|b`
 * is either, `a>4>b` is `b` within four words after `a`, `a~4~b` within four on either side, `!` before one
 * of these denies it, and `=word` is that word. `+a` has no negation before it; `once` is a single negation
 * (two forbid: `never without asking`); `foreign` is another script, where order says less. Any shape
 * suffices. Only words matched after `unless` are excused: `do not stop the audit, but stop the log` stops a
 * log.
 */
export function readPatterns<Name extends string>(
  table: Readonly<Record<Name, string>>,
): (marks: Marks) => ReadonlySet<Name> {
  const byClass = new Map<string, [name: Name, shape: Shape][]>();
  const guarded = new Map<Name, { readonly shapes: readonly Shape[]; readonly guards: readonly Shape[] }>();
  for (const [name, text] of Object.entries<string>(table) as [Name, string][]) {
    const [shapes = [], guards] = text.split(" unless ").map((part) => part.split(", ").map(readShape));
    if (guards !== undefined) guarded.set(name, { shapes, guards });
    // Few clauses contain what a shape begins with, so only those are checked.
    for (const shape of shapes) for (const one of firstNeeds(shape)) addTo(byClass, one, [name, shape]);
  }
  return (marks) => {
    let found: Set<Name> | undefined;
    for (const one of marks.keys())
      for (const [name, shape] of byClass.get(one) ?? NO_SHAPES)
        if (found?.has(name) !== true && isFilled(shape, marks)) {
          found ??= new Set();
          found.add(name);
        }
    if (found === undefined) return NONE as ReadonlySet<Name>;
    for (const name of found) {
      const { shapes, guards } = guarded.get(name) ?? NO_GUARDS;
      if (!guards.some((guard) => isFilled(guard, marks))) continue;
      const rest = withoutExcused(guards, marks);
      if (!shapes.some((shape) => isFilled(shape, rest))) found.delete(name);
    }
    return found;
  };
}

const NONE: ReadonlySet<string> = new Set();
const NO_GUARDS = { shapes: [], guards: [] };
const NO_SHAPES: readonly [never, Shape][] = [];

type Shape = readonly Term[];

interface Term {
  readonly isAbsent: boolean;
  /** One list of classes for presence, several for a sequence. */
  readonly classes: readonly (readonly string[])[];
  readonly gaps: readonly { readonly words: number; readonly isEitherSide: boolean }[];
}

type Gap = Term["gaps"][number];

function readShape(text: string): Shape {
  for (const [, word = ""] of text.matchAll(/=([^\s|>~]+)/g)) knowWord(word);
  return text
    .trim()
    .split(" ")
    .map((term): Term => {
      const parts = term.replace(/^!/, "").split(/([>~])(\d+)[>~]/);
      const gaps: Gap[] = [];
      for (let at = 1; at + 1 < parts.length; at += 3)
        gaps.push({ words: Number(parts[at + 1]), isEitherSide: parts[at] === "~" });
      return {
        isAbsent: term.startsWith("!"),
        classes: parts.filter((_, at) => at % 3 === 0).map((part) => part.split("|")),
        gaps,
      };
    });
}

function firstNeeds(shape: Shape): readonly string[] {
  const [first] =
    shape.find(({ isAbsent, classes }) => !isAbsent && !classes.flat().some(isRemark))?.classes ?? [];
  return (first ?? []).map((one) => one.replace("+", ""));
}

function isRemark(name: string): boolean {
  return name === "once" || name === "foreign";
}

function isFilled(shape: Shape, marks: Marks): boolean {
  return shape.every((term) => fits(term, marks) !== term.isAbsent);
}

/** The marks without the words that a guard matches; a negation stays, since it may also apply to other words. */
function withoutExcused(guards: readonly Shape[], marks: Marks): Marks {
  const excused = new Set(
    guards.flatMap((guard) => (isFilled(guard, marks) ? guard.flatMap((term) => wordsOf(term, marks)) : [])),
  );
  const left = (name: string, places: readonly number[]): readonly number[] =>
    name === "not" ? places : places.filter((place) => !excused.has(place));
  return new Map(Array.from(marks, ([name, places]) => [name, left(name, places)]));
}

/** The words that a term matches, in every possible way, from one of its lists of classes on. */
function wordsOf(term: Term, marks: Marks, at = 0, before?: number): readonly number[] {
  const gap = term.gaps[at - 1];
  return placesOf(term.classes[at] ?? [], marks).flatMap((place) => {
    if (gap !== undefined && before !== undefined && !isWithin(before, place, gap, marks)) return [];
    if (at === term.gaps.length) return [place];
    const later = wordsOf(term, marks, at + 1, place);
    return later.length === 0 ? [] : [place, ...later];
  });
}

function fits({ classes, gaps }: Term, marks: Marks): boolean {
  let reached = placesOf(classes[0] ?? [], marks);
  for (let at = 0; at < gaps.length && reached.length > 0; at++) {
    const from = reached;
    reached = placesOf(classes[at + 1] ?? [], marks).filter((right) =>
      from.some((left) => isWithin(left, right, gaps[at] as Gap, marks)),
    );
  }
  return reached.length > 0;
}

function isWithin(left: number, right: number, { words, isEitherSide }: Gap, marks: Marks): boolean {
  // Chinese, Japanese and Korean are split by character.
  const stretch = marks.has("foreign") ? 2 : 1;
  const distance = isEitherSide ? Math.abs(right - left) : right - left;
  return distance > 0 && distance <= words * stretch;
}

function placesOf(classes: readonly string[], marks: Marks): readonly number[] {
  if (classes.length === 1) return placesOfClass(classes[0] ?? "", marks);
  return classes.flatMap((one) => placesOfClass(one, marks));
}

function placesOfClass(name: string, marks: Marks): readonly number[] {
  if (name === "once") return marks.get("not")?.length === 1 ? HERE : NOWHERE;
  if (!name.startsWith("+")) return marks.get(name) ?? NOWHERE;
  const negations = marks.get("not");
  const places = marks.get(name.slice(1)) ?? NOWHERE;
  if (negations === undefined) return places;
  const isForeign = marks.has("foreign");
  return places.filter(
    (place) =>
      !negations.some(
        (negation) =>
          (negation < place && place - negation <= WORDS_BEFORE) ||
          // German, Japanese and Korean put the negation after the verb.
          (negation > place && negation - place <= (isForeign ? 3 : 0)),
      ),
  );
}

const WORDS_BEFORE = 4;
const HERE: readonly number[] = [0];
const NOWHERE: readonly number[] = [];
