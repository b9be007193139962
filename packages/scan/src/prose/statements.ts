import type { ClauseFact, FactBook, LinkFact } from "../fact/fact.ts";
import { hostOf, registeredDomain } from "../host/classify-host.ts";
import type { Medium } from "../text/source-text.ts";
import { addTo, remembered, wordSet, words } from "../word-list.ts";
import { type FrameName, readFrames } from "./frames.ts";
import { type Marks, readMarks, readTokens } from "./marks.ts";

export interface Statement {
  readonly clause: ClauseFact;
  readonly tokens: readonly string[];
  readonly marks: Marks;
  readonly frames: ReadonlySet<FrameName>;
  readonly links: readonly LinkFact[];
}

/** All clauses of a skill in the order of files and places, parsed once for all rules. */
export function readStatements(facts: FactBook): readonly Statement[] {
  return remembered(KNOWN, facts, createStatements);
}

/** Lets a book with more facts, but the same clauses and links, reuse the first book's statements. */
export function shareStatements(from: FactBook, to: FactBook): void {
  KNOWN.set(to, readStatements(from));
}

const KNOWN = new WeakMap<FactBook, readonly Statement[]>();

export function readStatement(clause: ClauseFact, links: readonly LinkFact[]): Statement {
  // `~/.ssh/id_rsa.pub` is made to be given away; `~/.ssh/id_rsa.pub/../id_rsa` is not such a path.
  const text = clause.text.includes(".pub") ? clause.text.replace(PUBLIC_KEY, " ") : clause.text;
  const tokens = readTokens(text);
  const marks = readMarks(text, tokens);
  const all = links.some(isOpenPicture) ? new Map([...marks, ["openPicture", [tokens.length]]]) : marks;
  return { clause, tokens, marks: all, frames: readFrames(all), links };
}

export function framesOf(text: string): ReadonlySet<FrameName> {
  return readFrames(readMarks(text, readTokens(text)));
}

/** Whether a picture's address has a query to be filled in: `?c=CONVERSATION`, `?d=...`. */
function isOpenPicture({ role, url }: LinkFact): boolean {
  return role === "image" && OPEN_QUERY.test(url);
}

const OPEN_QUERY = /[?&][\w.-]{1,40}=(?:[A-Z][A-Z_]{2,40}|\.{3}|…|[<{[%][^&]{0,80})?(?:&|$)/;
const PUBLIC_KEY = /(?<![\w./~$-])[\w./~$-]{1,200}\.pub(?![\w/]|\.[\w/])/g;

/** A statement and its neighbours in the same file, at most the given number of clauses away. */
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

export function isSameSection(left: Statement, right: Statement): boolean {
  const [mine, theirs] = [left.clause.section, right.clause.section];
  return mine === theirs || (mine.length === theirs.length && mine.every((one, at) => one === theirs[at]));
}

/**
 * Whether a clause says what something does instead of what to do: `scripts that read …`, `sends … away`. A
 * list of what to look for is made of such clauses, and following them does no harm.
 */
export function describesOthers(statement: Statement, following: readonly Statement[]): boolean {
  const { clause, frames } = statement;
  if (frames.has("standing") || STEP.test(clause.text)) return false;
  if (following.some((one) => isSameSection(one, statement) && addressOf(one) !== undefined)) return false;
  const said = clause.text.replace(LABEL, "");
  const tokens = readTokens(said);
  const marks = readMarks(said, tokens);
  const isDeed = (word: string): boolean => {
    const own = readMarks(word, [word]);
    return DEEDS.some((name) => own.has(name));
  };
  if (marks.has("must")) return false;
  const [first = ""] = tokens;
  if (/[^s]s$/.test(first) && isDeed(first) && isDeed(first.slice(0, -1))) return true;
  const pronoun = tokens.findIndex((word) => RELATIVE.has(word));
  const isSubject = pronoun > 0 && pronoun <= MAX_SUBJECT_WORDS && isDeed(tokens[pronoun + 1] ?? "");
  return isSubject && !tokens.slice(0, pronoun).some((word) => isDeed(word) || ADDRESSED.has(word));
}

const STEP = /^(?:step|phase|stage)?\s?\d{1,2}\s?[:.)]\s/;
// `Silent uploads: sends …`
const LABEL = /^[^:]{1,40}:\s/;
const DEEDS = words("send take seek fetch download run write destroy hide");
const RELATIVE: ReadonlySet<string> = wordSet("that which who");
const ADDRESSED: ReadonlySet<string> = wordSet("you agent agents assistant assistants model claude i we");
const MAX_SUBJECT_WORDS = 6;

/** The first address that a statement contains or links to. */
export function addressOf({ clause, marks, tokens, links }: Statement): string | undefined {
  const written = marks.get("url")?.[0];
  if (written !== undefined) return tokens[written];
  // An image's alt text gives no orders about its address.
  const isNear = ({ url, line }: LinkFact): boolean =>
    /^https?:/i.test(url) && line - clause.line <= MAX_LINE_DISTANCE;
  return links.find((link) => isNear(link) && (link.role !== "image" || isOpenPicture(link)))?.url;
}

/** The words and domains in the skill's own sentences, which tell its reader what and whom it deals with. */
export function toldNames(facts: FactBook): ReadonlySet<string> {
  return remembered(NAMED, facts, () => {
    const names = new Set<string>();
    for (const { clause, tokens, links } of readStatements(facts)) {
      if (clause.stance !== "live" || !SAID.has(clause.medium) || !DOCUMENT.test(clause.file)) continue;
      for (const { url } of links) names.add(registeredDomain(hostOf(url) ?? ""));
      for (const token of tokens) {
        names.add(token);
        if (token.includes(".")) names.add(registeredDomain(hostOf(token) ?? token));
      }
    }
    return names;
  });
}

const NAMED = new WeakMap<FactBook, ReadonlySet<string>>();
// A list of packages names hosts, but does not tell them to the reader of the skill.
const DOCUMENT = /\.mdx?$/i;
const SAID: ReadonlySet<Medium> = new Set<Medium>(["prose", "list", "table", "inline-code", "link"]);

export function mailOf({ marks, tokens }: Statement): string | undefined {
  const at = marks.get("mail")?.[0];
  return at === undefined ? undefined : tokens[at];
}

const MAX_LINE_DISTANCE = 4;

function createStatements(facts: FactBook): readonly Statement[] {
  const byFile = new Map<string, { readonly clause: ClauseFact; readonly links: LinkFact[] }[]>();
  for (const clause of facts.of("clause")) addTo(byFile, clause.file, { clause, links: [] });
  for (const list of byFile.values()) list.sort((left, right) => left.clause.line - right.clause.line);
  for (const link of facts.of("link")) holderOf(byFile.get(link.file) ?? [], link.line)?.links.push(link);
  return Array.from(byFile.values()).flatMap((list) =>
    list.map(({ clause, links }) => readStatement(clause, links)),
  );
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
