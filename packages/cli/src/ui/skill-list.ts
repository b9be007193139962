import { type Scope, type Skill, tokenCost } from "@skillet/core";
import { displayWidth } from "./display-width.ts";
import { pad, truncate, wrap } from "./fit-text.ts";
import { formatTokens } from "./format-quantity.ts";
import type { Layout } from "./layout.ts";
import { showPath } from "./show-path.ts";
import { scopeTitle, stateMark } from "./skill-state.ts";
import { stripControl } from "./strip-control.ts";
import type { Colours } from "./terminal.ts";

// Wider lines are hard to read, and the costs would stand far from the names.
const MAX_LIST_WIDTH = 100;
const SHORT_LINES = 2;
const SHORT_CHARACTERS = 1_000;
const LONG_LINES = 40;
const REASON_LINES = 4;
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
    titleLine(skill, width, colours),
    ...description.map((line) => INDENT + line),
    ...obstacles(skill).flatMap((text) => indented(stripControl(text), colours.yellow)),
    ...(long ? indented(showPath(skill.path, options.environment), colours.dim) : []),
    ...(options.notes?.get(skill) ?? []).flatMap((text) => indented(stripControl(text), colours.yellow)),
  ];
}

function titleLine(skill: Skill, width: number, colours: Colours): string {
  const { catalog, body } = tokenCost(skill);
  const tokens = `${formatTokens(catalog)} / ${formatTokens(body)} tok`;
  const words = tags(skill).join(", ");
  const room = width - 4 - tokens.length - 2;
  const name = truncate(
    stripControl(skill.qualifiedName),
    Math.max(8, words === "" ? room : room - words.length - 2),
  );
  const left = words === "" ? name : `${name}  ${words}`;
  const fits = displayWidth(left) <= room;
  const shownWords =
    words === "" ? "" : `  ${colours.dim(fits ? words : truncate(words, width - 6 - displayWidth(name)))}`;
  const line = `  ${stateMark(skill.state, colours)} ${colours.bold(name)}${shownWords}`;
  return fits ? `${line}${pad("", room - displayWidth(left) + 2)}${colours.dim(tokens)}` : line;
}

function tags(skill: Skill): string[] {
  return [
    ...(skill.state === "enabled" ? [] : [skill.state]),
    ...(skill.kind === "command" ? ["command"] : []),
    ...(skill.kind === "skill" && !skill.manifest.invocation.model ? ["only by you"] : []),
  ];
}

function obstacles(skill: Skill): readonly string[] {
  if (skill.state === "enabled" || skill.state === "untrusted") return [];
  const missing = skill.missing.map(({ message }) => message);
  const reason = skill.reason !== undefined && !missing.includes(skill.reason) ? [skill.reason] : [];
  return skill.state === "unavailable" ? (missing.length > 0 ? missing : reason) : reason;
}
