import { type ClauseFact, clauseFact, type LinkFact } from "../fact/fact.ts";
import type { FactBook } from "../fact/fact-book.ts";
import { foldText } from "../text/fold-text.ts";
import type { Concept } from "./lexicon.ts";
import { type Meaning, readMeaning } from "./meaning.ts";

export interface Statement {
  readonly clause: ClauseFact;
  readonly meaning: Meaning;
  readonly links: readonly LinkFact[];
}

/** All clauses of a skill in the order of files and places, read once for all rules. */
export function readStatements(facts: FactBook): readonly Statement[] {
  return indexOf(facts).statements;
}

/** Few clauses have any that a rule asks for, so rules look at these and not at all of them. */
export function placesOf(facts: FactBook, concepts: readonly Concept[]): readonly number[] {
  const { statements, byConcept } = indexOf(facts);
  const lists: (readonly number[])[] = [];
  for (const concept of concepts) {
    const list = byConcept.get(concept);
    if (list !== undefined) lists.push(list);
  }
  if (lists.length <= 1) return lists[0] ?? [];
  // Ticked off on a list of all: quicker than to sort them.
  const isWanted = new Uint8Array(statements.length);
  for (const list of lists) for (const place of list) isWanted[place] = 1;
  const places: number[] = [];
  for (let place = isWanted.indexOf(1); place !== -1; place = isWanted.indexOf(1, place + 1))
    places.push(place);
  return places;
}

export function around(
  statements: readonly Statement[],
  index: number,
  { before, after }: { readonly before: number; readonly after: number },
): readonly Statement[] {
  const file = statements[index]?.clause.file;
  return statements
    .slice(Math.max(0, index - before), index + after + 1)
    .filter(({ clause }) => clause.file === file);
}

/** Lets a book that has further facts, but the same clauses and links, use what was read for the first. */
export function shareStatements(from: FactBook, to: FactBook): void {
  KNOWN.set(to, indexOf(from));
}

interface StatementIndex {
  readonly statements: readonly Statement[];
  readonly byConcept: ReadonlyMap<Concept, readonly number[]>;
}

function indexOf(facts: FactBook): StatementIndex {
  let index = KNOWN.get(facts);
  if (index === undefined) {
    const statements = createStatements(facts);
    index = { statements, byConcept: groupByConcept(statements) };
    KNOWN.set(facts, index);
  }
  return index;
}

function groupByConcept(statements: readonly Statement[]): ReadonlyMap<Concept, readonly number[]> {
  const groups = new Map<Concept, number[]>();
  for (let place = 0; place < statements.length; place++)
    for (const concept of (statements[place] as Statement).meaning.marks.keys()) {
      const group = groups.get(concept);
      if (group === undefined) groups.set(concept, [place]);
      else group.push(place);
    }
  return groups;
}

const KNOWN = new WeakMap<FactBook, StatementIndex>();

function createStatements(facts: FactBook): readonly Statement[] {
  const byFile = new Map<string, { clause: ClauseFact; links: LinkFact[] | undefined }[]>();
  const add = (clause: ClauseFact): void => {
    const list = byFile.get(clause.file);
    if (list === undefined) byFile.set(clause.file, [{ clause, links: undefined }]);
    else list.push({ clause, links: undefined });
  };
  for (const clause of facts.of("clause")) add(clause);
  for (const clause of notYetRead(describedClauses(facts), byFile)) add(clause);
  for (const list of byFile.values()) list.sort((left, right) => left.clause.line - right.clause.line);
  for (const link of facts.of("link")) {
    const holder = holderOf(byFile.get(link.file) ?? [], link.line);
    if (holder === undefined) continue;
    if (holder.links === undefined) holder.links = [link];
    else holder.links.push(link);
  }
  return Array.from(byFile.values()).flatMap((list) =>
    list.map(({ clause, links }) => ({
      clause,
      links: links ?? NO_LINKS,
      meaning: readMeaning(clause.text),
    })),
  );
}

const NO_LINKS: readonly LinkFact[] = [];

function notYetRead(
  described: readonly ClauseFact[],
  byFile: ReadonlyMap<string, readonly { readonly clause: ClauseFact }[]>,
): readonly ClauseFact[] {
  const lines = new Map<string, ReadonlySet<number>>();
  return described.filter(({ file, line }) => {
    let read = lines.get(file);
    if (read === undefined) {
      read = new Set(byFile.get(file)?.map(({ clause }) => clause.line));
      lines.set(file, read);
    }
    return !read.has(line);
  });
}

/** What a skill declares of itself is shown to the model before anything else, so it is judged as prose too. */
function describedClauses(facts: FactBook): readonly ClauseFact[] {
  return [
    ...facts
      .of("declaration")
      .flatMap(({ what, value, ...place }) =>
        what === "description" ? [clauseFact(place, foldText(value), -1)] : [],
      ),
    // Invented keys of the frontmatter are read by the model and shown to nobody.
    ...facts
      .of("hidden")
      .flatMap(({ how, text, ...place }) =>
        how === "metadata"
          ? splitSentences(text).map((sentence) => clauseFact(place, foldText(sentence), -1))
          : [],
      ),
  ];
}

function splitSentences(text: string): readonly string[] {
  return text.split(/(?<=[.!?])\s+|[。！？\n]/).filter((sentence) => sentence.trim() !== "");
}

/** The last clause that begins at or before a line: binary search, since there may be many of both. */
function holderOf<Item extends { readonly clause: ClauseFact }>(
  list: readonly Item[],
  line: number,
): Item | undefined {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as Item).clause.line <= line) low = middle + 1;
    else high = middle;
  }
  return list[low - 1];
}
