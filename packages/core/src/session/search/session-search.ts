import { createPause } from "@skillet/kit/async";
import { cutText } from "@skillet/kit/text";
import { checkSelectContext, clampLimit } from "@skillet/select/parts";
import type { CallOptions } from "../../ask.ts";
import { countTokens } from "../../catalog/catalog-budget.ts";
import { catalogEntry, escapeXml } from "../../catalog/catalog-forms.ts";
import { rankSkills } from "../../catalog/rank-skills.ts";
import type { Skill } from "../../registry/skill.ts";
import type {
  SelectContext,
  SelectedSkill,
  SelectionDecision,
  SelectOptions,
  Selector,
} from "../../selection.ts";
import { givenText } from "../model-input.ts";
import { recordOffer } from "../outcome/session-outcomes.ts";
import { findHidden } from "../skill-access.ts";
import { type SkillView, viewOf } from "../skill-view.ts";
import type { SessionState } from "../state.ts";
import { NamedSkills, withoutMentions } from "./resolve-mentions.ts";

const DEFAULT_LIMIT = 5;

export async function selectSkills(
  session: SessionState,
  message: string,
  options: SelectOptions,
): Promise<readonly SelectedSkill[]> {
  givenText(message, "The message");
  const limit = clampLimit(options.limit ?? DEFAULT_LIMIT);
  const context = contextOf(session, options.context);
  const { named, rest } = readMessage(session, message);
  const found = rest === undefined ? [] : (await narrowedSelector(session)).select(rest, { limit, context });
  return [...named, ...permitted(session, found, named)].slice(0, limit);
}

/** Decides on a message; the offer is recorded before the host gets it. */
export async function decideSkills(
  session: SessionState,
  message: string,
  options: CallOptions & { readonly context?: SelectContext },
): Promise<SelectionDecision> {
  givenText(message, "The message");
  const context = contextOf(session, options.context);
  const { named, rest } = readMessage(session, message);
  const { signal } = options;
  const others =
    rest === undefined
      ? undefined
      : await (await narrowedSelector(session)).consult(rest, { context, signal });
  const activate = [...named, ...permitted(session, others?.activate ?? [], named)];
  const suggest = permitted(session, others?.suggest ?? [], named);
  const action = activate.length > 0 ? "activate" : suggest.length > 0 ? "suggest" : "nothing";
  signal?.throwIfAborted();
  await recordOffer(session, message, [
    ...activate.map(({ skill }) => ({ skill, tier: "activate" as const })),
    ...suggest.map(({ skill }) => ({ skill, tier: "suggest" as const })),
  ]);
  return { action, activate, suggest };
}

function contextOf({ memory, options: { files } }: SessionState, given?: SelectContext): SelectContext {
  checkSelectContext(given);
  return { ...memory.context(), ...(files && { files }), ...given };
}

// A skill that the user names is chosen, even if models may not choose it. The rest of the message, which may
// be empty, selects among the others.
function readMessage(
  session: SessionState,
  message: string,
): { readonly named: readonly SelectedSkill[]; readonly rest: string | undefined } {
  const mentions = namedSkills(session).find(message);
  const rest = withoutMentions(message, mentions);
  return {
    named: mentions.map(({ skill }) => ({ skill, score: 1, reasons: ["the message names it"] })),
    rest: mentions.length > 0 && rest === "" ? undefined : rest,
  };
}

export function namedSkills(session: SessionState): NamedSkills {
  const view = viewOf(session, "user");
  view.named ??= new NamedSkills(view.skills);
  return view.named;
}

// The index may have been opened before a scan withheld a skill.
function permitted(
  session: SessionState,
  found: readonly SelectedSkill[],
  named: readonly SelectedSkill[],
): readonly SelectedSkill[] {
  return found.filter(
    ({ skill }) => findHidden(session, skill) === undefined && !named.some((one) => one.skill === skill),
  );
}

export function narrowedSelector(session: SessionState): Promise<Selector> {
  const view = viewOf(session);
  view.selector ??= openSelector(session, view);
  return view.selector;
}

async function openSelector({ openSelector: open }: SessionState, view: SkillView): Promise<Selector> {
  const pause = createPause();
  try {
    const selector = await open();
    await pause();
    const narrowed = selector.among(view.has);
    await pause();
    return narrowed;
  } catch (error) {
    view.selector = undefined;
    throw error;
  }
}

// No conversation's catalogue lists more.
const MAX_USUAL = 200;

/** The order if nothing else distinguishes skills. */
export function usualSkills(view: SkillView): readonly Skill[] {
  view.usual ??= rankSkills(view.skills)
    .slice(0, MAX_USUAL)
    .flatMap((index) => view.skills[index] ?? []);
  return view.usual;
}

export const SEARCH_TOOL = "search_skills";

/** A skill that a search found. */
export interface FoundSkill {
  /** Qualified: the name to load it by. */
  readonly name: string;
  readonly description: string;
  /** How likely it is that the skill is wanted, between 0 and 1. */
  readonly score: number;
  readonly reasons: readonly string[];
}

/** The limit for an answer; those below keep each skill to its share of a usual answer. */
const MAX_TOKENS = 2000;
const MAX_DESCRIPTION_CHARACTERS = 400;
const MAX_REASONS = 3;
const MAX_REASON_CHARACTERS = 120;

/** The text is for a model: escaped, so that a skill cannot write outside its own entry. */
export function renderFound(found: readonly SelectedSkill[]): {
  readonly results: readonly FoundSkill[];
  readonly text: string;
} {
  if (found.length === 0) return { results: [], text: NOTHING };
  const results: FoundSkill[] = [];
  const entries: string[] = [];
  let tokens = 0;
  for (const one of found) {
    const result = describe(one);
    const entry = renderEntry(result);
    tokens += countTokens(entry);
    // Only a whole name is useful: a name that leaves no room for the others ends the answer.
    if (tokens > MAX_TOKENS) break;
    results.push(result);
    entries.push(entry);
  }
  const left = found.length - results.length;
  if (left > 0) entries.push(`<omitted>\n${left} more did not fit; search for less at a time.\n</omitted>`);
  return { results, text: `<found_skills>\n${entries.join("\n")}\n</found_skills>` };
}

const NOTHING =
  "<found_skills>\nNo skill fits. Go on without one, or search again with other words.\n</found_skills>";

function describe({ skill, score, reasons }: SelectedSkill): FoundSkill {
  const { name, description } = catalogEntry(skill);
  return {
    name,
    description: cut(description, MAX_DESCRIPTION_CHARACTERS),
    score: Math.round(score * 100) / 100,
    reasons: reasons.slice(0, MAX_REASONS).map((reason) => cut(reason, MAX_REASON_CHARACTERS)),
  };
}

function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${cutText(text, maxCharacters).trimEnd()}…`;
}

function renderEntry({ name, description, score, reasons }: FoundSkill): string {
  return [
    "<skill>",
    `<name>\n${escapeXml(name)}\n</name>`,
    `<description>\n${escapeXml(description)}\n</description>`,
    `<match>\n${escapeXml([`${Math.round(score * 100)} %`, ...reasons].join("; "))}\n</match>`,
    "</skill>",
  ].join("\n");
}
