import { resolveHome, type Skill, type Skills, setSkillEnabled } from "@skillet/core";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command-context.ts";
import type { ExitCode } from "./exit-code.ts";
import { openRegistry } from "./open-registry.ts";
import { printJson } from "./output/json-document.ts";
import { recordAndApply } from "./record-decision.ts";
import { resolveSkill } from "./resolve-skill.ts";
import { wrap } from "./ui/fit-text.ts";
import { showPath } from "./ui/show-path.ts";
import { stripControl } from "./ui/strip-control.ts";

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
  const wanted = [...new Set(options.names.map((name) => resolveSkill(before, name, context.workspace)))];
  const changes: { readonly skill: Skill; readonly file?: string }[] = [];
  for (const skill of wanted) changes.push({ skill, ...(await toggle(context, before, skill, options)) });
  const after = await openRegistry(context);
  const results = changes.map(({ skill, file }) => toResult(skill, standing(after, skill), file, options));
  if (context.json) printJson(context.terminal, { results });
  else for (const result of results) printResult(context, result, options);
  return results.every((result) => isAsWanted(result, options)) ? 0 : 1;
}

async function toggle(
  context: CommandContext,
  skills: Skills,
  skill: Skill,
  options: ToggleOptions,
): Promise<{ readonly file?: string }> {
  const { enabled, layer } = options;
  if (layer === "user" && (skill.state === "disabled") !== enabled) return {};
  const { home, project } = skills;
  const { name, scope, plugin, path, digest, directory } = skill;
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
        kind: skill.kind,
        directory,
        selectBy: skill.kind === "skill" && hasNamesake(skills, skill) ? "folder" : "name",
        ...(plugin !== undefined && { plugin }),
        ...(project && { projectRoot: project.root }),
      }),
  );
  return changed ? { file } : {};
}

// One override would switch them both.
function hasNamesake(skills: Skills, skill: Skill): boolean {
  return skills.snapshot.skills.some(
    (other) =>
      other !== skill &&
      other.scope === skill.scope &&
      other.name.normalize() === skill.name.normalize() &&
      (skill.plugin === undefined || other.plugin === skill.plugin),
  );
}

interface ToggleResult {
  readonly name: string;
  readonly qualifiedName: string;
  readonly outcome: "enabled" | "disabled" | "unchanged";
  readonly state: Skill["state"];
  readonly reason?: string;
  readonly file?: string;
}

function standing(skills: Skills, skill: Skill): Skill {
  return skills.snapshot.skills.find(({ path }) => path === skill.path) ?? skill;
}

function toResult(
  before: Skill,
  after: Skill,
  file: string | undefined,
  options: ToggleOptions,
): ToggleResult {
  const done = options.enabled ? "enabled" : "disabled";
  return {
    name: before.name,
    qualifiedName: after.qualifiedName,
    outcome: file === undefined ? "unchanged" : done,
    state: after.state,
    ...(after.reason !== undefined && { reason: after.reason }),
    ...(file !== undefined && { file }),
  };
}

function isAsWanted({ state }: ToggleResult, { enabled }: ToggleOptions): boolean {
  return (state === "disabled") !== enabled;
}

function printResult(context: CommandContext, result: ToggleResult, options: ToggleOptions): void {
  const { terminal, environment } = context;
  const { colours, width } = terminal;
  const isDone = isAsWanted(result, options);
  const mark = isDone ? (options.enabled ? colours.green("✓") : colours.dim("○")) : colours.yellow("!");
  const text = isDone
    ? describeResult(result, options, environment)
    : describeStandstill(result, options, environment);
  const lines = wrap(stripControl(text), { width: width - 2 });
  for (const [index, line] of lines.entries()) terminal.print(`${index === 0 ? mark : " "} ${line}`);
  if (!isDone || !options.enabled || result.state === "enabled") return;
  const why = `It is not offered yet (${result.state}): ${result.reason ?? "another config decides"}`;
  for (const line of wrap(stripControl(why), { width: width - 2 }))
    terminal.print(`  ${colours.yellow(line)}`);
}

function describeResult(
  result: ToggleResult,
  options: ToggleOptions,
  environment: CommandContext["environment"],
): string {
  const word = options.enabled ? "enabled" : "disabled";
  if (result.file === undefined) return `${result.qualifiedName} is ${word} already; nothing was changed.`;
  return `${result.qualifiedName} is ${word} now, in ${showPath(result.file, environment)}.`;
}

function describeStandstill(
  result: ToggleResult,
  options: ToggleOptions,
  environment: CommandContext["environment"],
): string {
  const { qualifiedName, file, reason = "another config decides" } = result;
  const place = file === undefined ? undefined : showPath(file, environment);
  if (options.enabled) {
    const written = place === undefined ? "" : ` ${place} does enable it.`;
    return `${qualifiedName} is still disabled: ${reason}.${written}`;
  }
  // Only a project's config can be left unread, and what is stronger than a user's can enable.
  const why =
    options.layer === "project"
      ? "the folder has to be trusted first: skillet trust"
      : "another config enables it";
  return `${place ?? "The config"} disables ${qualifiedName}, but it is still ${result.state}: ${why}`;
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
