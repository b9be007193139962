import type { Range } from "@skillet/kit/diagnostics";
import type { Located, LocatedEntry } from "@skillet/kit/located";
import { listFirst } from "@skillet/kit/text";

export interface FoundRow {
  readonly node: Located;
  readonly label?: boolean;
}

export interface FoundRows {
  readonly rows: readonly FoundRow[];
  readonly skillName?: string;
}

const LIST_KEYS = ["queries", "evals", "cases", "tests", "eval_set", "examples", "data"] as const;
const POSITIVE_KEYS = ["should_trigger", "shouldTrigger", "positive", "positives", "trigger"] as const;
const NEGATIVE_KEYS = "should_not_trigger shouldNotTrigger negative negatives no_trigger".split(" ");
const SKILL_KEYS = ["skill_name", "skillName", "skill"] as const;

/** Finds the rows of a set in whatever dialect it is written, or says what it holds instead. */
export function findRows(
  root: Located,
  skillName?: string,
): FoundRows | { readonly problem: string; readonly range?: Range } {
  const own = textOf(root, SKILL_KEYS);
  const rows = root.kind === "list" ? root.items.map((node) => ({ node })) : rowsOfMap(root);
  const problem = whyNoSet(root, rows, skillName ?? own);
  if (rows === undefined || problem !== undefined)
    return { problem: problem ?? "", ...(root.range && { range: root.range }) };
  return { rows, ...(own !== undefined && { skillName: own }) };
}

function rowsOfMap(root: Located): FoundRow[] | undefined {
  const listOf = (keys: readonly string[]): readonly Located[] | undefined => {
    const value = entryOf(root, keys)?.value;
    return value?.kind === "list" ? value.items : undefined;
  };
  const [positive, negative] = [listOf(POSITIVE_KEYS), listOf(NEGATIVE_KEYS)];
  if (positive !== undefined || negative !== undefined)
    return [
      ...(positive ?? []).map((node) => ({ node, label: true })),
      ...(negative ?? []).map((node) => ({ node, label: false })),
    ];
  const list = entryOf(root, LIST_KEYS)?.value;
  if (list?.kind === "list") return list.items.map((node) => ({ node }));
  return list?.kind === "map" ? rowsOfMap(list) : undefined;
}

function listKeys(root: Located): string {
  const keys = root.kind === "map" ? root.entries.map(({ key }) => JSON.stringify(key.slice(0, 40))) : [];
  return keys.length === 0 ? "(none)" : listFirst(keys, 6);
}

// One good row is enough to take the file for a set: the others are then told one by one.
function whyNoSet(
  root: Located,
  rows: readonly FoundRow[] | undefined,
  skillName: string | undefined,
): string | undefined {
  if (root.kind === "scalar") return "it is a single value, not a list";
  if (rows === undefined) return `it is a map with the keys ${listKeys(root)}, none of which holds queries`;
  if (rows.length === 0) return "it is empty";
  const holds = (keys: readonly string[]): boolean =>
    rows.some(({ node }) => node.kind === "map" && entryOf(node, keys) !== undefined);
  const isSplit = rows.some(({ label }) => label !== undefined);
  const hasText = holds(QUERY_KEYS) || (isSplit && rows.some(({ node }) => node.kind === "scalar"));
  if (!hasText) return `its rows have no message; understood are ${QUERY_KEYS.join(", ")}`;
  if (isSplit || holds(LABEL_KEYS)) return undefined;
  if (holds(EXPECTED_SKILL_KEYS))
    return skillName === undefined
      ? "its rows name skills, and it is not known whose set this is"
      : undefined;
  const kind = holds(["expected_output", "expectations", "assertions"])
    ? "; they look like evals of what a skill writes, not of when it is called"
    : "";
  return `its rows have messages, but do not say whether each should call the skill (should_trigger)${kind}`;
}

/** The first of these keys that a map has; of a key that is there twice the last, as `JSON.parse` has it. */
export function entryOf(node: Located, keys: readonly string[]): LocatedEntry | undefined {
  if (node.kind !== "map") return undefined;
  for (const key of keys) {
    const entry = node.entries.findLast((one) => one.key === key);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** The text under the first of these keys that a map has; undefined where that is not a text. */
export function textOf(node: Located, keys: readonly string[]): string | undefined {
  const value = entryOf(node, keys)?.value;
  return value?.kind === "scalar" && typeof value.value === "string" ? value.value : undefined;
}

export const QUERY_KEYS = ["query", "prompt", "message", "input", "text", "utterance"] as const;

export const LABEL_KEYS: readonly string[] =
  "should_trigger shouldTrigger should-trigger expected trigger label expected_trigger".split(" ");

export const EXPECTED_SKILL_KEYS = ["expected_skill", "expectedSkill"] as const;

const YES = new Set("true yes y 1 positive pos trigger should_trigger should-trigger".split(" "));
const NO = new Set(
  "false no n 0 negative neg none no_trigger no-trigger should_not_trigger should-not-trigger not_trigger".split(
    " ",
  ),
);

/** Reads a label as yes or no; undefined where it says neither. */
export function readLabel(node: Located, skillName: string | undefined): boolean | undefined {
  if (node.kind !== "scalar") return undefined;
  const { value } = node;
  if (typeof value === "boolean") return value;
  if (value === 1 || value === 0) return value === 1;
  if (typeof value !== "string") return undefined;
  const word = value.trim().toLowerCase();
  if (YES.has(word)) return true;
  if (NO.has(word)) return false;
  return skillName !== undefined && value.trim() === skillName ? true : undefined;
}

/** Whether the skill that a row expects is this one; no skill at all is a no, and its name in other letters is neither. */
export function readExpectedSkill(node: Located, skillName: string | undefined): boolean | undefined {
  if (node.kind !== "scalar") return undefined;
  const { value } = node;
  if (value === null || value === false || value === "" || value === "none") return false;
  if (typeof value !== "string" || skillName === undefined) return undefined;
  const name = value.trim();
  if (name === skillName) return true;
  return name.toLowerCase() === skillName.toLowerCase() ? undefined : false;
}
