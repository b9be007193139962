import type { TriggerQuery } from "@skillet/author";
import { LocalSource, type Skill } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import type { CommandContext } from "../command-context.ts";
import { collisionTable } from "../eval/collision-table.ts";
import { createCountLine } from "../eval/count-line.ts";
import { readSkillBody } from "../eval/read-skill-body.ts";
import type { ExitCode } from "../exit-code.ts";
import { openRegistry } from "../open-registry.ts";
import { printJson } from "../output/json-document.ts";
import { resolveSkill } from "../resolve-skill.ts";
import { loadSelecting } from "../select/load-selecting.ts";

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
    for (const text of collisionTable(report, layout)) terminal.print(text);
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
