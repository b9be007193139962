import type { Scope, Skill, SkillState, Skills } from "@skillet/core";
import type { FindInstalled } from "@skillet/hub";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { openRegistry, resolveSkill } from "../context/open-registry.ts";
import { knownVerdicts } from "../context/user-rules.ts";
import { addInstalledVerdicts, findInstalledOf, installedWords } from "../hub/installed-verdicts.ts";
import { diagnosticRow, printJson, skillRow } from "../ui/json-document.ts";
import { skillList, skillSummary } from "../ui/skill-list.ts";
import { emptyState, failureList, trustNotice, warningList } from "../ui/skill-notices.ts";

/** Which skills to show, and how much of each. */
export interface ShowOptions {
  readonly names: readonly string[];
  readonly scope?: readonly Scope[];
  readonly state?: readonly SkillState[];
  readonly search?: string;
  readonly long?: boolean;
  /** What to say when the filters leave nothing. */
  readonly nothing?: string;
}

/** Lists skills by scope: whether each is offered, why not, and what it costs. */
export async function show(context: CommandContext, options: ShowOptions): Promise<ExitCode> {
  const skills = await openRegistry(context);
  const { snapshot } = skills;
  const shown = filterSkills(skills, options, context.workspace);
  const find = await findInstalledOf(context, skills);
  const known = await knownVerdicts(skills, shown);
  const verdicts = await addInstalledVerdicts(context, skills, { shown, verdicts: known, find });
  if (context.json) {
    const diagnostics = [...skills.config.diagnostics, ...snapshot.diagnostics];
    const rows = shown.map((skill) => skillRow(skill, verdicts.get(skill), find(skill.path)));
    printJson(context.terminal, { skills: rows, diagnostics: diagnostics.map(diagnosticRow) });
    return 0;
  }
  printSkills(context, skills, { shown, verdicts, find }, options);
  return 0;
}

function filterSkills(skills: Skills, options: ShowOptions, workspace: string): readonly Skill[] {
  const { names, scope, state, search } = options;
  const named =
    names.length === 0 ? undefined : new Set(names.map((name) => resolveSkill(skills, name, workspace)));
  const needle = search?.toLocaleLowerCase("en");
  return skills.snapshot.skills.filter(
    (skill) =>
      (named === undefined || named.has(skill)) &&
      (scope === undefined || scope.includes(skill.scope)) &&
      (state === undefined || state.includes(skill.state)) &&
      (needle === undefined || matches(skill, needle)),
  );
}

function matches(skill: Skill, needle: string): boolean {
  const { description, whenToUse = "", tags } = skill.manifest;
  return [skill.qualifiedName, skill.directoryName, description, whenToUse, ...tags].some((text) =>
    text.toLocaleLowerCase("en").includes(needle),
  );
}

interface Shown {
  readonly shown: readonly Skill[];
  readonly verdicts: Awaited<ReturnType<typeof knownVerdicts>>;
  readonly find: FindInstalled;
}

function printSkills(
  context: CommandContext,
  skills: Skills,
  { shown, verdicts, find }: Shown,
  options: ShowOptions,
): void {
  const { terminal, environment } = context;
  const { snapshot } = skills;
  const layout = { width: terminal.width, colours: terminal.colours, environment };
  const filtered = shown.length < snapshot.skills.length;
  const sections: (readonly string[])[] = [
    skillList(shown, {
      ...layout,
      long: options.long ?? false,
      scopes: scopesByPrecedence(snapshot.roots),
      verdicts,
      originOf: ({ path }) => installedWords(find(path)),
    }),
  ];
  if (snapshot.skills.length === 0) sections.push(emptyState(skills, layout));
  if (!filtered) {
    sections.push(failureList(snapshot, layout), warningList(skills, layout), trustNotice(skills, layout));
  }
  if (snapshot.skills.length > 0)
    sections.push(
      shown.length === 0 && options.nothing !== undefined
        ? [options.nothing]
        : skillSummary(shown, snapshot, { ...layout, verdicts }),
    );
  const filled = sections.filter((section) => section.length > 0).map((section) => section.join("\n"));
  if (filled.length > 0) terminal.print(filled.join("\n\n"));
}

function scopesByPrecedence(roots: readonly { readonly scope: Scope }[]): readonly Scope[] {
  return [...new Set(roots.map(({ scope }) => scope))];
}
