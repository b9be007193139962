import type { Learned, SelectedSkill, Selector, SelectorOptions, Skill, Snapshot } from "@skillet/core";
import { createSelector } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { present } from "@skillet/kit/json";
import { sortByByteOrder } from "@skillet/kit/order";
import { adviseAuthor } from "./advise-author.ts";
import type { TriggerQuery } from "./read-trigger-set.ts";
import { type SelectorResult, summariseResults, type TriggerEvaluation } from "./trigger-result.ts";

/** The queries, the competing skills and what counts as a trigger. */
export interface EvaluateTriggersOptions {
  readonly queries: readonly TriggerQuery[];
  /** Other skills to choose from; disabled ones do not count. */
  readonly among?: readonly Skill[];
  readonly readBody?: SelectorOptions["readBody"];
  /** The decision that counts as triggered: used without asking, or at least suggested. Default: "suggest". */
  readonly at?: "activate" | "suggest";
  /** Examples of the other skills, as sessions use them; entries for the skill itself are ignored. */
  readonly othersExamples?: SelectorOptions["examples"];
  /** Knowledge learned from use, as sessions apply it. Default: none. */
  readonly learned?: Learned;
  readonly signal?: AbortSignal;
}

const MAX_RANK = 50;
const MAX_INSTEAD = 3;

/**
 * Runs every query through the selector, with the skill in a catalogue of its own, and counts how often it triggers.
 *
 * @example
 * const { metrics, results } = await evaluateTriggers(skill, { queries, among: skills.list() });
 * for (const { query, pass, reasons } of results) if (pass === false) console.log(query, reasons);
 */
export async function evaluateTriggers(
  skill: Skill,
  options: EvaluateTriggersOptions,
): Promise<TriggerEvaluation<SelectorResult>> {
  const { queries, among = [], at = "suggest", readBody, learned, signal } = options;
  const { qualifiedName: name } = skill;
  const empty = `There is no query to evaluate ${name} with; write a set such as evals/eval_queries.json beside its SKILL.md.`;
  if (queries.length === 0) throw new SkilletError("trigger-set-empty", empty, { data: { skill: name } });
  const snapshot = isolateSkills(skill, among);
  const examples = new Map(options.othersExamples);
  examples.delete(name);
  const selector = await createSelector(snapshot, present({ readBody, learned, examples, signal }));
  const results: SelectorResult[] = [];
  for (const query of queries) {
    signal?.throwIfAborted();
    results.push(judge(skill, query, selector, at));
  }
  return summariseResults(results);
}

function judge(
  skill: Skill,
  query: TriggerQuery,
  selector: Selector,
  at: "activate" | "suggest",
): SelectorResult {
  const isIt = ({ skill: one }: SelectedSkill): boolean => one.qualifiedName === skill.qualifiedName;
  const { activate, suggest } = selector.decide(query.query);
  const ranked = selector.select(query.query, { limit: MAX_RANK });
  const place = ranked.findIndex(isIt);
  const own = ranked[place];
  const decision = activate.some(isIt) ? "activate" : suggest.some(isIt) ? "suggest" : "nothing";
  const called = at === "activate" ? activate : [...activate, ...suggest];
  const triggers = called.some(isIt) ? 1 : 0;
  const pass = (triggers === 1) === query.shouldTrigger;
  const advice = pass ? undefined : adviseAuthor(skill, query, own?.reasons);
  const others = called.filter((one) => !isIt(one)).slice(0, MAX_INSTEAD);
  const chosenInstead = others.map(({ skill: { qualifiedName } }) => ({ name: qualifiedName, times: 1 }));
  const { score = 0, reasons = [] } = own ?? {};
  return present<SelectorResult>({
    ...query,
    triggers,
    runs: 1,
    triggerRate: triggers,
    pass,
    decision,
    score,
    reasons,
    chosenInstead,
    rank: own && place + 1,
    advice,
  });
}

/** Leaves out skills with the same path or the same name, which would be chosen instead. */
export function isolateSkills(skill: Skill, others: readonly Skill[]): Snapshot {
  const competing = others.filter(
    (one) =>
      one.state === "enabled" &&
      one.kind === "skill" &&
      one.path !== skill.path &&
      one.qualifiedName !== skill.qualifiedName &&
      !one.alsoAt.includes(skill.path),
  );
  const skills = sortByByteOrder([asOffered(skill), ...competing], (one) => one.qualifiedName);
  return { version: skill.digest, roots: [], skills, diagnostics: [] };
}

// Skills of a snapshot read their parts lazily, and a spread would lose them.
function asOffered(skill: Skill): Skill {
  if (skill.state === "enabled" && skill.kind === "skill") return skill;
  return Object.create(skill, { state: { value: "enabled" }, kind: { value: "skill" } }) as Skill;
}
