import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import type { DiscoveredSkill } from "../scan/discovered-skill.ts";
import { needsTrust } from "../skill.ts";

export type NameGroups = Map<string, DiscoveredSkill[]>;

export function groupByName(skills: readonly DiscoveredSkill[]): NameGroups {
  const groups: NameGroups = new Map();
  for (const skill of skills) {
    const group = groups.get(skill.qualifiedName);
    if (group === undefined) groups.set(skill.qualifiedName, [skill]);
    else group.push(skill);
  }
  return groups;
}

/** Highest precedence first; the first that can be offered keeps the name. Plugins use `plugin:name`. */
export function assignNames(groups: NameGroups): DiscoveredSkill[] {
  const skills = [...groups.values()].flat();
  const losers: Contender[] = [];
  for (const group of groups.values()) {
    const winner = chooseWinner(group);
    for (const skill of group) if (skill !== winner) losers.push({ skill, winner });
  }
  if (losers.length > 0) qualifyAll(losers, skills);
  return skills;
}

interface Contender {
  readonly skill: DiscoveredSkill;
  readonly winner: DiscoveredSkill | undefined;
}

// An untrusted folder or a disabled skill must not displace an offered skill. Within one root, a skill that
// is named like its folder wins over a copy whose header was not edited.
function chooseWinner(group: readonly DiscoveredSkill[]): DiscoveredSkill {
  if (group.length === 1) return group[0] as DiscoveredSkill;
  const offered = group.filter((skill) => skill.excluded === undefined);
  // A project may forbid a skill of higher precedence, but not replace it with its own.
  const forbidden = group.find((skill) => skill.excluded?.byProject === true && !needsTrust(skill.scope));
  const free = forbidden === undefined ? offered : offered.filter((skill) => !needsTrust(skill.scope));
  const [first, ...rest] = free;
  if (first === undefined) return forbidden ?? (group[0] as DiscoveredSkill);
  if (first.directoryName === first.name) return first;
  return rest.find((other) => other.root === first.root && other.directoryName === other.name) ?? first;
}

// Names such as `kit:pdf` and `pdf/forms` can be declared or assigned. An excluded skill therefore gets its
// own name only after every skill that can be offered has one.
function qualifyAll(losers: readonly Contender[], skills: readonly DiscoveredSkill[]): void {
  const lost = new Set(losers.map(({ skill }) => skill));
  const winners = skills.filter((skill) => !lost.has(skill));
  const waiting = winners.filter((skill) => skill.excluded !== undefined && /[:/]/.test(skill.qualifiedName));
  const holders = new Map(winners.map((skill) => [skill.qualifiedName, skill]));
  for (const { qualifiedName } of waiting) holders.delete(qualifiedName);
  const contenders = [...waiting.map((skill): Contender => ({ skill, winner: undefined })), ...losers];
  for (const { skill, winner } of contenders.sort((left, right) => standing(left) - standing(right))) {
    const holder = winner ?? holders.get(skill.qualifiedName);
    if (holder !== undefined) {
      const name = qualify(skill, holder, holders);
      skill.notes = [...skill.notes, nameConflict(skill, holder, name)];
      if (skill.excluded === undefined) skill.winner = holder;
      skill.qualifiedName = name;
    }
    holders.set(skill.qualifiedName, skill);
  }
}

function standing({ skill }: Contender): number {
  if (skill.excluded === undefined) return 0;
  return skill.excluded.state === "untrusted" ? 2 : 1;
}

function qualify(
  skill: DiscoveredSkill,
  winner: DiscoveredSkill,
  holders: ReadonlyMap<string, DiscoveredSkill>,
): string {
  const { scope, path, qualifiedName } = skill;
  const nested = isNestedIn(skill, winner) ? [`${winner.name}/${skill.name}`] : [];
  // From the agent's folder on, such as `user:.gemini/skills/pdf`: a whole path is unreadable as a name.
  const [, short = path] = /\/(\.[^/]+(?:\/[^/.][^/]*)+)\/[^/]+$/.exec(path) ?? [];
  const names = [qualifiedName, skill.folder, short, path].map((name) => `${scope}:${name}`);
  const choices = [...nested, ...names];
  const free = choices.find((choice) => choice !== `${scope}:` && !holders.has(choice));
  if (free !== undefined) return free;
  let number = 2;
  while (holders.has(`${scope}:${path}#${number}`)) number++;
  return `${scope}:${path}#${number}`;
}

function isNestedIn(skill: DiscoveredSkill, other: DiscoveredSkill): boolean {
  if (skill.root !== other.root) return false;
  const { folder } = other;
  return folder === "" ? skill.folder !== "" : skill.folder.startsWith(`${folder}/`);
}

function nameConflict(loser: DiscoveredSkill, winner: DiscoveredSkill, name: string): Diagnostic {
  const message = `${winner.path} also has the name ${JSON.stringify(winner.name)} and comes first; this one is ${JSON.stringify(name)}.`;
  const hint = `Call it ${name}, or give one of the two another name and folder.`;
  return diagnostic("warning", "name-conflict", loser.path, message, hint);
}
