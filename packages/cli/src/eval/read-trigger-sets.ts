import { basename, dirname, join, resolve } from "node:path";
import type { TriggerQuery } from "@skillet/author";
import { LocalSource, type Skill } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { pathKind } from "../scan/path-kind.ts";
import { readTextFile } from "../scan/read-text-file.ts";
import { loadSelecting } from "../select/load-selecting.ts";

/** The queries of one skill, from one file or several. */
export interface ReadTriggerSets {
  readonly files: readonly string[];
  readonly queries: readonly TriggerQuery[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the sets that a command line names, or those that lie beside the skill; ends the command without any query. */
export async function readTriggerSets(
  context: CommandContext,
  skill: Skill,
  given: readonly string[],
): Promise<ReadTriggerSets> {
  const { MAX_SET_BYTES, findTriggerSets, readTriggerSet } = loadSelecting();
  const found =
    given.length > 0
      ? { files: given.map((file) => resolve(context.workspace, file)), others: [] }
      : below(skill, await findTriggerSets(new LocalSource(skill.directory)));
  if (found.files.length === 0) throw noSet(skill);
  const sets = [];
  for (const file of found.files) {
    sets.push(readTriggerSet(await readSet(file, MAX_SET_BYTES), { file, skillName: skill.name }));
  }
  const diagnostics = sets.flatMap((set) => set.diagnostics);
  const queries = uniqueIds(
    sets.map((set) => set.queries),
    found.files,
  );
  if (queries.length > 0)
    return { files: found.files, queries, diagnostics: [...diagnostics, ...tellOthers(found)] };
  const [first] = diagnostics;
  const place = first?.range === undefined ? "" : `:${first.range.line}:${first.range.column}`;
  throw new CliError(
    "trigger-set-unusable",
    `${first?.file ?? found.files[0]}${place}: ${first?.message ?? "it is empty"}.`,
    {
      exitCode: 1,
      hints: first?.hint === undefined ? [] : [first.hint],
      details: { diagnostics },
    },
  );
}

async function readSet(file: string, maxBytes: number): Promise<string> {
  if (pathKind(file) === "folder")
    throw new CliError("not-a-file", `${file} is a folder, and a set is a file.`, {
      hints: [`Name a file in it, such as --set ${join(file, "eval_queries.json")}`],
      details: { file },
    });
  try {
    return await readTextFile(file, maxBytes);
  } catch (error) {
    if (!SkilletError.isInstance(error) || error.code !== "file-not-found") throw error;
    throw new CliError("file-not-found", `There is no file ${file}.`, {
      hints: ["--set takes a path from the working directory; leave it out for the sets beside the skill."],
      details: { file },
    });
  }
}

function below(
  { directory }: Skill,
  { files, others }: { readonly files: readonly string[]; readonly others: readonly string[] },
): { readonly files: readonly string[]; readonly others: readonly string[] } {
  return {
    files: files.map((file) => join(directory, file)),
    others: others.map((file) => join(directory, file)),
  };
}

// Two files may use the same ids.
function uniqueIds(
  sets: readonly (readonly TriggerQuery[])[],
  files: readonly string[],
): readonly TriggerQuery[] {
  if (sets.length === 1) return sets[0] ?? [];
  const isSame = new Set(files.map((file) => basename(file))).size < files.length;
  return sets.flatMap((queries, index) =>
    queries.map((query) => ({
      ...query,
      id: `${isSame ? `${index + 1}/` : ""}${basename(files[index] ?? "")}:${query.id}`,
    })),
  );
}

function tellOthers({
  files,
  others,
}: {
  readonly files: readonly string[];
  readonly others: readonly string[];
}) {
  return others.map(
    (file): Diagnostic => ({
      code: "trigger-set-not-read",
      severity: "info",
      message: `another set lies here and was not read; ${basename(files[0] ?? "")} was`,
      file,
      hint: `add --set ${join(basename(dirname(file)), basename(file))} to read it`,
    }),
  );
}

function noSet({ qualifiedName, directory }: Skill): CliError {
  return new CliError("trigger-set-missing", `There is no set of messages for ${qualifiedName}.`, {
    exitCode: 1,
    hints: [
      `Write ${join(directory, "evals", "eval_queries.json")}, about ten of each:`,
      '  [{ "query": "a message that should call it", "should_trigger": true },',
      '   { "query": "a near miss", "should_trigger": false }]',
      "Or name a file: --set FILE",
    ],
    details: { skill: qualifiedName },
  });
}
