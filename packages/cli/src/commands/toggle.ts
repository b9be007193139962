import { resolveHome, type Skill, type Skills } from "@skillet/core";
import { setSkillEnabled } from "@skillet/core/internal";
import { shellArgument } from "@skillet/kit/text";
import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { openRegistry, resolveSkill } from "../context/open-registry.ts";
import { recordAndApply } from "../context/record-decision.ts";
import { printJson } from "../ui/json-document.ts";
import type { Layout } from "../ui/terminal.ts";
import { showControl, showPath, showSentence, wrap } from "../ui/text.ts";

/** Offers skills to models again, by writing the user's config or taking back what the project's disables. */
export function enable(
  context: CommandContext,
  options: { readonly names: readonly string[]; readonly project?: boolean },
): Promise<ExitCode> {
  const layer = options.project === true ? "project" : "user";
  return toggleSkills(context, { names: options.names, enabled: true, layer });
}

/** Stops offering skills to models, by writing the user's config or the project's. */
export function disable(
  context: CommandContext,
  options: { readonly names: readonly string[]; readonly project?: boolean },
): Promise<ExitCode> {
  const layer = options.project === true ? "project" : "user";
  return toggleSkills(context, { names: options.names, enabled: false, layer });
}

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

interface ToggleRow {
  readonly name: string;
  readonly qualifiedName: string;
  readonly outcome: "enabled" | "disabled" | "unchanged";
  readonly state: Skill["state"];
  readonly reason?: string;
  readonly file?: string;
}

/** How a skill stands after it was switched, and what that means for others of its name. */
export interface ToggleResult {
  readonly row: ToggleRow;
  /** As it was before; people know it by that name. */
  readonly skill: Skill;
  /** The skill that has its name now. */
  readonly heir?: Skill;
  /** Others of its name that are disabled, where this one was not: perhaps one of them was meant. */
  readonly disabledNamesakes: readonly Skill[];
  /** What was written holds for skills of that name in every project. */
  readonly holdsInEveryProject: boolean;
}

/** Compares a skill before with all skills after it was switched. */
export function toggleResult(
  skill: Skill,
  after: Skills,
  change: {
    readonly enabled: boolean;
    readonly layer: "user" | "project";
    readonly selectBy: "name" | "folder";
    /** The config file, where one was changed. */
    readonly file?: string;
  },
): ToggleResult {
  const { skills } = after.snapshot;
  const { enabled, layer, selectBy, file } = change;
  const now = skills.find(({ path }) => path === skill.path) ?? skill;
  const heir = skills.find((other) => other !== now && other.qualifiedName === skill.qualifiedName);
  const ofProject = skill.scope === "project" || skill.scope === "claude";
  return {
    skill,
    row: {
      name: skill.name,
      qualifiedName: now.qualifiedName,
      outcome: file === undefined ? "unchanged" : enabled ? "enabled" : "disabled",
      state: now.state,
      ...(now.reason !== undefined && { reason: now.reason }),
      ...(file !== undefined && { file }),
    },
    ...(heir && { heir }),
    disabledNamesakes: enabled && file === undefined ? disabledNamesakes(skills, now) : [],
    holdsInEveryProject:
      !enabled && file !== undefined && layer === "user" && selectBy === "name" && ofProject,
  };
}

/** Whether a skill stands as it was asked for. */
export function isAsWanted({ row }: ToggleResult, { enabled }: { readonly enabled: boolean }): boolean {
  return (row.state === "disabled") !== enabled;
}

function disabledNamesakes(skills: readonly Skill[], skill: Skill): readonly Skill[] {
  if (skill.qualifiedName !== skill.name) return [];
  return skills.filter((other) => other.name === skill.name && other.state === "disabled");
}

/** Which way was asked for, in whose config, and where it is shown. */
export interface ToggleReportOptions extends Layout {
  readonly enabled: boolean;
  readonly layer: "user" | "project";
}

/** What became of one skill, and what to know about others of its name. */
export function toggleReport(result: ToggleResult, options: ToggleReportOptions): string[] {
  const { colours, width, enabled } = options;
  const isDone = isAsWanted(result, options);
  const mark = isDone ? (enabled ? colours.green("✓") : colours.dim("○")) : colours.yellow("!");
  const text = isDone ? describeResult(result, options) : describeStandstill(result, options);
  const lines = wrap(showSentence(text, options.environment), { width: width - 2 });
  return [
    ...lines.map((line, index) => `${index === 0 ? mark : " "} ${line}`),
    ...(isDone && enabled ? offerNote(result, options) : []),
    ...nameNote(result, options),
    ...namesakeNote(result, options),
    ...projectNote(result, options),
  ];
}

function describeResult({ skill, row }: ToggleResult, { enabled, environment }: ToggleReportOptions): string {
  const word = enabled ? "enabled" : "disabled";
  if (row.file === undefined) return `${skill.qualifiedName} is ${word} already; nothing was changed.`;
  return `${skill.qualifiedName} is ${word} now, in ${showPath(row.file, environment)}.`;
}

function describeStandstill({ skill, row }: ToggleResult, options: ToggleReportOptions): string {
  const { qualifiedName } = skill;
  const { file, reason = "another config decides", state } = row;
  const place = file === undefined ? undefined : showPath(file, options.environment);
  if (options.enabled) {
    const written = place === undefined ? "" : ` ${place} ${saysNow(options)}.`;
    return `${qualifiedName} is still disabled: ${reason}.${written}`;
  }
  // Only a project's config can be left unread, and what is stronger than a user's can enable.
  const why =
    options.layer === "project"
      ? "the folder has to be trusted first: skillet trust"
      : "another config enables it";
  return `${place ?? "The config"} disables ${qualifiedName}, but it is still ${state}: ${why}`;
}

// A project cannot enable; it can only stop forbidding.
function saysNow({ layer }: ToggleReportOptions): string {
  return layer === "project" ? "does not disable it any more" : "does enable it";
}

function offerNote({ row }: ToggleResult, options: ToggleReportOptions): string[] {
  if (row.state === "enabled") return [];
  const why = `It is not offered yet (${row.state}): ${row.reason ?? "another config decides"}`;
  return note(why, options).map((line) => options.colours.yellow(line));
}

function nameNote({ skill, row, heir }: ToggleResult, options: ToggleReportOptions): string[] {
  if (row.qualifiedName === skill.qualifiedName) return [];
  if (heir === undefined) return note(`It is called ${row.qualifiedName} now.`, options);
  const owner = showPath(heir.path, options.environment);
  const text = `It is called ${row.qualifiedName} now; ${skill.qualifiedName} is ${owner}.`;
  if (options.enabled) return note(text, options);
  return [...note(`${text} To undo this:`, options), command(["enable", row.qualifiedName], options)];
}

function namesakeNote({ skill, disabledNamesakes }: ToggleResult, options: ToggleReportOptions): string[] {
  if (disabledNamesakes.length === 0) return [];
  const listed = disabledNamesakes.slice(0, MAX_NAMESAKES);
  const places = listed.map(({ path }) => showPath(path, options.environment)).join(", ");
  const others = disabledNamesakes.length === 1 ? "Another skill" : `${disabledNamesakes.length} others`;
  const are = disabledNamesakes.length === 1 ? "is" : "are";
  return [
    ...note(`${others} of the name ${skill.name} ${are} disabled (${places}). To enable it:`, options),
    ...listed.map(({ qualifiedName }) => command(["enable", qualifiedName], options)),
  ];
}

const MAX_NAMESAKES = 5;

function projectNote({ skill, holdsInEveryProject }: ToggleResult, options: ToggleReportOptions): string[] {
  if (!holdsInEveryProject) return [];
  const { name, kind, directory } = skill;
  const text = `That holds for the ${skill.scope} skill ${name} of every project. For this one alone, enable it again and run:`;
  return [
    ...note(text, options),
    command(["disable", name, "--project"], options),
    // A path that cannot be shown as it is would name another folder.
    ...(kind === "skill" && showControl(directory) === directory
      ? [command(["disable", directory], options)]
      : []),
  ];
}

function note(text: string, { width, environment }: Layout): string[] {
  return wrap(showSentence(text, environment), { width: width - 2 }).map((line) => `  ${line}`);
}

// Never wrapped: a command must survive copy and paste.
function command(words: readonly string[], { colours }: Layout): string {
  return `    ${colours.cyan(showControl(`skillet ${words.map(shellArgument).join(" ")}`))}`;
}
