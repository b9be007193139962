import type {
  Collision,
  CollisionDirection,
  CollisionReport,
  PhraseSource,
  TriggerQuery,
} from "@skillet/author";
import { LocalSource, type Skill } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { openRegistry, resolveSkill } from "../context/open-registry.ts";
import { readSkillBody } from "../eval/read-trigger-sets.ts";
import { loadSelecting } from "../load-beside.ts";
import { printJson } from "../ui/json-document.ts";
import { createCountLine } from "../ui/progress-bar.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, stripControl, wrap } from "../ui/text.ts";

/** Which skills to look at, and how much must collide. */
export interface EvalCollisionsOptions {
  readonly names: readonly string[];
  readonly minShare?: number;
  readonly fail?: boolean;
}

/** Lists skills that take each other's messages. */
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
  if (context.json) printJson(context.terminal, { ...report });
  else {
    const { terminal, environment } = context;
    const layout = { width: terminal.width, colours: terminal.colours, environment };
    terminal.print(collisionTable(report, layout));
  }
  return fail === true && report.collisions.length > 0 ? 1 : 0;
}

// A set that cannot be read is a matter of `eval triggers`, which says why; here the skill's own words are left.
async function readSets(skills: readonly Skill[]): Promise<ReadonlyMap<string, readonly TriggerQuery[]>> {
  const { MAX_SET_BYTES, findTriggerSets, readTriggerSet } = loadSelecting();
  const sets = new Map<string, readonly TriggerQuery[]>();
  for (const skill of skills) {
    if (skill.kind !== "skill") continue;
    const source = new LocalSource(skill.directory);
    try {
      const { files } = await findTriggerSets(source);
      const queries: TriggerQuery[] = [];
      for (const file of files) {
        const { bytes, truncated } = await source.read(file, { maxBytes: MAX_SET_BYTES });
        if (truncated) continue;
        const text = new TextDecoder().decode(bytes);
        queries.push(...readTriggerSet(text, { file, skillName: skill.name }).queries);
      }
      if (queries.length > 0) sets.set(skill.qualifiedName, queries);
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
    }
  }
  return sets;
}

// `--json` has them all.
const MAX_LISTED = 30;
const MAX_PHRASES = 3;
const MAX_NAMED = 8;

/** Which skills take each other's messages, the worst first, with the phrases at fault; for people. */
export function collisionTable(report: CollisionReport, layout: Layout): string[] {
  const { collisions } = report;
  const rest = collisions.length - MAX_LISTED;
  return [
    ...collisions.slice(0, MAX_LISTED).flatMap((collision) => [...block(collision, layout), ""]),
    ...(rest > 0 ? [layout.colours.dim(`and ${rest} more: --json lists all`), ""] : []),
    ...wrap(summary(report), layout),
  ];
}

function block({ kind, skills, directions }: Collision, layout: Layout): string[] {
  const { colours, width } = layout;
  const names = skills.slice(0, MAX_NAMED).map(stripControl);
  const more = skills.length > MAX_NAMED ? ` and ${skills.length - MAX_NAMED} more` : "";
  const mark = kind === "copy" ? colours.red("=") : colours.yellow("!");
  const title = wrap(`${names.join(kind === "copy" ? " = " : " and ")}${more}`, { width: width - 2 });
  const head = title.map((line, index) => `${index === 0 ? mark : " "} ${colours.bold(line)}`);
  if (kind === "copy")
    return [...head, "    copies: the same text, so that nothing tells them apart; keep one"];
  return [...head, ...directions.flatMap((direction) => directionLines(direction, layout))];
}

function directionLines(direction: CollisionDirection, { colours, width }: Layout): string[] {
  const { from, to, queries, stolen, close, phrases, sharedWords } = direction;
  const [owner, rival] = [stripControl(from), stripControl(to)];
  const nearly = close > 0 ? `, and nearly ${close} more` : "";
  const lost = stolen > 0 ? `loses ${stolen} to ${rival}${nearly}` : `nearly loses ${close} to ${rival}`;
  const within = (indent: number, text: string, maxLines = 3): string[] =>
    wrap(text, { width: width - indent, maxLines }).map((line) => `${" ".repeat(indent)}${line}`);
  return [
    ...within(4, `${owner} ${lost}, of ${count(queries, "phrase")} of its own:`),
    ...phrases
      .slice(0, MAX_PHRASES)
      .flatMap(({ text, source, outcome }) =>
        within(6, `"${stripControl(text)}" (${SOURCES[source]}${outcome === "close" ? ", close" : ""})`, 2),
      ),
    ...(sharedWords.length === 0
      ? []
      : within(4, `both say: ${sharedWords.map(stripControl).join(", ")}`).map((line) => colours.dim(line))),
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
  const bounds = [
    ...(cut.phrases > 0
      ? [`${count(cut.phrases, "phrase")} beyond the bound ${cut.phrases === 1 ? "was" : "were"} not tried`]
      : []),
    ...(cut.skills > 0 ? [`of ${count(cut.skills, "skill")} none was tried`] : []),
  ];
  return `${[`${found}: ${count(skills, "skill")}, ${count(queries, "phrase")} tried`, ...bounds].join("; ")}.`;
}
