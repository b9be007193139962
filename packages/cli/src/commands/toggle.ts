import { resolveHome, type Skill, type Skills } from "@skillet/core";
import { setSkillEnabled } from "@skillet/core/internal";
import { shellArgument } from "@skillet/kit/text";
import { CliError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { openRegistry, resolveSkill } from "../context/open-registry.ts";
import { recordAndApply } from "../context/record-decision.ts";
import type { Layout } from "../ui/terminal.ts";
import { hang, showControl, showPath, showSentence } from "../ui/text.ts";

interface NamedSkills extends Flags<"project"> {
  readonly names: readonly string[];
}

export function enable(context: CommandContext, { names, project }: NamedSkills): Promise<ExitCode> {
  return toggleSkills(context, names, { enabled: true, layer: project === true ? "project" : "user" });
}

export function disable(context: CommandContext, { names, project }: NamedSkills): Promise<ExitCode> {
  return toggleSkills(context, names, { enabled: false, layer: project === true ? "project" : "user" });
}

interface Wish {
  readonly enabled: boolean;
  readonly layer: "user" | "project";
}

/** Switches skills on or off in a config file, on record, and says how they stand afterwards. */
async function toggleSkills(
  context: CommandContext,
  names: readonly string[],
  wish: Wish,
): Promise<ExitCode> {
  const before = await openRegistry(context);
  if (wish.layer === "project" && before.project === undefined)
    throw new CliError(
      "no-project",
      `${context.workspace} lies in no project, so there is no project config to write.`,
      { hints: ["Run it in a project's folder, or leave --project out to write your own config."] },
    );
  // All names are understood before the first file changes.
  const targets = new Map<Skill, Target>();
  for (const name of names) {
    const skill = resolveSkill(before, name, context.workspace);
    targets.set(skill, { skill, selectBy: selectorOf(before, skill, name) });
  }
  const changes: { readonly target: Target; readonly file: string | undefined }[] = [];
  for (const target of targets.values())
    changes.push({ target, file: await toggle(context, before, target, wish) });
  const after = await openRegistry(context);
  const results = changes.map(({ target, file }) => toggleResult(target, after, wish, file));
  return answer(
    context,
    { results: results.map(({ row }) => row) },
    () => results.flatMap((result) => toggleReport(result, { ...context.terminal, ...wish })),
    results.every((result) => isAsWanted(result, wish)) ? 0 : 1,
  );
}

interface Target {
  readonly skill: Skill;
  readonly selectBy: "name" | "folder";
}

// Who names a skill by its path means that one, and one override by name would switch a namesake as well.
function selectorOf({ snapshot }: Skills, skill: Skill, given: string): "name" | "folder" {
  if (skill.kind === "command") return "name";
  const isByPath = given.includes("/") && given !== skill.qualifiedName;
  const hasNamesake = snapshot.skills.some(
    (other) =>
      other !== skill &&
      other.scope === skill.scope &&
      other.name.normalize() === skill.name.normalize() &&
      (skill.plugin === undefined || other.plugin === skill.plugin),
  );
  return isByPath || hasNamesake ? "folder" : "name";
}

/** Gives the config file where one was changed. */
async function toggle(
  context: CommandContext,
  { home, project }: Skills,
  { skill, selectBy }: Target,
  { enabled, layer }: Wish,
): Promise<string | undefined> {
  const isWanted = (skill.state === "disabled") !== enabled;
  // What a project's config says is known only once the folder is trusted, and what disables a skill may be another one.
  if (isWanted && (layer === "user" || (enabled && project?.trusted === true))) return undefined;
  const { name, qualifiedName, scope, kind, plugin, path, digest, directory } = skill;
  const action = enabled ? "enable" : "disable";
  const { userHome } = resolveHome(context.environment);
  const { file, changed } = await recordAndApply(
    home,
    { action, skill: qualifiedName, scope, path, digest, decision: "allow" },
    () =>
      setSkillEnabled({
        ...{ home, layer, name, scope, enabled, userHome, kind, directory, selectBy },
        ...(plugin !== undefined && { plugin }),
        ...(project && { projectRoot: project.root }),
      }),
  );
  return changed ? file : undefined;
}

/** How a skill stands after it was switched, and what that means for others of its name. */
interface ToggleResult {
  readonly row: {
    readonly name: string;
    readonly qualifiedName: string;
    readonly outcome: "enabled" | "disabled" | "unchanged";
    readonly state: Skill["state"];
    readonly reason?: string;
    readonly file?: string;
  };
  /** As it was before; people know it by that name. */
  readonly skill: Skill;
  /** The skill that has its name now. */
  readonly heir: Skill | undefined;
  /** Others of its name that are disabled, where this one was not: perhaps one of them was meant. */
  readonly disabledNamesakes: readonly Skill[];
  /** What was written holds for skills of that name in every project. */
  readonly holdsInEveryProject: boolean;
}

function toggleResult(
  { skill, selectBy }: Target,
  after: Skills,
  { enabled, layer }: Wish,
  file: string | undefined,
): ToggleResult {
  const { skills } = after.snapshot;
  const now = skills.find(({ path }) => path === skill.path) ?? skill;
  const isOfProject = skill.scope === "project" || skill.scope === "claude";
  const isPlainName = now.qualifiedName === now.name;
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
    heir: skills.find((other) => other !== now && other.qualifiedName === skill.qualifiedName),
    disabledNamesakes:
      enabled && file === undefined && isPlainName
        ? skills.filter((other) => other.name === now.name && other.state === "disabled")
        : [],
    holdsInEveryProject:
      !enabled && file !== undefined && layer === "user" && selectBy === "name" && isOfProject,
  };
}

function isAsWanted({ row }: ToggleResult, { enabled }: Wish): boolean {
  return (row.state === "disabled") !== enabled;
}

type ReportLayout = Layout & Wish;

function toggleReport(result: ToggleResult, layout: ReportLayout): string[] {
  const { colours, enabled } = layout;
  const isDone = isAsWanted(result, layout);
  const mark = isDone ? (enabled ? colours.green("✓") : colours.dim("○")) : colours.yellow("!");
  const text = isDone ? describeResult(result, layout) : describeStandstill(result, layout);
  return [
    ...hang(showSentence(text, layout.environment), layout, { indent: 2, lead: `${mark} ` }),
    ...(isDone && enabled ? offerNote(result, layout) : []),
    ...nameNote(result, layout),
    ...namesakeNote(result, layout),
    ...projectNote(result, layout),
  ];
}

function describeResult({ skill, row }: ToggleResult, { enabled, environment }: ReportLayout): string {
  const word = enabled ? "enabled" : "disabled";
  if (row.file === undefined) return `${skill.qualifiedName} is ${word} already; nothing was changed.`;
  return `${skill.qualifiedName} is ${word} now, in ${showPath(row.file, environment)}.`;
}

function describeStandstill({ skill, row }: ToggleResult, layout: ReportLayout): string {
  const { qualifiedName } = skill;
  const { file, reason = "another config decides", state } = row;
  const place = file === undefined ? undefined : showPath(file, layout.environment);
  const isProject = layout.layer === "project";
  if (layout.enabled) {
    // A project cannot enable; it can only stop forbidding.
    const says = isProject ? "does not disable it any more" : "does enable it";
    return `${qualifiedName} is still disabled: ${reason}.${place === undefined ? "" : ` ${place} ${says}.`}`;
  }
  // Only a project's config can be left unread, and what is stronger than a user's can enable.
  const why = isProject ? "the folder has to be trusted first: skillet trust" : "another config enables it";
  return `${place ?? "The config"} disables ${qualifiedName}, but it is still ${state}: ${why}`;
}

function offerNote({ row }: ToggleResult, layout: ReportLayout): string[] {
  if (row.state === "enabled") return [];
  const why = `It is not offered yet (${row.state}): ${row.reason ?? "another config decides"}`;
  return note(why, layout).map((line) => layout.colours.yellow(line));
}

function nameNote({ skill, row, heir }: ToggleResult, layout: ReportLayout): string[] {
  if (row.qualifiedName === skill.qualifiedName) return [];
  if (heir === undefined) return note(`It is called ${row.qualifiedName} now.`, layout);
  const owner = showPath(heir.path, layout.environment);
  const text = `It is called ${row.qualifiedName} now; ${skill.qualifiedName} is ${owner}.`;
  if (layout.enabled) return note(text, layout);
  return [...note(`${text} To undo this:`, layout), command(["enable", row.qualifiedName], layout)];
}

const MAX_NAMESAKES = 5;

function namesakeNote({ skill, disabledNamesakes }: ToggleResult, layout: ReportLayout): string[] {
  if (disabledNamesakes.length === 0) return [];
  const listed = disabledNamesakes.slice(0, MAX_NAMESAKES);
  const places = listed.map(({ path }) => showPath(path, layout.environment)).join(", ");
  const named = `of the name ${skill.name}`;
  const others =
    disabledNamesakes.length === 1
      ? `Another skill ${named} is`
      : `${disabledNamesakes.length} others ${named} are`;
  return [
    ...note(`${others} disabled (${places}). To enable it:`, layout),
    ...listed.map(({ qualifiedName }) => command(["enable", qualifiedName], layout)),
  ];
}

function projectNote({ skill, holdsInEveryProject }: ToggleResult, layout: ReportLayout): string[] {
  if (!holdsInEveryProject) return [];
  const { name, kind, directory } = skill;
  const text = `That holds for the ${skill.scope} skill ${name} of every project. For this one alone, enable it again and run:`;
  return [
    ...note(text, layout),
    command(["disable", name, "--project"], layout),
    // A path that cannot be shown as it is would name another folder.
    ...(kind === "skill" && showControl(directory) === directory
      ? [command(["disable", directory], layout)]
      : []),
  ];
}

function note(text: string, layout: Layout): string[] {
  return hang(showSentence(text, layout.environment), layout, { indent: 2 });
}

// Never wrapped: a command must survive copy and paste.
function command(words: readonly string[], { colours }: Layout): string {
  return `    ${colours.cyan(showControl(`skillet ${words.map(shellArgument).join(" ")}`))}`;
}
