import { type Skill, type Skills, setSkillEnabled } from "@skillet/core";
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
  for (const skill of wanted) changes.push({ skill, ...(await toggle(before, skill, options)) });
  const after = await openRegistry(context);
  const results = changes.map(({ skill, file }) => toResult(skill, standing(after, skill), file, options));
  if (context.json) printJson(context.terminal, { results });
  else for (const result of results) printResult(context, result, options);
  return results.every(({ state }) => (state === "disabled") !== options.enabled) ? 0 : 1;
}

async function toggle(
  skills: Skills,
  skill: Skill,
  options: ToggleOptions,
): Promise<{ readonly file?: string }> {
  const { enabled, layer } = options;
  if (layer === "user" && (skill.state === "disabled") !== enabled) return {};
  const { home, project } = skills;
  const { name, scope, plugin, path, digest } = skill;
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
        ...(plugin !== undefined && { plugin }),
        ...(project && { projectRoot: project.root }),
      }),
  );
  return changed ? { file } : {};
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

function printResult(context: CommandContext, result: ToggleResult, options: ToggleOptions): void {
  const { terminal, environment } = context;
  const { colours, width } = terminal;
  const mark = options.enabled ? colours.green("✓") : colours.dim("○");
  const lines = wrap(stripControl(describeResult(result, options, environment)), { width: width - 2 });
  for (const [index, line] of lines.entries()) terminal.print(`${index === 0 ? mark : " "} ${line}`);
  if ((result.state === "disabled") === options.enabled || (options.enabled && result.state !== "enabled")) {
    const reason = result.reason ?? "another config decides";
    const why = `It is ${options.enabled ? "not offered yet" : "not disabled here"} (${result.state}): ${reason}`;
    for (const line of wrap(stripControl(why), { width: width - 2 }))
      terminal.print(`  ${colours.yellow(line)}`);
  }
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

function noProject(context: CommandContext): CliError {
  return new CliError(
    "no-project",
    `${context.workspace} lies in no project, so there is no project config to write.`,
    {
      hints: ["Run it in a project's folder, or leave --project out to write your own config."],
    },
  );
}
