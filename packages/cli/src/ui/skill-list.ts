import type { Scope, Skill, Snapshot } from "@skillet/core";
import { type Agent, createCatalog, findObstacle, tokenCost, type UseRules } from "@skillet/core/internal";
import { listFirst, shellArgument } from "@skillet/kit/text";
import { firstErrors } from "./skill-notices.ts";
import {
  howToEnable,
  type Readers,
  readBy,
  type ShownState,
  type SkillFacts,
  STATE_WORDS,
  scopeTitle,
  shownState,
  skillWarnings,
  stateMark,
  stillLoaded,
  verdictWords,
} from "./skill-state.ts";
import type { Layout } from "./terminal.ts";
import {
  count,
  formatTokens,
  hang,
  sayingWhere,
  showPath,
  showSentence,
  spacedBlocks,
  stripControl,
  titleLines,
  wrap,
} from "./text.ts";

const MAX_LINES = 40;
const MAX_WARNED = 4;
const INDENT = "      ";

export interface SkillGroup {
  readonly title: string;
  readonly members: readonly Skill[];
}

interface GroupOptions {
  /** The order of groups. */
  readonly scopes: readonly Scope[];
  readonly readersOf?: (skill: Skill) => Readers;
  /** Groups by agent instead; a skill that several agents read appears in each group. */
  readonly agents?: readonly Agent[] | undefined;
  /** The order within a group; by name unless given. */
  readonly order?: "name" | "given";
}

export interface SkillListOptions extends Layout, GroupOptions {
  /** Other skills with the same name. */
  readonly namesakesOf?: (skill: Skill) => readonly Skill[];
  readonly originOf?: (skill: Skill) => string | undefined;
  readonly notes?: ReadonlyMap<Skill, readonly string[]>;
  readonly verdicts?: Verdicts;
  readonly rules?: UseRules;
}

export function groupSkills(skills: readonly Skill[], options: GroupOptions): readonly SkillGroup[] {
  const ordered = options.order === "given" ? skills : sortByName(skills);
  const { scopes, agents, readersOf } = options;
  return (
    agents?.map((agent) => ({
      title: `[${agent.title}]`,
      members: ordered.filter((skill) => readersOf?.(skill).loading.includes(agent)),
    })) ??
    scopes.flatMap((scope) => {
      const members = ordered.filter((skill) => skill.scope === scope);
      const installed = scope === "plugin" ? members.filter(({ plugin }) => plugin === undefined) : [];
      return [
        { title: "[Installed Skills]", members: installed },
        { title: scopeTitle(scope), members: members.filter((skill) => !installed.includes(skill)) },
      ];
    })
  ).filter(({ members }) => members.length > 0);
}

/** Lists everything about each skill, over several lines. */
export function skillList(skills: readonly Skill[], options: SkillListOptions): string[] {
  return spacedBlocks(
    groupSkills(skills, options).map(({ title, members }) => [
      options.colours.bold(title),
      ...members.flatMap((skill) => skillEntry(skill, options)),
    ]),
  );
}

// Skills that share a name are listed together, the one that holds it first.
function sortByName(skills: readonly Skill[]): readonly Skill[] {
  const key = ({ name, qualifiedName }: Skill): string =>
    `${name}\0${name === qualifiedName ? "" : qualifiedName}`;
  return skills.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
}

function skillEntry(skill: Skill, options: SkillListOptions): string[] {
  const { colours, environment } = options;
  const readers = options.readersOf?.(skill);
  const known = options.verdicts?.get(skill);
  const loaded = readers && stillLoaded(skill, known, readers);
  const below = (line: string, paint: (text: string) => string): string[] =>
    hang(line, options, { indent: INDENT.length, maxLines: MAX_LINES, paint });
  // Skillet's own text has no line limit, so that a command in it is not cut.
  const say = (line: string, paint: (text: string) => string): string[] =>
    hang(line, options, { indent: INDENT.length, paint });
  return [
    ...headLines(skill, options),
    ...below(skill.manifest.description, String),
    ...obstacles(skill, options).flatMap((obstacle) =>
      below(sayingWhere(showSentence(obstacle, environment), options), colours.yellow),
    ),
    ...(skill.state === "disabled"
      ? say(`to enable it: ${howToEnable(skill, options.rules?.layers ?? [])}`, colours.yellow)
      : []),
    ...(shownState(skill, known, options.rules) === "withheld"
      ? say(`what was found: skillet explain ${shellArgument(skill.qualifiedName)}`, colours.yellow)
      : []),
    ...below(showPath(skill.path, environment), colours.dim),
    ...skill.alsoAt.flatMap((path) => below(`the same at ${showPath(path, environment)}`, colours.dim)),
    ...(options.namesakesOf?.(skill) ?? []).flatMap((other) => {
      const trees = [skill, other].map((one) => options.verdicts?.get(one)?.digest);
      const isSame = skill.digest === other.digest && (trees.includes(undefined) || trees[0] === trees[1]);
      const how = isSame ? "has the same SKILL.md" : "differs";
      const command = `skillet show ${shellArgument(other.qualifiedName)}`;
      return say(`${showPath(other.path, environment)} ${how}: ${command}`, String);
    }),
    ...say(showSentence(options.originOf?.(skill) ?? "", environment), colours.dim),
    ...say(known?.trusted === undefined ? "" : `trusted: ${known.trusted}`, colours.dim),
    ...below(readers === undefined ? "" : readBy(readers), colours.dim),
    ...say(loaded === undefined ? "" : `${loaded.who}. To stop that: ${loaded.stop}`, colours.red),
    ...(options.notes?.get(skill) ?? []).flatMap((note) => below(note, colours.yellow)),
  ];
}

function headLines(skill: Skill, options: SkillListOptions): string[] {
  const { colours, verdicts, rules } = options;
  const known = verdicts?.get(skill);
  const state = shownState(skill, known, rules, options.readersOf?.(skill));
  const tail = tagsOf(skill, state).join(", ");
  const paint = state === "withheld" ? colours.red : colours.yellow;
  const lead = `  ${stateMark(state, colours)} `;
  const { catalog, body } = tokenCost(skill);
  const scanned = known === undefined ? "" : `${verdictWords(known)}, `;
  const facts = `${scanned}${formatTokens(catalog)} / ${formatTokens(body)} tokens`;
  return [
    ...titleLines([skill.qualifiedName, tail], options, { indent: 4, lead, paint }),
    ...hang(facts, options, { indent: INDENT.length, paint: colours.dim }),
  ];
}

function tagsOf(skill: Skill, state: ShownState): string[] {
  const warnings = skillWarnings(skill).length;
  return [
    ...(state === "enabled" ? [] : [STATE_WORDS[state]]),
    ...(skill.kind === "command" ? ["command"] : []),
    ...(skill.kind === "skill" && !skill.manifest.invocation.model ? ["only by you"] : []),
    ...(warnings > 0 ? [count(warnings, "warning")] : []),
  ];
}

export function obstacles(
  skill: Skill,
  { verdicts, rules }: Pick<SkillListOptions, "verdicts" | "rules">,
): readonly string[] {
  const known = verdicts?.get(skill);
  if (skill.state === "enabled") {
    const { step, reason } = findObstacle(skill, { scan: known, rules }) ?? {};
    // Who may invoke it is already among the tags.
    if (step !== undefined && step !== "invocation") return [`not offered: ${reason}`];
    return known?.changed === undefined ? [] : [known.changed];
  }
  if (skill.state === "untrusted")
    return known?.withheld === undefined ? [] : [`not offered: ${known.withheld}`];
  const missing = skill.missing.map(({ message }) => message);
  const reason = skill.reason !== undefined && !missing.includes(skill.reason) ? [skill.reason] : [];
  return skill.state === "unavailable" ? (missing.length > 0 ? missing : reason) : reason;
}

type Verdicts = ReadonlyMap<Skill, SkillFacts>;
type SummaryOptions = Layout &
  Pick<SkillListOptions, "verdicts" | "rules" | "readersOf"> & {
    /** Set if the list does not show each skill's tokens. */
    readonly lacksTokens?: boolean;
  };

export function skillSummary(shown: readonly Skill[], snapshot: Snapshot, options: SummaryOptions): string[] {
  const total = snapshot.skills.length;
  const states = countStates(shown, options);
  if (shown.length < total) {
    const headline = `${shown.length} of ${count(total, "skill")}`;
    return wrap(states === "" ? `No skill matches (${headline}).` : `${headline}: ${states}`, options);
  }
  const failed = firstErrors(snapshot).length;
  const parts = [
    states === "" ? count(total, "skill") : `${count(total, "skill")}: ${states}`,
    ...(failed > 0 ? [`${failed} failed to load`] : []),
    ...warnedWords(shown),
  ];
  return [...wrap(parts.join("; "), options), ...catalogueCost(snapshot, options)];
}

/** Names the skills that have warnings, in the same words for every count. */
export function warnedWords(skills: readonly Skill[]): readonly string[] {
  const warned = skills.filter((skill) => skillWarnings(skill).length > 0);
  const names = warned.map((skill) => stripControl(skill.qualifiedName));
  if (names.length === 0) return [];
  return [`${names.length} with warnings: ${listFirst(names, MAX_WARNED)} (skillet explain NAME shows them)`];
}

function countStates(skills: readonly Skill[], { verdicts, rules, readersOf }: SummaryOptions): string {
  const states = skills.map((skill) => shownState(skill, verdicts?.get(skill), rules, readersOf?.(skill)));
  return Object.entries(STATE_WORDS)
    .map(([state, words]) => ({ words, number: states.filter((other) => other === state).length }))
    .filter(({ number }) => number > 0)
    .map(({ words, number }) => `${number} ${words}`)
    .join(", ");
}

function catalogueCost({ skills }: Snapshot, options: SummaryOptions): string[] {
  const { verdicts, rules, lacksTokens, colours } = options;
  const offered = skills.filter(
    (skill) => findObstacle(skill, { scan: verdicts?.get(skill), rules }) === undefined,
  );
  if (offered.length === 0) return [];
  const { tokens } = createCatalog(offered);
  const each = lacksTokens === true ? "" : "; each skill shows its share / once loaded";
  const text = `The catalogue of agents that use Skillet costs ${formatTokens(tokens)} tokens${each}.`;
  return wrap(text, options).map(colours.dim);
}
