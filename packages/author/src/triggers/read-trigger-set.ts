import type { SkillSource } from "@skillet/core";
import { locateYaml } from "@skillet/core/internal";
import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import { locateJson } from "@skillet/kit/json";
import type { Located } from "@skillet/kit/located";
import { locateCsv } from "./locate-csv.ts";
import { collectRows, findRows } from "./trigger-rows.ts";
import { MAX_SET_BYTES, MAX_YAML_SET_BYTES, type TriggerSet } from "./trigger-set.ts";

/** Where a set comes from, and for whom it is. */
export interface ReadTriggerSetOptions {
  /** For diagnostics; its ending says the format. */
  readonly file: string;
  /** For rows that name the skill which they expect. */
  readonly skillName?: string;
}

/**
 * Reads the queries that should and should not call a skill, in any of the usual dialects.
 *
 * Rows that cannot be understood are left out and told; a file of which nothing was understood gives no queries and an
 * error.
 *
 * @example
 * const { queries, diagnostics } = readTriggerSet('[{"query": "fill in this form", "should_trigger": true}]', {
 *   file: "evals/eval_queries.json",
 * });
 */
export function readTriggerSet(text: string, options: ReadTriggerSetOptions): TriggerSet {
  const { file, skillName } = options;
  const told = (
    fault: Pick<Diagnostic, "code" | "message" | "hint"> & { readonly range?: Range },
  ): TriggerSet => ({
    queries: [],
    diagnostics: [{ severity: "error", file, ...fault }],
  });
  const format = formatOf(file);
  const maxBytes = format === "yaml" ? MAX_YAML_SET_BYTES : MAX_SET_BYTES;
  if (Buffer.byteLength(text) > maxBytes)
    return told({
      code: "trigger-set-too-large",
      message: `the set has more than ${maxBytes} bytes and is not read`,
      hint:
        format === "yaml"
          ? "split it, leave long pastes out of its queries, or write it as JSON"
          : "split it, or leave long pastes out of its queries",
    });
  const located = locate(text.replace(/^\uFEFF/, ""), format);
  if ("problem" in located)
    return told({
      code: "trigger-set-invalid",
      message: `the set cannot be read as ${FORMAT_NAMES[format]}: ${located.problem}`,
      range: located.range,
      hint: "correct it there, or give the file the ending of its format: .json, .jsonl, .yaml or .csv",
    });
  const found = findRows(located.root, skillName);
  if ("problem" in found)
    return told({
      code: "trigger-set-unknown",
      message: `the set has no known form: ${found.problem}`,
      hint: 'write it as [{"query": "…", "should_trigger": true}, …]',
      ...(located.root.range && { range: located.root.range }),
    });
  return collectRows(found, { file, ...(skillName !== undefined && { skillName }) });
}

const FORMAT_NAMES = { json: "JSON", jsonl: "JSON lines", yaml: "YAML", csv: "a table" };
type Format = keyof typeof FORMAT_NAMES;
const ENDINGS_OF = { jsonl: /\.(?:jsonl|ndjson)$/i, yaml: /\.ya?ml$/i, csv: /\.[ct]sv$/i } as const;

function formatOf(file: string): Format {
  return (["jsonl", "yaml", "csv"] as const).find((one) => ENDINGS_OF[one].test(file)) ?? "json";
}

type Reading = { readonly root: Located } | { readonly problem: string; readonly range: Range };

function locate(text: string, format: Format): Reading {
  if (format === "jsonl") return locateLines(text);
  if (format === "yaml") {
    const { root, faults } = locateYaml(text);
    const [fault] = faults;
    return fault === undefined ? { root } : { problem: fault.message, range: fault.range };
  }
  const read = format === "csv" ? locateCsv(text) : locateJson(text);
  return "fault" in read ? read.fault : read;
}

function locateLines(text: string): Reading {
  const items: Located[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const read = locateJson(line, { firstLine: index + 1 });
    if ("fault" in read) return read.fault;
    items.push(read.root);
  }
  return { root: { kind: "list", items } };
}

// By how usual they are. Of a set in two halves both are read.
const NAMES = "eval_queries trigger-eval trigger_eval trigger-evals triggers eval_set".split(" ");
const HALVES = ["train_queries", "validation_queries"] as const;
const ENDINGS = ["json", "jsonl", "yaml", "yml", "csv"] as const;
const FOLDERS = ["evals/", "eval/", ""] as const;

/** The sets that lie beside a skill. */
export interface FoundTriggerSets {
  /** One file, or the two halves of one set; relative to the skill's folder. */
  readonly files: readonly string[];
  readonly others: readonly string[];
}

/** Finds the trigger sets of a skill, in `evals/`, in `eval/` or beside its SKILL.md. */
export async function findTriggerSets(source: SkillSource): Promise<FoundTriggerSets> {
  const { files } = await source.listFiles("");
  const there = new Set(files.filter(({ kind }) => kind === "file").map(({ path }) => path));
  const groups = FOLDERS.flatMap((place) => [
    ...NAMES.flatMap((name) => ENDINGS.map((ending) => [`${place}${name}.${ending}`])),
    ...ENDINGS.map((ending) => HALVES.map((name) => `${place}${name}.${ending}`)),
  ])
    .map((group) => group.filter((path) => there.has(path)))
    .filter((group) => group.length > 0);
  const [first = [], ...rest] = groups;
  return { files: first, others: rest.flat() };
}
