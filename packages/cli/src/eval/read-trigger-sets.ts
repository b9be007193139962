import { basename, dirname, join, resolve } from "node:path";
import type { TriggerQuery } from "@skillet/author";
import { LocalSource, parseSkill, type Skill, type Skills } from "@skillet/core";
import { readExamples } from "@skillet/core/internal";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath } from "@skillet/kit/files";
import { CliError, onSkilletError, refusalError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { lookUpSkill, openRegistry, resolveSkill } from "../context/open-registry.ts";
import { pathKind, readTextFile } from "../context/output-file.ts";
import { loadSelecting } from "../load-beside.ts";

export interface ReadTriggerSets {
  readonly files: readonly string[];
  readonly queries: readonly TriggerQuery[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the sets that the command line names, or those beside the skill; throws if there are no queries. */
export async function readTriggerSets(
  { workspace }: CommandContext,
  skill: Skill,
  given: readonly string[],
): Promise<ReadTriggerSets> {
  const { MAX_SET_BYTES, readTriggerSet, findTriggerSets } = loadSelecting();
  const beside = given.length > 0 ? undefined : await findTriggerSets(new LocalSource(skill.directory));
  const files =
    beside?.files.map((file) => join(skill.directory, file)) ?? given.map((file) => resolve(workspace, file));
  const [firstFile] = files;
  if (firstFile === undefined) throw noSet(skill, beside?.unreadable ?? []);
  const sets: ReturnType<typeof readTriggerSet>[] = [];
  for (const file of files) sets.push(readTriggerSet(await readSet(file, MAX_SET_BYTES), { file }));
  const diagnostics = sets.flatMap((set) => set.diagnostics);
  const queries = uniqueIds(sets, files);
  if (queries.length > 0) {
    const unread = (beside?.others ?? []).map((file) => notRead(join(skill.directory, file), firstFile));
    const unreadable = (beside?.unreadable ?? []).map((file) => notReadable(join(skill.directory, file)));
    return { files, queries, diagnostics: [...diagnostics, ...unread, ...unreadable] };
  }
  const [first] = diagnostics;
  const place = first?.range === undefined ? "" : `:${first.range.line}:${first.range.column}`;
  throw new CliError(
    "trigger-set-unusable",
    `${first?.file ?? firstFile}${place}: ${first?.message ?? "it is empty"}.`,
    { exitCode: 1, hints: first?.hint === undefined ? [] : [first.hint], details: { diagnostics } },
  );
}

async function readSet(file: string, maxBytes: number): Promise<string> {
  if (pathKind(file) === "folder")
    throw new CliError("not-a-file", `${file} is a folder, and a set is a file.`, {
      hints: [`Name a file in it, such as --set ${join(file, "eval_queries.json")}`],
      details: { file },
    });
  const tellMissing = onSkilletError(({ code }): never => {
    throw new CliError(code, `There is no file ${file}.`, {
      hints: ["--set takes a path from the working directory; leave it out for the sets beside the skill."],
      details: { file },
    });
  }, "file-not-found");
  return readTextFile(file, maxBytes).catch(tellMissing);
}

// Two files may use the same ids.
function uniqueIds(
  sets: readonly { readonly queries: readonly TriggerQuery[] }[],
  files: readonly string[],
): readonly TriggerQuery[] {
  if (sets.length === 1) return sets[0]?.queries ?? [];
  const names = files.map((file) => basename(file));
  const isSame = new Set(names).size < names.length;
  return sets.flatMap(({ queries }, index) =>
    queries.map((query) => ({
      ...query,
      id: `${isSame ? `${index + 1}/` : ""}${names[index] ?? ""}:${query.id}`,
    })),
  );
}

function notRead(file: string, instead: string): Diagnostic {
  const message = `another set lies here and was not read; ${basename(instead)} was`;
  const hint = `add --set ${join(basename(dirname(file)), basename(file))} to read it`;
  return diagnostic("info", "trigger-set-not-read", file, message, hint);
}

function notReadable(file: string): Diagnostic {
  const message = "a set in this format or folder is not read";
  const hint = "write it as JSON, as evals/eval_queries.json beside SKILL.md";
  return diagnostic("info", "trigger-set-not-read", file, message, hint);
}

function noSet({ qualifiedName, directory }: Skill, [unreadable]: readonly string[]): CliError {
  const message =
    unreadable === undefined
      ? `There is no set of messages for ${qualifiedName}.`
      : `${join(directory, unreadable)} is not read: write it as JSON.`;
  return refusalError("trigger-set-missing", message, { skill: qualifiedName }, [
    `Write ${join(directory, "evals", "eval_queries.json")}, about ten of each:`,
    '  [{ "query": "a message that should call it", "should_trigger": true },',
    '   { "query": "a near miss", "should_trigger": false }]',
    "Or name a file: --set FILE",
  ]);
}

export interface SkillToEvaluate {
  readonly skill: Skill;
  /** The registry that contains the skill. */
  readonly registry: Skills;
  readonly others: readonly Skill[];
  readonly readBody: (skill: Skill) => Promise<string | undefined>;
  /** The sets of bundled skills, which train the selector. */
  readonly readExamples: () => ReturnType<typeof readExamples>;
  /** Skillet's own folder, with the file of learned thresholds. */
  readonly home: string;
}

export async function findSkillToEvaluate(
  context: CommandContext,
  word: string,
  { alone, among }: { readonly alone: boolean; readonly among: string | undefined },
): Promise<SkillToEvaluate> {
  const installed = await openRegistry(context);
  const place = await openPlace(context, installed, word);
  const skill = place?.skill ?? resolveSkill(installed, word, context.workspace);
  const company =
    among === undefined
      ? installed
      : await openRegistry({ ...context, skillsRoots: [resolve(context.workspace, among)] });
  const owners = new Map<string, Skills>();
  const registry = place?.registry ?? installed;
  for (const one of [company, registry]) for (const { path } of one.snapshot.skills) owners.set(path, one);
  return {
    skill,
    registry,
    others: alone ? [] : company.snapshot.skills,
    readBody: async (one) => {
      const owner = owners.get(one.path);
      return owner && readSkillBody(owner, one);
    },
    readExamples: () =>
      readExamples(company.snapshot.skills, (one, file) =>
        company.reader
          .readFile(one, file, { maxBytes: loadSelecting().MAX_SET_BYTES })
          .then(({ bytes }) => bytes)
          .catch(onSkilletError(() => undefined)),
      ),
    home: installed.home,
  };
}

// A bare name means an installed skill, even if a folder here has the same name.
async function openPlace(
  context: CommandContext,
  installed: Skills,
  word: string,
): Promise<{ readonly skill: Skill; readonly registry: Skills } | undefined> {
  const path = resolve(context.workspace, word).replace(/[\\/]SKILL\.md$/i, "");
  if (lookUpSkill(installed, word, context.workspace).kind !== "unknown") return undefined;
  if (pathKind(path) !== "folder") return undefined;
  const registry = await openRegistry({ ...context, skillsRoots: [path] });
  const skill = registry.snapshot.skills.find(
    ({ directory, kind }) => kind === "skill" && canonicalPath(directory) === canonicalPath(path),
  );
  if (skill !== undefined) return { skill, registry };
  const message = `${word} is a folder, but holds no skill that loads.`;
  const hints = [`See why: skillet validate ${word}`];
  throw refusalError("skill-unknown", message, { name: word }, hints);
}

/** Returns a skill's instructions; undefined if they are unreadable, so that only its header counts. */
export async function readSkillBody(registry: Skills, skill: Skill): Promise<string | undefined> {
  const read = await registry.reader.readText(skill).catch(onSkilletError(() => undefined));
  return read && parseSkill(read.text, { directoryName: skill.directoryName }).body;
}
