import { type Scope, type Skill, tokenCost } from "@skillet/core";
import { skillWarnings } from "../skill-warnings.ts";
import { displayWidth } from "./display-width.ts";
import { wrap } from "./fit-text.ts";
import { formatTokens } from "./format-quantity.ts";
import type { Layout } from "./layout.ts";
import { showPath, showSentence } from "./show-path.ts";
import { count, scopeTitle, stateMark } from "./skill-state.ts";
import { stripControl } from "./strip-control.ts";
import type { Colours } from "./terminal.ts";

// Wider lines are hard to read, and the costs would stand far from the names.
const MAX_LIST_WIDTH = 100;
const SHORT_LINES = 2;
const SHORT_CHARACTERS = 1_000;
const LONG_LINES = 40;
const REASON_LINES = 4;
const MAX_NAME_LINES = 4;
const INDENT = "      ";

/** How much of each skill to list, and in which order. */
export interface SkillListOptions extends Layout {
  readonly long: boolean;
  /** Groups in this order, highest precedence first. */
  readonly scopes: readonly Scope[];
  /** Further lines below a skill. */
  readonly notes?: ReadonlyMap<Skill, readonly string[]>;
}

/** Skills grouped by scope: mark, name, cost, description and what keeps each from being offered. */
export function skillList(skills: readonly Skill[], options: SkillListOptions): string[] {
  const groups = options.scopes
    .map((scope) => ({ scope, members: sortByName(skills.filter((skill) => skill.scope === scope)) }))
    .filter(({ members }) => members.length > 0);
  return groups.flatMap(({ scope, members }, index) => [
    ...(index > 0 ? [""] : []),
    options.colours.bold(scopeTitle(scope)),
    ...members.flatMap((skill) => skillEntry(skill, options)),
  ]);
}

// Skills that share a name stand together, the one that has it first.
function sortByName(skills: readonly Skill[]): readonly Skill[] {
  const key = ({ name, qualifiedName }: Skill): string =>
    `${name}\0${name === qualifiedName ? "" : qualifiedName}`;
  return skills.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
}

function skillEntry(skill: Skill, options: SkillListOptions): string[] {
  const { colours, long } = options;
  const width = Math.min(options.width, MAX_LIST_WIDTH);
  const room = width - INDENT.length;
  // Far more than fits into two lines; descriptions may be as long as a file.
  const text = long ? skill.manifest.description : skill.manifest.description.slice(0, SHORT_CHARACTERS);
  const description = wrap(stripControl(text), {
    width: room,
    maxLines: long ? LONG_LINES : SHORT_LINES,
  });
  const indented = (text: string, paint: (text: string) => string): string[] =>
    wrap(text, { width: room, maxLines: long ? LONG_LINES : REASON_LINES }).map(
      (line) => INDENT + paint(line),
    );
  return [
    ...titleLines(skill, width, colours),
    ...description.map((line) => INDENT + line),
    ...obstacles(skill).flatMap((text) => indented(showSentence(text, options.environment), colours.yellow)),
    ...(long ? indented(showPath(skill.path, options.environment), colours.dim) : []),
    ...(options.notes?.get(skill) ?? []).flatMap((text) => indented(stripControl(text), colours.yellow)),
  ];
}

// Names are what people type, so they stay whole: first the cost goes, then the tags get a line of their own, and
// only a name that is wider than the screen is broken.
function titleLines(skill: Skill, width: number, colours: Colours): string[] {
  const { catalog, body } = tokenCost(skill);
  const tokens = `${formatTokens(catalog)} / ${formatTokens(body)} tok`;
  const warnings = skillWarnings(skill).length;
  const tags = tagsOf(skill, warnings).join(", ");
  const paint = warnings > 0 ? colours.yellow : colours.dim;
  const room = width - 4;
  const [name = "", ...rest] = wrap(stripControl(skill.qualifiedName), {
    width: room,
    maxLines: MAX_NAME_LINES,
  });
  const title = `  ${stateMark(skill.state, colours)} ${colours.bold(name)}`;
  const left = tags === "" ? name : `${name}  ${tags}`;
  if (rest.length > 0 || displayWidth(left) > room) {
    return [
      title,
      ...rest.map((line) => `    ${colours.bold(line)}`),
      ...wrap(tags, { width: width - INDENT.length }).map((line) => INDENT + paint(line)),
    ];
  }
  const line = tags === "" ? title : `${title}  ${paint(tags)}`;
  const gap = room - displayWidth(left) - tokens.length;
  return [gap < 2 ? line : `${line}${" ".repeat(gap)}${colours.dim(tokens)}`];
}

function tagsOf(skill: Skill, warnings: number): string[] {
  return [
    ...(skill.state === "enabled" ? [] : [skill.state]),
    ...(skill.kind === "command" ? ["command"] : []),
    ...(skill.kind === "skill" && !skill.manifest.invocation.model ? ["only by you"] : []),
    ...(warnings > 0 ? [count(warnings, "warning")] : []),
  ];
}

function obstacles(skill: Skill): readonly string[] {
  if (skill.state === "enabled" || skill.state === "untrusted") return [];
  const missing = skill.missing.map(({ message }) => message);
  const reason = skill.reason !== undefined && !missing.includes(skill.reason) ? [skill.reason] : [];
  return skill.state === "unavailable" ? (missing.length > 0 ? missing : reason) : reason;
}
