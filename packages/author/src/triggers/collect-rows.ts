import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import type { Located } from "@skillet/kit/located";
import { quoteName } from "@skillet/kit/text";
import {
  EXPECTED_SKILL_KEYS,
  entryOf,
  type FoundRow,
  type FoundRows,
  LABEL_KEYS,
  QUERY_KEYS,
  readExpectedSkill,
  readLabel,
  textOf,
} from "./find-rows.ts";
import { MAX_QUERIES, MAX_QUERY_CHARACTERS, type TriggerQuery, type TriggerSet } from "./trigger-set.ts";

const MAX_TOLD = 20;
const MAX_ID_CHARACTERS = 100;

type Tell = (
  code: string,
  severity: Diagnostic["severity"],
  fault: { readonly message: string; readonly hint: string; readonly range?: Range | undefined },
) => void;

/** Makes queries of rows; what is not a query, is there twice or contradicts another is told with its place. */
export function collectRows(
  { rows, skillName: owner }: FoundRows,
  { file, skillName: asked }: { readonly file: string; readonly skillName?: string },
): TriggerSet {
  const told: Diagnostic[] = [];
  const tell: Tell = (code, severity, { range, ...fault }) =>
    told.push({ code, severity, file, ...fault, ...(range && { range }) });
  if (owner !== undefined && asked !== undefined && owner.trim() !== asked)
    tell("trigger-set-foreign", "warning", {
      message: `the set says that it is for ${quoteName(owner)}, and is used for ${quoteName(asked)}`,
      hint: "evaluate that skill with it, or correct the name in the set",
    });
  const queries = readQueries(rows, asked ?? owner, tell);
  tellRepeats(queries, tell);
  if (queries.length > 0) tellOneSided(queries, tell);
  const more = told.splice(MAX_TOLD).length;
  if (more > 0)
    tell("trigger-set-more", "info", {
      message: `${more} more remarks on this set are not listed`,
      hint: "correct those above first",
    });
  return { ...(owner !== undefined && { skillName: owner }), queries, diagnostics: told };
}

function readQueries(rows: readonly FoundRow[], skillName: string | undefined, tell: Tell): TriggerQuery[] {
  const queries: TriggerQuery[] = [];
  const taken = new Set<string>();
  let foreign = 0;
  for (const [index, row] of rows.entries()) {
    if (queries.length >= MAX_QUERIES) {
      tell("trigger-set-cut", "warning", {
        message: `of ${rows.length} rows no more than ${MAX_QUERIES} are read`,
        hint: "split the set",
      });
      break;
    }
    const { range } = row.node;
    const owner = textOf(row.node, ["skill", "skill_name", "skillName"])?.trim();
    const read = readRow(row, skillName);
    // One file may hold the sets of many skills.
    if (skillName !== undefined && owner !== undefined && owner !== skillName) foreign += 1;
    else if ("problem" in read)
      tell("trigger-row-invalid", "warning", {
        message: `row ${index + 1} is left out: ${read.problem}`,
        hint: 'write it as {"query": "…", "should_trigger": true}',
        range,
      });
    else {
      const id = uniqueId(read.id ?? String(index + 1), taken);
      queries.push({ id, ...read.query, ...(range && { line: range.line }) });
    }
  }
  if (foreign > 0)
    tell("trigger-rows-foreign", "info", {
      message: `${foreign} of ${rows.length} rows are about other skills and left out`,
      hint: `rows of ${skillName} are those whose skill it is`,
    });
  return queries;
}

type ReadRow =
  | { readonly id?: string; readonly query: Pick<TriggerQuery, "query" | "shouldTrigger"> }
  | { readonly problem: string };

function readRow({ node, label }: FoundRow, skillName: string | undefined): ReadRow {
  if (node.kind === "list") return { problem: "it is a list" };
  const message = node.kind === "map" ? entryOf(node, QUERY_KEYS)?.value : node;
  if (message === undefined) return { problem: `it has no message (${QUERY_KEYS.join(", ")})` };
  if (message.kind !== "scalar" || typeof message.value !== "string" || message.value.trim() === "")
    return { problem: "its message is not a text" };
  if (message.value.length > MAX_QUERY_CHARACTERS)
    return { problem: `its message is longer than ${MAX_QUERY_CHARACTERS} characters` };
  const shouldTrigger = label ?? labelOf(node, skillName);
  if (shouldTrigger === undefined)
    return { problem: `it does not say yes or no to should_trigger${otherLetters(node, skillName)}` };
  const id = idOf(node);
  return { query: { query: message.value, shouldTrigger }, ...(id !== undefined && { id }) };
}

function labelOf(node: Located, skillName: string | undefined): boolean | undefined {
  const label = entryOf(node, LABEL_KEYS);
  if (label !== undefined) return readLabel(label.value, skillName);
  const expected = entryOf(node, EXPECTED_SKILL_KEYS);
  return expected && readExpectedSkill(expected.value, skillName);
}

function otherLetters(node: Located, skillName: string | undefined): string {
  const expected = textOf(node, EXPECTED_SKILL_KEYS);
  if (skillName === undefined || expected === undefined) return "";
  return `, and expects ${quoteName(expected)} where the skill is called ${quoteName(skillName)}`;
}

function idOf(node: Located): string | undefined {
  const value = entryOf(node, ["id"])?.value;
  if (value?.kind !== "scalar" || value.value === null || typeof value.value === "boolean") return undefined;
  const id = String(value.value).trim().slice(0, MAX_ID_CHARACTERS);
  return id === "" ? undefined : id;
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
      tell("trigger-row-repeated", "info", {
        message: `${one.id} asks the same as ${first.id}; both count`,
        hint: "say it in another way, or remove one of them",
        range,
      });
    else
      tell("trigger-row-contradictory", "warning", {
        message: `${one.id} asks the same as ${first.id} and expects the opposite, so that one of them must fail`,
        hint: "decide whether this message should call the skill, and remove the other row",
        range,
      });
  }
}

function tellOneSided(queries: readonly TriggerQuery[], tell: Tell): void {
  const wanted = queries.filter(({ shouldTrigger }) => shouldTrigger).length;
  if (wanted > 0 && wanted < queries.length) return;
  tell(
    "trigger-set-one-sided",
    "info",
    wanted === 0
      ? {
          message: "no query should call the skill, so that recall means nothing",
          hint: "add about ten messages that should, in different words",
        }
      : {
          message: "every query should call the skill, so that precision means nothing",
          hint: "add about ten near misses: messages that another skill, or none, should answer",
        },
  );
}
