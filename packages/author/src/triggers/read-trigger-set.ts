import type { SkillSource } from "@skillet/core";
import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import { asObject, type JsonFault, locateJson } from "@skillet/kit/json";
import { type Located, plainValue } from "@skillet/kit/located";

/** A message that should, or should not, trigger a skill. */
export interface TriggerQuery {
  /** Unique in its set: the row's own id, or its position. */
  readonly id: string;
  readonly query: string;
  readonly shouldTrigger: boolean;
  readonly line?: number;
}

/** The queries that were written for a skill, and diagnostics about them. */
export interface TriggerSet {
  readonly queries: readonly TriggerQuery[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Longer files are not read; a set of twenty queries takes two kilobytes. */
export const MAX_SET_BYTES: number = 1024 * 1024;

const MAX_QUERIES = 2_000;
/** A longer query is a pasted document; it is left out, because cutting it would make it another message. */
const MAX_QUERY_CHARACTERS = 20_000;
const MAX_ID_CHARACTERS = 100;
const MAX_TOLD = 20;

const ROW_HINT = 'write it as {"query": "…", "should_trigger": true}';
const REMARKS = {
  "trigger-set-too-large": ["error", "split it, or leave long pastes out of its queries"],
  "trigger-set-invalid": ["error", "correct it there; a file with one row a line ends in .jsonl"],
  "trigger-set-unknown": ["error", 'write it as [{"query": "…", "should_trigger": true}, …]'],
  "trigger-set-more": ["info", "correct those above first"],
  "trigger-set-cut": ["warning", "split the set"],
  "trigger-row-invalid": ["warning", ROW_HINT],
  "trigger-row-repeated": ["info", "say it in another way, or remove one of them"],
  "trigger-row-contradictory": [
    "warning",
    "decide whether it should call the skill, and remove the other row",
  ],
  "trigger-set-one-sided": [
    "info",
    "add about ten of the other kind: other words, or near misses for another skill",
  ],
} as const satisfies Readonly<Record<string, readonly [Diagnostic["severity"], string]>>;

type Tell = (code: keyof typeof REMARKS, message: string, range?: Range) => void;

/**
 * Reads the queries that should and should not trigger a skill: rows of `query` and `should_trigger` like
 * skill-creator's, or of `message` and `expected`, in a JSON list or one per line.
 *
 * Rows that cannot be understood are left out and reported; a file without a single valid row gives no
 * queries and an error.
 *
 * @example
 * const { queries, diagnostics } = readTriggerSet('[{"query": "fill in this form", "should_trigger": true}]', {
 *   file: "evals/eval_queries.json",
 * });
 */
export function readTriggerSet(
  text: string,
  /** For diagnostics; a name that ends in `.jsonl` has one row per line. */
  { file }: { readonly file: string },
): TriggerSet {
  const told: Diagnostic[] = [];
  const tell: Tell = (code, message, range) => {
    const [severity, hint] = REMARKS[code];
    told.push({ code, severity, file, message, hint, ...(range && { range }) });
  };
  const queries = readSet(text, file, tell);
  const more = told.splice(MAX_TOLD).length;
  if (more > 0) tell("trigger-set-more", `${more} more remarks on this set are not listed`);
  return { queries, diagnostics: told };
}

function readSet(text: string, file: string, tell: Tell): readonly TriggerQuery[] {
  if (Buffer.byteLength(text) > MAX_SET_BYTES) {
    tell("trigger-set-too-large", `the set has more than ${MAX_SET_BYTES} bytes and is not read`);
    return [];
  }
  const plain = text.replace(/^\uFEFF/, "");
  const read = file.toLowerCase().endsWith(".jsonl") ? locateLines(plain) : locateJson(plain);
  if ("fault" in read) {
    tell("trigger-set-invalid", `the set cannot be read as JSON: ${read.fault.problem}`, read.fault.range);
    return [];
  }
  const { root } = read;
  const rows = root.kind === "list" ? root.items : [];
  const problems = new Map<number, string>();
  const queries = readQueries(rows, problems, tell);
  if (queries.length === 0) {
    const [problem = root.kind === "list" ? "it is empty" : "it is not a list"] = problems.values();
    tell("trigger-set-unknown", `the set has no row that can be used: ${problem}`, root.range);
    return [];
  }
  for (const [index, problem] of problems)
    tell("trigger-row-invalid", `row ${index + 1} is left out: ${problem}`, rows[index]?.range);
  tellRepeats(queries, tell);
  const wanted = queries.filter(({ shouldTrigger }) => shouldTrigger).length;
  if (wanted === 0)
    tell("trigger-set-one-sided", "no query should call the skill, so that recall means nothing");
  else if (wanted === queries.length)
    tell("trigger-set-one-sided", "every query should call the skill, so that precision means nothing");
  return queries;
}

function locateLines(text: string): { readonly root: Located } | { readonly fault: JsonFault } {
  const items: Located[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const read = locateJson(line, { firstLine: index + 1 });
    if ("fault" in read) return read;
    items.push(read.root);
  }
  return { root: { kind: "list", items } };
}

function readQueries(rows: readonly Located[], problems: Map<number, string>, tell: Tell): TriggerQuery[] {
  const queries: TriggerQuery[] = [];
  const taken = new Set<string>();
  for (const [index, row] of rows.entries()) {
    if (queries.length >= MAX_QUERIES) {
      tell("trigger-set-cut", `of ${rows.length} rows no more than ${MAX_QUERIES} are read`);
      break;
    }
    const value = asObject(plainValue(row)) ?? {};
    const query = value.query ?? value.message;
    const shouldTrigger = value.should_trigger ?? value.expected;
    if (typeof query !== "string" || query.trim() === "") problems.set(index, "it has no query");
    else if (query.length > MAX_QUERY_CHARACTERS)
      problems.set(index, `its query is longer than ${MAX_QUERY_CHARACTERS} characters`);
    else if (typeof shouldTrigger !== "boolean")
      problems.set(index, "it does not say true or false to should_trigger");
    else {
      const id = uniqueId(idOf(value.id) ?? String(index + 1), taken);
      queries.push({ id, query, shouldTrigger, ...(row.range && { line: row.range.line }) });
    }
  }
  return queries;
}

function idOf(id: unknown): string | undefined {
  const text = typeof id === "string" || typeof id === "number" ? String(id).trim() : "";
  return text === "" ? undefined : text.slice(0, MAX_ID_CHARACTERS);
}

// Results are distinguished by id, so two rows must never share one.
function uniqueId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let count = 2; taken.has(id); count += 1) id = `${wanted}#${count}`;
  taken.add(id);
  return id;
}

function tellRepeats(queries: readonly TriggerQuery[], tell: Tell): void {
  const seen = new Map<string, TriggerQuery>();
  for (const one of queries) {
    const key = one.query.trim().replace(/\s+/g, " ").toLowerCase();
    const first = seen.get(key);
    const range = one.line === undefined ? undefined : { line: one.line, column: 1 };
    if (first === undefined) seen.set(key, one);
    else {
      const told = `${one.id} asks the same as ${first.id}`;
      if (first.shouldTrigger === one.shouldTrigger)
        tell("trigger-row-repeated", `${told}; both count`, range);
      else tell("trigger-row-contradictory", `${told} and expects the opposite`, range);
    }
  }
}

// The most usual names first. If a set has two halves, both are read.
const SETS = [
  ...["eval_queries", "trigger-eval", "triggers", "eval_set"].map((name) => [name]),
  ["train_queries", "validation_queries"],
];
const ENDINGS = ["json", "jsonl"];
const FOLDERS = ["evals/", ""];
/** Named like a set, but in a format or a folder that is not read. */
const UNREADABLE = new RegExp(
  `^(?:evals?/)?(?:${SETS.flat().join("|")})\\.(?:json[lc5]?|ndjson|ya?ml|toml|[ct]sv|txt|md)$`,
);

/** The trigger sets found beside a skill. */
export interface FoundTriggerSets {
  /** One file, or the two halves of one set; relative to the skill's folder. */
  readonly files: readonly string[];
  readonly others: readonly string[];
  /** Named like sets, but not read because of their format or folder. */
  readonly unreadable: readonly string[];
}

/** Finds the trigger sets of a skill, in `evals/` or beside its SKILL.md. */
export async function findTriggerSets(source: SkillSource): Promise<FoundTriggerSets> {
  const { files } = await source.listFiles("");
  const there = new Set(files.filter(({ kind }) => kind === "file").map(({ path }) => path));
  const groups = FOLDERS.flatMap((folder) =>
    SETS.flatMap((names) =>
      ENDINGS.map((ending) =>
        names.map((name) => `${folder}${name}.${ending}`).filter((path) => there.has(path)),
      ),
    ),
  ).filter((group) => group.length > 0);
  const [first = [], ...rest] = groups;
  const known = new Set(groups.flat());
  const unreadable = [...there].filter((path) => UNREADABLE.test(path) && !known.has(path));
  return { files: first, others: rest.flat(), unreadable };
}
