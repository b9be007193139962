import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import { isJsonObject } from "@skillet/kit/json";
import { type Located, plainValue } from "@skillet/kit/located";
import { listFirst, quoteName } from "@skillet/kit/text";
import { MAX_QUERIES, MAX_QUERY_CHARACTERS, type TriggerQuery, type TriggerSet } from "./trigger-set.ts";

// The first key that a map has counts.
const LIST_KEYS = ["queries", "evals", "cases", "tests", "eval_set", "examples", "data"];
const POSITIVE_KEYS = ["should_trigger", "shouldTrigger", "positive", "positives", "trigger"];
const NEGATIVE_KEYS = ["should_not_trigger", "shouldNotTrigger", "negative", "negatives", "no_trigger"];
const SKILL_KEYS = ["skill_name", "skillName", "skill"];
const QUERY_KEYS = ["query", "prompt", "message", "input", "text", "utterance"];
const EXPECTED_SKILL_KEYS = ["expected_skill", "expectedSkill"];
const OUTPUT_KEYS = ["expected_output", "expectations", "assertions"];
const LABEL_KEYS =
  "should_trigger shouldTrigger should-trigger expected trigger label expected_trigger".split(" ");
const YES = "true yes y 1 positive pos trigger should_trigger should-trigger";
const NO =
  "false no n 0 negative neg none no_trigger no-trigger should_not_trigger should-not-trigger not_trigger";
const LABELS: ReadonlyMap<string, boolean> = new Map([
  ...YES.split(" ").map((word) => [word, true] as const),
  ...NO.split(" ").map((word) => [word, false] as const),
]);

const MAX_TOLD = 20;
const MAX_ID_CHARACTERS = 100;

interface Row {
  readonly value: unknown;
  /** Taken from the list that holds the row. */
  readonly label?: boolean;
  readonly range: Range | undefined;
}

/** Finds the rows of a set in whatever dialect it is written, or says what it holds instead. */
export function findRows(
  root: Located,
  skillName?: string,
): { readonly rows: readonly Row[]; readonly skillName?: string } | { readonly problem: string } {
  const own = pick(plainValue(root), SKILL_KEYS);
  const owner = typeof own === "string" ? { skillName: own } : {};
  const rows = rowsOf(root);
  const problem = whyNoSet(root, rows ?? [], skillName ?? owner.skillName);
  return rows === undefined || problem !== undefined ? { problem: problem ?? "" } : { rows, ...owner };
}

function rowsOf(node: Located | undefined): readonly Row[] | undefined {
  const listed = (list: Located | undefined, label?: boolean): readonly Row[] | undefined =>
    list?.kind !== "list"
      ? undefined
      : list.items.map((item) => ({
          ...{ value: plainValue(item), range: item.range },
          ...(label !== undefined && { label }),
        }));
  const inner = (keys: readonly string[]): Located | undefined => {
    const entries = node?.kind === "map" ? node.entries : [];
    const found = keys.find((key) => entries.some((entry) => entry.key === key));
    return entries.findLast(({ key }) => key === found)?.value;
  };
  const halves = [listed(inner(POSITIVE_KEYS), true), listed(inner(NEGATIVE_KEYS), false)];
  if (node?.kind !== "map") return listed(node);
  return halves.some(Boolean) ? halves.flatMap((half) => half ?? []) : rowsOf(inner(LIST_KEYS));
}

/** What stands under the first of these keys that a map has. */
function pick(value: unknown, keys: readonly string[]): unknown {
  if (!isJsonObject(value)) return undefined;
  const key = keys.find((one) => Object.hasOwn(value, one));
  return key === undefined ? undefined : value[key];
}

// One good row is enough to take the file for a set: the others are then told one by one.
function whyNoSet(root: Located, rows: readonly Row[], skillName: string | undefined): string | undefined {
  if (root.kind === "scalar") return "it is a single value, not a list";
  if (root.kind === "map" && rowsOf(root) === undefined) {
    const keys = root.entries.map(({ key }) => JSON.stringify(key.slice(0, 40)));
    const named = keys.length === 0 ? "(none)" : listFirst(keys, 6);
    return `it is a map with the keys ${named}, none of which holds queries`;
  }
  if (rows.length === 0) return "it is empty";
  const holds = (keys: readonly string[]): boolean =>
    rows.some(({ value }) => pick(value, keys) !== undefined);
  const isSplit = rows.some(({ label }) => label !== undefined);
  if (!holds(QUERY_KEYS) && !(isSplit && rows.some(({ value }) => typeof value === "string")))
    return `its rows have no message; understood are ${QUERY_KEYS.join(", ")}`;
  if (isSplit || holds(LABEL_KEYS) || (holds(EXPECTED_SKILL_KEYS) && skillName !== undefined))
    return undefined;
  if (holds(EXPECTED_SKILL_KEYS)) return "its rows name skills, and it is not known whose set this is";
  const kind = holds(OUTPUT_KEYS)
    ? "; they look like evals of what a skill writes, not of when it is called"
    : "";
  return `its rows have messages, but do not say whether each should call the skill (should_trigger)${kind}`;
}

type Tell = (code: keyof typeof REMARKS, message: string, range?: Range) => void;

const REMARKS = {
  "trigger-set-foreign": ["warning", "evaluate that skill with it, or correct the name in the set"],
  "trigger-set-more": ["info", "correct those above first"],
  "trigger-set-cut": ["warning", "split the set"],
  "trigger-row-invalid": ["warning", 'write it as {"query": "…", "should_trigger": true}'],
  "trigger-rows-foreign": ["info", "rows of a skill are those that name it"],
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

/** Makes queries of rows; what is not a query, is there twice or contradicts another is told with its place. */
export function collectRows(
  { rows, skillName: owner }: { readonly rows: readonly Row[]; readonly skillName?: string },
  { file, skillName: asked }: { readonly file: string; readonly skillName?: string },
): TriggerSet {
  const told: Diagnostic[] = [];
  const tell: Tell = (code, message, range) => {
    const [severity, hint] = REMARKS[code];
    told.push({ code, severity, file, message, hint, ...(range && { range }) });
  };
  if (owner !== undefined && asked !== undefined && owner.trim() !== asked)
    tell("trigger-set-foreign", `the set is for ${quoteName(owner)}, and is used for ${quoteName(asked)}`);
  const queries = readQueries(rows, asked ?? owner, tell);
  tellRepeats(queries, tell);
  const wanted = queries.filter(({ shouldTrigger }) => shouldTrigger).length;
  if (queries.length > 0 && wanted === 0)
    tell("trigger-set-one-sided", "no query should call the skill, so that recall means nothing");
  else if (queries.length > 0 && wanted === queries.length)
    tell("trigger-set-one-sided", "every query should call the skill, so that precision means nothing");
  const more = told.splice(MAX_TOLD).length;
  if (more > 0) tell("trigger-set-more", `${more} more remarks on this set are not listed`);
  return { ...(owner !== undefined && { skillName: owner }), queries, diagnostics: told };
}

function readQueries(rows: readonly Row[], skillName: string | undefined, tell: Tell): TriggerQuery[] {
  const queries: TriggerQuery[] = [];
  const taken = new Set<string>();
  let foreign = 0;
  for (const [index, row] of rows.entries()) {
    if (queries.length >= MAX_QUERIES) {
      tell("trigger-set-cut", `of ${rows.length} rows no more than ${MAX_QUERIES} are read`);
      break;
    }
    const owner = pick(row.value, ["skill", "skill_name", "skillName"]);
    const read = readRow(row, skillName);
    // One file may hold the sets of many skills.
    if (skillName !== undefined && typeof owner === "string" && owner.trim() !== skillName) foreign += 1;
    else if ("problem" in read)
      tell("trigger-row-invalid", `row ${index + 1} is left out: ${read.problem}`, row.range);
    else {
      const id = uniqueId(idOf(row.value) ?? String(index + 1), taken);
      queries.push({ id, ...read, ...(row.range && { line: row.range.line }) });
    }
  }
  if (foreign > 0)
    tell("trigger-rows-foreign", `${foreign} of ${rows.length} rows are about other skills and left out`);
  return queries;
}

function readRow(
  { value, label }: Row,
  skillName: string | undefined,
): Pick<TriggerQuery, "query" | "shouldTrigger"> | { readonly problem: string } {
  if (Array.isArray(value)) return { problem: "it is a list" };
  const query = isJsonObject(value) ? pick(value, QUERY_KEYS) : value;
  if (query === undefined) return { problem: `it has no message (${QUERY_KEYS.join(", ")})` };
  if (typeof query !== "string" || query.trim() === "") return { problem: "its message is not a text" };
  if (query.length > MAX_QUERY_CHARACTERS)
    return { problem: `its message is longer than ${MAX_QUERY_CHARACTERS} characters` };
  const shouldTrigger = label ?? labelOf(value, skillName);
  if (shouldTrigger !== undefined) return { query, shouldTrigger };
  const expected = pick(value, EXPECTED_SKILL_KEYS);
  const other =
    skillName !== undefined && typeof expected === "string"
      ? `, and expects ${quoteName(expected)} where the skill is called ${quoteName(skillName)}`
      : "";
  return { problem: `it does not say yes or no to should_trigger${other}` };
}

/** Yes or no, or the name of the skill that is expected; in other letters that name is neither. */
function labelOf(row: unknown, skillName: string | undefined): boolean | undefined {
  const label = pick(row, LABEL_KEYS);
  if (label !== undefined) {
    const word = String(label).trim();
    return LABELS.get(word.toLowerCase()) ?? (word === skillName ? true : undefined);
  }
  const expected = pick(row, EXPECTED_SKILL_KEYS);
  if (expected === null || expected === false || expected === "" || expected === "none") return false;
  if (typeof expected !== "string" || skillName === undefined) return undefined;
  if (expected.trim() === skillName) return true;
  return expected.trim().toLowerCase() === skillName.toLowerCase() ? undefined : false;
}

function idOf(row: unknown): string | undefined {
  const id = pick(row, ["id"]);
  const text = typeof id === "string" || typeof id === "number" ? String(id).trim() : "";
  return text === "" ? undefined : text.slice(0, MAX_ID_CHARACTERS);
}

// Results are told apart by id, so that two rows never count as one.
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
    else if (first.shouldTrigger === one.shouldTrigger)
      tell("trigger-row-repeated", `${one.id} asks the same as ${first.id}; both count`, range);
    else
      tell(
        "trigger-row-contradictory",
        `${one.id} asks the same as ${first.id} and expects the opposite`,
        range,
      );
  }
}
