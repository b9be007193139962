import type { Scope, Skill, Skills } from "@skillet/core";
import { needsTrust } from "@skillet/core/internal";
import { present } from "@skillet/kit/json";
import { openAgentsOf } from "../context/agents-of.ts";
import { answer, type CommandContext, type ExitCode, type OfNames } from "../context/command-context.ts";
import { openRegistry, readInstalled, resolveSkill } from "../context/open-registry.ts";
import { vetShown } from "../context/vet-shown.ts";
import { createLinkCure, installedWords } from "../hub/installed-from.ts";
import { skillRow } from "../ui/json-document.ts";
import { groupSkills, skillList, skillSummary } from "../ui/skill-list.ts";
import { emptyState, failureList, trustNotice, warningList } from "../ui/skill-notices.ts";
import { rulesOf, type ShownState, shownState } from "../ui/skill-state.ts";
import { attentionList, skillTable } from "../ui/skill-table.ts";
import { hang, spacedBlocks } from "../ui/text.ts";

interface ShowOptions extends OfNames<"long"> {
  readonly scope?: readonly Scope[];
  readonly state?: readonly ShownState[];
  readonly agent?: readonly string[];
  readonly search?: string;
  readonly nothing?: string;
}

export async function show(context: CommandContext, options: ShowOptions): Promise<ExitCode> {
  const skills = await openRegistry(context, { servers: true });
  const { snapshot } = skills;
  const { terminal } = context;
  const { agents, readersOf } = openAgentsOf(context, skills, options.agent);
  const found = filterSkills(skills, options, context.workspace).filter(
    (skill) => agents === undefined || readersOf(skill).loading.some((agent) => agents.includes(agent)),
  );
  const find = await readInstalled(context, skills);
  const cured = await createLinkCure(skills, find);
  const maxScanned = options.names.length > 0 ? found.length : undefined;
  const verdicts = await vetShown(context, skills, found, present({ maxScanned }));
  const rules = rulesOf(skills);
  const { state: states } = options;
  const shown = found.filter(
    (skill) =>
      states === undefined ||
      states.includes(shownState(skill, verdicts.get(skill), rules, readersOf(skill))),
  );
  if (context.json) {
    const diagnostics = [...skills.config.diagnostics, ...snapshot.diagnostics.map(cured)];
    const rows = shown.map((skill) =>
      skillRow(skill, verdicts.get(skill), {
        installed: find(skill.path),
        rules,
        readers: readersOf(skill),
      }),
    );
    return answer(context, { skills: rows, diagnostics }, () => []);
  }
  const isFiltered = shown.length < snapshot.skills.length;
  const isEmpty = snapshot.skills.length === 0;
  const isNothing = shown.length === 0 && options.nothing !== undefined;
  // The user's own skills come first, and must not scroll away because of the bundled ones.
  const own = shown.filter(({ scope }) => scope !== "bundled");
  // Naming skills asks for all their details.
  const isLong = options.long === true || options.names.length > 0;
  const listed = isFiltered || isLong || own.length === 0 ? shown : own;
  const missing = shown.filter(({ scope, state }) => scope === "bundled" && state === "unavailable");
  const lacking = missing.length === 0 ? "" : ` (unavailable: ${missing.map(({ name }) => name).join(", ")})`;
  const grouping = { scopes: MINE_FIRST, agents, readersOf };
  const isCopy = (skill: Skill, other: Skill): boolean =>
    find(skill.path) !== undefined && find(skill.path)?.name === find(other.path)?.name;
  const namesakesOf = (skill: Skill): readonly Skill[] =>
    snapshot.skills.filter((other) => other !== skill && other.name === skill.name);
  // If copies of one install differ, one was edited, unless they are only apart because one is disabled.
  const editedCopy = (skill: Skill): Skill | undefined => {
    const [installed, digest] = [find(skill.path), verdicts.get(skill)?.digest];
    const isEdited = installed?.kind === "skill" && digest !== undefined && digest !== installed.digest;
    const isSame = (other: Skill): boolean =>
      other.digest === skill.digest && (other.state === "disabled" || skill.state === "disabled");
    return isEdited ? skill : namesakesOf(skill).find((other) => isCopy(skill, other) && !isSame(other));
  };
  const facts = { ...terminal, verdicts, rules, readersOf };
  const list = isLong
    ? skillList(listed, {
        ...facts,
        ...grouping,
        originOf: (skill) => installedWords(find(skill.path), editedCopy(skill)?.directory),
        namesakesOf: (skill) => namesakesOf(skill).filter((other) => !isCopy(skill, other)),
      })
    : skillTable(groupSkills(listed, grouping), facts);
  const lines = spacedBlocks([
    list,
    listed.length < shown.length
      ? hang(`${shown.length - own.length} bundled${lacking}: skillet show --scope bundled`, terminal)
      : [],
    isEmpty ? emptyState(skills, terminal) : [],
    ...(isFiltered ? [] : [failureList(snapshot, terminal), warningList(skills, terminal, cured)]),
    isLong ? [] : attentionList(listed, facts),
    trustNotice(skills, terminal, shown, verdicts),
    isEmpty
      ? []
      : isNothing
        ? [options.nothing]
        : skillSummary(shown, snapshot, {
            ...facts,
            lacksTokens: !isLong && !/TOKENS/.test(list[0] ?? ""),
          }),
  ]);
  terminal.print(lines);
  return 0;
}

const MINE_FIRST: readonly Scope[] = [
  ...(["explicit", "project", "user", "claude"] as const),
  ...(["plugin", "organisation", "bundled"] as const),
];

function filterSkills(skills: Skills, options: ShowOptions, workspace: string): readonly Skill[] {
  const { names, scope, search } = options;
  const named =
    names.length === 0 ? undefined : new Set(names.map((name) => resolveSkill(skills, name, workspace)));
  const needle = search?.toLocaleLowerCase("en");
  // Skills that a project keeps for Claude Code also count as the project's.
  const isOfProject = scope?.includes("project") === true;
  return skills.snapshot.skills.filter(
    (skill) =>
      (named === undefined || named.has(skill)) &&
      (scope === undefined || scope.includes(skill.scope) || (isOfProject && needsTrust(skill.scope))) &&
      (needle === undefined || matches(skill, needle)),
  );
}

function matches(skill: Skill, needle: string): boolean {
  const { description, whenToUse = "", tags } = skill.manifest;
  return [skill.qualifiedName, skill.directoryName, description, whenToUse, ...tags].some((text) =>
    text.toLocaleLowerCase("en").includes(needle),
  );
}
