import type { FactPlace } from "../fact/fact.ts";
import type { FactBook } from "../fact/fact-book.ts";

/** What stands at a place and in the clauses right around it, in lower case: where somebody says how it is to be done. */
export function placeText(facts: FactBook, place: FactPlace): string {
  const clauses = indexOf(facts);
  const near = [place.line - 1, place.line, place.line + 1].flatMap(
    (line) => clauses.get(`${place.file}\0${line}`) ?? [],
  );
  return [place.snippet, ...near].join("\n").toLowerCase();
}

const INDEXES = new WeakMap<FactBook, ReadonlyMap<string, readonly string[]>>();
const MAX_CLAUSES_A_LINE = 10;

function indexOf(facts: FactBook): ReadonlyMap<string, readonly string[]> {
  const known = INDEXES.get(facts);
  if (known !== undefined) return known;
  const index = new Map<string, string[]>();
  for (const { file, line, text } of facts.of("clause")) {
    const key = `${file}\0${line}`;
    const list = index.get(key);
    if (list === undefined) index.set(key, [text]);
    else if (list.length < MAX_CLAUSES_A_LINE) list.push(text);
  }
  INDEXES.set(facts, index);
  return index;
}
