import { resolveHome, type Skill, type Skills, setSkillEnabled } from "@skillet/core";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { openRegistry } from "../open-registry.ts";
import { printJson } from "../output/json-document.ts";
import { recordAndApply } from "../record-decision.ts";
import { resolveSkill } from "../resolve-skill.ts";
import { toggleReport } from "../ui/toggle-report.ts";
import { isAsWanted, type ToggleResult, toggleResult } from "./toggle-result.ts";

/** Which skills are switched, which way, and in whose config. */
export interface ToggleOptions {
  readonly names: readonly string[];
  readonly enabled: boolean;
  readonly layer: "user" | "project";
}

/** Switches skills on or off in a config file, on record, and says how they stand afterwards. */
export async function toggleSkills(context: CommandContext, options: ToggleOptions): Promise<ExitCode> {
  const before = await openRegistry(context);
  if (options.layer === "project" && before.project === undefined) throw noProject(context);
  // All names are understood before the first file changes.
  const targets = new Map<Skill, Target>();
  for (const name of options.names) {
    const skill = resolveSkill(before, name, context.workspace);
    targets.set(skill, { skill, selectBy: selectorOf(before, skill, name) });
  }
  const changes: { readonly target: Target; readonly file?: string }[] = [];
  for (const target of targets.values())
    changes.push({ target, ...(await toggle(context, before, target, options)) });
  const after = await openRegistry(context);
  const results = changes.map(({ target, file }) =>
    toggleResult(target.skill, after, {
      ...options,
      selectBy: target.selectBy,
      ...(file !== undefined && { file }),
    }),
  );
  print(context, results, options);
  return results.every((result) => isAsWanted(result, options)) ? 0 : 1;
}

interface Target {
  readonly skill: Skill;
  readonly selectBy: "name" | "folder";
}

// Who names a skill by its path means that one, and one override by name would switch a namesake as well.
function selectorOf(skills: Skills, skill: Skill, given: string): "name" | "folder" {
  if (skill.kind === "command") return "name";
  const byPath = given.includes("/") && given !== skill.qualifiedName;
  return byPath || hasNamesake(skills, skill) ? "folder" : "name";
}

function hasNamesake(skills: Skills, skill: Skill): boolean {
  return skills.snapshot.skills.some(
    (other) =>
      other !== skill &&
      other.scope === skill.scope &&
      other.name.normalize() === skill.name.normalize() &&
      (skill.plugin === undefined || other.plugin === skill.plugin),
  );
}

async function toggle(
  context: CommandContext,
  skills: Skills,
  { skill, selectBy }: Target,
  options: ToggleOptions,
): Promise<{ readonly file?: string }> {
  const { enabled, layer } = options;
  if (isSettled(skills, skill, options)) return {};
  const { home, project } = skills;
  const { name, scope, kind, plugin, path, digest, directory } = skill;
  const action = enabled ? "enable" : "disable";
  const { file, changed } = await recordAndApply(
    home,
    { action, skill: skill.qualifiedName, scope, path, digest, decision: "allow" },
    () =>
      setSkillEnabled({
        home,
        layer,
        name,
        scope,
        enabled,
        userHome: resolveHome(context.environment).userHome,
        kind,
        directory,
        selectBy,
        ...(plugin !== undefined && { plugin }),
        ...(project && { projectRoot: project.root }),
      }),
  );
  return changed ? { file } : {};
}

// What a project's config says is known only once the folder is trusted, and what disables a skill may be another one.
function isSettled({ project }: Skills, skill: Skill, { enabled, layer }: ToggleOptions): boolean {
  const isWanted = (skill.state === "disabled") !== enabled;
  return isWanted && (layer === "user" || (enabled && project?.trusted === true));
}

function print(context: CommandContext, results: readonly ToggleResult[], options: ToggleOptions): void {
  const { terminal, environment } = context;
  if (context.json) {
    printJson(terminal, { results: results.map(({ row }) => row) });
    return;
  }
  const layout = { width: terminal.width, colours: terminal.colours, environment };
  for (const result of results)
    for (const line of toggleReport(result, { ...layout, ...options })) terminal.print(line);
}

function noProject(context: CommandContext): CliError {
  return new CliError(
    "no-project",
    `${context.workspace} lies in no project, so there is no project config to write.`,
    {
      hints: ["Run it in a project's folder, or leave --project out to write your own config."],
    },
  );
}
