import type {
  Collision,
  CollisionDirection,
  CollisionReport,
  PhraseSource,
  TriggerQuery,
} from "@skillet/author";
import { LocalSource, type Skill } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { listFirst } from "@skillet/kit/text";
import { answer, type CommandContext, type ExitCode, type OfNames } from "../context/command-context.ts";
import { openRegistry, resolveSkill } from "../context/open-registry.ts";
import { readSkillBody } from "../eval/read-trigger-sets.ts";
import { loadSelecting } from "../load-beside.ts";
import { createCountLine } from "../ui/progress-bar.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, firstLines, hang, moreInJson } from "../ui/text.ts";

type EvalCollisionsOptions = OfNames<"fail"> & { readonly minShare?: number };

export async function evalCollisions(
  context: CommandContext,
  { names, minShare, fail }: EvalCollisionsOptions,
): Promise<ExitCode> {
  const skills = await openRegistry(context);
  const wanted = names.map((name) => resolveSkill(skills, name, context.workspace).qualifiedName);
  const line = createCountLine(context, "Trying phrases of skills");
  const report = await loadSelecting().findCollisions(skills.snapshot, {
    readBody: (skill: Skill) => readSkillBody(skills, skill),
    triggerSets: await readSets(skills.list()),
    onProgress: line.show,
    ...(wanted.length > 0 && { names: wanted }),
    ...(minShare !== undefined && { minShare }),
  });
  line.clear();
  const exitCode = fail === true && report.collisions.length > 0 ? 1 : 0;
  return answer(context, { ...report }, () => collisionTable(report, context.terminal), exitCode);
}

// A set that cannot be read is reported by `eval triggers`; here only the skill's own words are used.
async function readSets(skills: readonly Skill[]): Promise<ReadonlyMap<string, readonly TriggerQuery[]>> {
  const { MAX_SET_BYTES, findTriggerSets, readTriggerSet } = loadSelecting();
  const sets = new Map<string, readonly TriggerQuery[]>();
  for (const { kind, directory, qualifiedName } of skills) {
    if (kind !== "skill") continue;
    const source = new LocalSource(directory);
    try {
      const queries: TriggerQuery[] = [];
      for (const file of (await findTriggerSets(source)).files) {
        const { bytes, truncated } = await source.read(file, { maxBytes: MAX_SET_BYTES });
        if (truncated) continue;
        queries.push(...readTriggerSet(new TextDecoder().decode(bytes), { file }).queries);
      }
      if (queries.length > 0) sets.set(qualifiedName, queries);
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
    }
  }
  return sets;
}

// `--json` lists them all.
const MAX_LISTED = 30;
const MAX_PHRASES = 3;
const MAX_NAMED = 8;

export function collisionTable(report: CollisionReport, layout: Layout): string[] {
  const blocks = firstLines(
    report.collisions,
    MAX_LISTED,
    (collision) => [...block(collision, layout), ""],
    moreInJson(layout, ""),
  );
  const isCut = report.collisions.length > MAX_LISTED;
  return [...blocks, ...(isCut ? [""] : []), ...hang(summary(report), layout)];
}

function block({ kind, skills, directions }: Collision, layout: Layout): string[] {
  const { bold, red, yellow } = layout.colours;
  const isCopy = kind === "copy";
  const title = listFirst(skills, MAX_NAMED, isCopy ? " = " : " and ");
  return [
    ...hang(title, layout, { indent: 2, lead: `${isCopy ? red("=") : yellow("!")} `, paint: bold }),
    ...(isCopy
      ? ["    copies: the same description, so nothing tells them apart; keep one"]
      : directions.flatMap((direction) => directionLines(direction, layout))),
  ];
}

function directionLines(direction: CollisionDirection, layout: Layout): string[] {
  const { from, to, queries, stolen, close, phrases, sharedWords } = direction;
  const nearly = close > 0 ? `, and nearly ${close} more` : "";
  const lost = stolen > 0 ? `loses ${stolen} to ${to}${nearly}` : `nearly loses ${close} to ${to}`;
  const shared = sharedWords.length === 0 ? "" : `both say: ${sharedWords.join(", ")}`;
  return [
    ...hang(`${from} ${lost}, of ${count(queries, "phrase")} of its own:`, layout, {
      indent: 4,
      maxLines: 3,
    }),
    ...phrases.slice(0, MAX_PHRASES).flatMap(({ text, source, outcome }) => {
      const how = `${SOURCES[source]}${outcome === "close" ? ", close" : ""}`;
      return hang(`"${text}" (${how})`, layout, { indent: 6, maxLines: 2 });
    }),
    ...hang(shared, layout, { indent: 4, maxLines: 3 }).map((line) => layout.colours.dim(line)),
  ];
}

const SOURCES: Readonly<Record<PhraseSource, string>> = {
  "trigger-set": "trigger set",
  phrase: "quoted",
  keyword: "keyword",
  "when-to-use": "when_to_use",
  description: "description",
};

function summary({ collisions, skills, queries, cut }: CollisionReport): string {
  const found =
    collisions.length === 0 ? "No skill takes another's messages" : count(collisions.length, "collision");
  const were = cut.phrases === 1 ? "was" : "were";
  const parts = [
    `${found}: ${count(skills, "skill")}, ${count(queries, "phrase")} tried`,
    ...(cut.phrases > 0 ? [`${count(cut.phrases, "phrase")} beyond the bound ${were} not tried`] : []),
    ...(cut.skills > 0 ? [`of ${count(cut.skills, "skill")} none was tried`] : []),
  ];
  return `${parts.join("; ")}.`;
}
