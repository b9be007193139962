import { knowWord, type Marks } from "./marks.ts";

/** A set of patterns by name, to be held against the marks of clauses. */
export interface Patterns<Name extends string> {
  readonly find: (marks: Marks) => ReadonlySet<Name>;
}

/**
 * Reads patterns over classes of words. `a` is there, `!a` is not, `a|b` is either, `a>4>b` follows within four words,
 * `a~4~b` stands within four words on either side, and `!` before either says that it does not; `=word` is that word.
 * `+a` is one that no negation stands before; `once` is a single negation, since two of them forbid (`never without
 * asking`); `foreign` is another script, where order tells less. Any one of several shapes suffices, `unless` one of those
 * that follow fits too.
 */
export function readPatterns<Name extends string>(table: Readonly<Record<Name, string>>): Patterns<Name> {
  const byClass = new Map<string, [name: Name, shape: Shape][]>();
  const guards = new Map<Name, readonly Shape[]>();
  for (const [name, text] of Object.entries<string>(table) as [Name, string][]) {
    const [shapes = "", guard] = text.split(" unless ");
    if (guard !== undefined) guards.set(name, guard.split(", ").map(readShape));
    // Few clauses have what a shape begins with, so the others are not looked at.
    for (const shape of shapes.split(", ").map(readShape))
      for (const one of firstNeeds(shape)) byClass.set(one, [...(byClass.get(one) ?? []), [name, shape]]);
  }
  return {
    find: (marks) => {
      let found: Set<Name> | undefined;
      for (const one of marks.keys())
        for (const [name, shape] of byClass.get(one) ?? NO_SHAPES)
          if (found?.has(name) !== true && isFilled(shape, marks)) {
            found ??= new Set();
            found.add(name);
          }
      if (found === undefined) return NONE as ReadonlySet<Name>;
      for (const name of found)
        if (guards.get(name)?.some((shape) => isFilled(shape, marks)) === true) found.delete(name);
      return found;
    },
  };
}

const NONE: ReadonlySet<string> = new Set();
const NO_SHAPES: readonly [never, Shape][] = [];

type Shape = readonly Term[];

interface Term {
  readonly isAbsent: boolean;
  /** One list of classes for what is there, several for what follows each other. */
  readonly classes: readonly (readonly string[])[];
  readonly gaps: readonly { readonly words: number; readonly isEitherSide: boolean }[];
}

function readShape(text: string): Shape {
  for (const [, word = ""] of text.matchAll(/=([^\s|>~]+)/g)) knowWord(word);
  return text
    .trim()
    .split(" ")
    .map((term): Term => {
      const parts = term.replace(/^!/, "").split(/([>~])(\d+)[>~]/);
      const gaps: Term["gaps"][number][] = [];
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

function fits({ classes, gaps }: Term, marks: Marks): boolean {
  // Chinese, Japanese and Korean come by character.
  const stretch = marks.has("foreign") ? 2 : 1;
  let reached = placesOf(classes[0] ?? [], marks);
  for (let at = 0; at < gaps.length && reached.length > 0; at++) {
    const { words, isEitherSide } = gaps[at] as Term["gaps"][number];
    const from = reached;
    reached = placesOf(classes[at + 1] ?? [], marks).filter((right) =>
      from.some((left) => {
        const distance = isEitherSide ? Math.abs(right - left) : right - left;
        return distance > 0 && distance <= words * stretch;
      }),
    );
  }
  return reached.length > 0;
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
          // German, Japanese and Korean deny after the verb.
          (negation > place && negation - place <= (isForeign ? 3 : 0)),
      ),
  );
}

const WORDS_BEFORE = 4;
const HERE: readonly number[] = [0];
const NOWHERE: readonly number[] = [];
