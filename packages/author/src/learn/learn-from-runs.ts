import type { Learned, LearnedSkill, Skill } from "@skillet/core";
import type { RunOutcomes, TurnOutcome } from "@skillet/core/internal";
import { present } from "@skillet/kit/json";
import { sortByByteOrder } from "@skillet/kit/order";
import { cleanExample, LEARNED_DIGEST_DIGITS, LEARNED_LIMITS, THRESHOLD_BOUNDS } from "@skillet/select/parts";

/** The changes that learning would make, and the skills that it leaves alone. */
export interface Lesson {
  readonly learned: Learned;
  /** In byte order of the names. */
  readonly changes: readonly LearnedChange[];
  /** Skills whose entry the user marked `keep`. */
  readonly kept: readonly string[];
  /** Skills with too few recorded outcomes. */
  readonly tooFew: readonly string[];
  /** Not counted: outcomes of skills that are not installed or have another origin, and those beyond a run's cap. */
  readonly ofOthers: number;
  readonly beyondCap: number;
}

/** An entry that is new or changed. */
export interface LearnedChange {
  readonly name: string;
  readonly before?: LearnedSkill;
  readonly after: LearnedSkill;
}

/** Fewer turns, or turns from fewer conversations, are not a habit. */
const MIN_OUTCOMES = 5;
const MIN_RUNS = 2;

/**
 * Turns the recorded outcomes of skills into thresholds and examples; nothing is written.
 *
 * Learning twice from the same runs changes nothing the second time: an entry already says what the runs say,
 * and skills with too few outcomes stay as they are.
 *
 * @example
 * const { runs } = await readRuns([".skillet/runs"]);
 * const { learned, changes } = learnFromRuns(runs, { skills: snapshot.skills, before: readLearned(home).learned });
 */
export function learnFromRuns(
  runs: readonly RunOutcomes[],
  options: { readonly skills: readonly Skill[]; readonly before: Learned },
): Lesson {
  const { evidence, ofOthers, beyondCap } = collectEvidence(runs, options.skills);
  const skills = new Map(options.before.skills);
  const changes: LearnedChange[] = [];
  const kept: string[] = [];
  const tooFew: string[] = [];
  for (const seen of evidence) {
    const name = seen.skill.qualifiedName;
    const before = options.before.skills.get(name);
    if (before?.keep === true) kept.push(name);
    else if (seen.used + seen.ignored + seen.wrong < MIN_OUTCOMES || seen.runs < MIN_RUNS) tooFew.push(name);
    else {
      const after = learnSkill(seen, before);
      if (!isNews(after, before) || (before === undefined && skills.size >= LEARNED_LIMITS.skills)) continue;
      skills.set(name, after);
      changes.push({ name, ...(before && { before }), after });
    }
  }
  return { learned: { skills }, changes, kept, tooFew, ofOthers, beyondCap };
}

function learnSkill(seen: SkillEvidence, known: LearnedSkill | undefined): LearnedSkill {
  const { skill, used, ignored, wrong } = seen;
  const threshold = adjustThreshold(seen);
  // Uses of a skill with the same name but another origin say nothing about this one.
  const before = known?.origin === undefined || known.origin === skill.origin ? known : undefined;
  // An ignored offer counts against its message only if the skill is offered too often overall.
  const passedOver = threshold > 0 ? [...seen.wrongFor, ...seen.ignoredFor] : seen.wrongFor;
  const [hadWanted, hadUnwanted] = [before?.wanted ?? [], before?.unwanted ?? []];
  const wanted = merge(hadWanted, seen.usedFor, hadUnwanted);
  const digest = skill.digest.slice(0, "sha256:".length + LEARNED_DIGEST_DIGITS);
  return {
    origin: skill.origin,
    digest,
    used,
    ignored,
    wrong,
    threshold,
    wanted,
    unwanted: merge(hadUnwanted, passedOver, wanted),
    ...present({ generatedFrom: before?.generatedFrom, generated: before?.generated, note: known?.note }),
  };
}

/** Keeps the existing examples, which a user may have written, and adds new ones that fit and contradict none. */
function merge(
  had: readonly string[],
  found: readonly string[],
  opposite: readonly string[],
): readonly string[] {
  const taken = new Set([...had, ...opposite].map((message) => message.toLowerCase()));
  const fresh = found.filter((message) => {
    const key = message.toLowerCase();
    return !taken.has(key) && taken.add(key).has(key);
  });
  return [...had, ...fresh].slice(0, LEARNED_LIMITS.examples);
}

function isNews(after: LearnedSkill, before: LearnedSkill | undefined): boolean {
  if (before === undefined) return after.threshold !== 0 || after.wanted.length + after.unwanted.length > 0;
  const keys = Object.keys(after) as (keyof LearnedSkill)[];
  return keys.some((key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]));
}

/** The prior: assumes this much evidence on each side, so that a few turns change little. */
const IMAGINED = 4;

/** A smaller change would not be noticed and is not made. */
const LEAST = 0.1;

/** In log-odds: the mean of a Beta distribution with a prior of `IMAGINED` turns per side, within bounds. */
function adjustThreshold(evidence: { readonly inFavour: number; readonly against: number }): number {
  const odds = (evidence.inFavour + IMAGINED) / (evidence.against + IMAGINED);
  const { lowest, highest } = THRESHOLD_BOUNDS;
  const threshold = Math.min(highest, Math.max(lowest, -Math.log(odds)));
  return Math.abs(threshold) < LEAST ? 0 : Math.round(threshold * 100) / 100;
}

type SkillEvidence = ReturnType<typeof weigh>;
type Seen = TurnOutcome & { readonly runId: string };

/** Counts no more than this from one conversation for one skill, however long the conversation was. */
const MAX_OUTCOMES_OF_RUN = 5;
const MAX_MESSAGES_OF_RUN = 2;

/** An ignored offer may still have been right; a wrong one was worse than useless. */
const WEIGHTS = { used: 1, ignored: 0.5, displaced: 0.2, wrong: 2 } as const;

const CHANGED_TEXT_SHARE = 0.5;

/** Collects the outcomes of the installed skills; a copy of a run counts once. */
function collectEvidence(
  runs: readonly RunOutcomes[],
  skills: readonly Skill[],
): { readonly evidence: readonly SkillEvidence[] } & Pick<Lesson, "ofOthers" | "beyondCap"> {
  const installed = new Map(skills.map((skill) => [skill.qualifiedName, skill]));
  const found = new Map<string, Seen[]>();
  let ofOthers = 0;
  let beyondCap = 0;
  // The order must not depend on where the runs are stored.
  const distinct = new Map(runs.toReversed().map((run) => [run.runId, run]));
  for (const { runId, outcomes } of sortByByteOrder([...distinct.values()], (run) => run.runId)) {
    for (const outcome of outcomes) {
      const { name, origin } = outcome;
      const seen = found.get(name) ?? [];
      if (installed.get(name)?.origin !== origin) ofOthers += 1;
      else if (seen.filter((one) => one.runId === runId).length >= MAX_OUTCOMES_OF_RUN) beyondCap += 1;
      else found.set(name, [...seen, { ...outcome, runId }]);
    }
  }
  const evidence = sortByByteOrder([...found], ([name]) => name).map(([name, seen]) =>
    weigh(installed.get(name) as Skill, seen),
  );
  return { evidence, ofOthers, beyondCap };
}

/** Sums up a skill's outcomes: counts, weights for and against offering it, and distinct messages in order. */
function weigh(skill: Skill, seen: readonly Seen[]) {
  const counts = { used: 0, ignored: 0, wrong: 0 };
  const weights = { inFavour: 0, against: 0 };
  for (const { outcome, isDisplaced, digest } of seen) {
    counts[outcome] += 1;
    const share = digest === skill.digest ? 1 : CHANGED_TEXT_SHARE;
    weights[outcome === "used" ? "inFavour" : "against"] +=
      share * WEIGHTS[isDisplaced ? "displaced" : outcome];
  }
  const used = messagesOf(seen, "used");
  const ignored = messagesOf(seen, "ignored");
  const wrong = messagesOf(seen, "wrong");
  // A message with evidence for both sides proves nothing.
  const isClear = (key: string): boolean => !(used.has(key) && (ignored.has(key) || wrong.has(key)));
  const clear = (messages: ReadonlyMap<string, string>): readonly string[] =>
    [...messages].filter(([key]) => isClear(key)).map(([, message]) => message);
  return {
    skill,
    ...counts,
    ...weights,
    runs: new Set(seen.map(({ runId }) => runId)).size,
    usedFor: clear(used),
    wrongFor: clear(wrong),
    ignoredFor: clear(ignored),
  };
}

function messagesOf(seen: readonly Seen[], wanted: TurnOutcome["outcome"]): ReadonlyMap<string, string> {
  const messages = new Map<string, string>();
  const ofRun = new Map<string, number>();
  for (const { outcome, message, runId } of seen) {
    const example = outcome !== wanted || message === undefined ? undefined : cleanExample(message);
    const kept = ofRun.get(runId) ?? 0;
    const key = example?.toLowerCase() ?? "";
    if (example === undefined || kept >= MAX_MESSAGES_OF_RUN || messages.has(key)) continue;
    ofRun.set(runId, kept + 1);
    messages.set(key, example);
  }
  return messages;
}
