import type { Skill } from "@skillet/core";
import type { RunOutcomes, TurnOutcome } from "@skillet/core/internal";
import { compareByteOrder, sortByByteOrder } from "@skillet/kit/order";
import { cleanExample } from "@skillet/select/parts";

export interface SkillEvidence {
  readonly skill: Skill;
  readonly used: number;
  readonly ignored: number;
  readonly wrong: number;
  /** The same by what it counts for: how much speaks for offering the skill, and how much against. */
  readonly inFavour: number;
  readonly against: number;
  readonly runs: number;
  /** Messages that it was used for, that it was wrong for, and that it was ignored for; each once, in order. */
  readonly usedFor: readonly string[];
  readonly wrongFor: readonly string[];
  readonly ignoredFor: readonly string[];
}

export interface CollectedEvidence {
  readonly skills: ReadonlyMap<string, SkillEvidence>;
  /** Outcomes of skills that are not installed, or are of another origin now. */
  readonly ofOthers: number;
  /** Outcomes beyond what one run may say about one skill. */
  readonly beyondCap: number;
}

/** One conversation says no more than this about one skill, however long it was. */
const MAX_OUTCOMES_OF_RUN = 5;
const MAX_MESSAGES_OF_RUN = 2;

/** An offer that was passed over may still have been right; one that was wrong was worse than useless. */
const WEIGHTS = { used: 1, ignored: 0.5, displaced: 0.2, wrong: 2 } as const;

const CHANGED_TEXT_SHARE = 0.5;

/** Counts what runs say about the skills that are installed; a copy of a run counts once. */
export function collectEvidence(runs: readonly RunOutcomes[], skills: readonly Skill[]): CollectedEvidence {
  const installed = new Map(skills.map((skill) => [skill.qualifiedName, skill]));
  const found = new Map<string, { readonly skill: Skill; readonly seen: readonly Seen[] }>();
  let ofOthers = 0;
  let beyondCap = 0;
  // In an order that does not depend on where the runs lie.
  const distinct = new Map(runs.toReversed().map((run) => [run.runId, run]));
  for (const { runId, outcomes } of sortByByteOrder([...distinct.values()], (run) => run.runId)) {
    const counted = new Map<string, number>();
    for (const outcome of outcomes) {
      const skill = installed.get(outcome.name);
      const times = counted.get(outcome.name) ?? 0;
      if (skill === undefined || skill.origin !== outcome.origin) ofOthers += 1;
      else if (times >= MAX_OUTCOMES_OF_RUN) beyondCap += 1;
      else {
        counted.set(outcome.name, times + 1);
        const seen = found.get(outcome.name)?.seen ?? [];
        found.set(outcome.name, { skill, seen: [...seen, { ...outcome, runId }] });
      }
    }
  }
  const names = [...found.keys()].sort(compareByteOrder);
  return {
    skills: new Map(
      names.flatMap((name) => {
        const one = found.get(name);
        return one === undefined ? [] : [[name, weigh(one.skill, one.seen)]];
      }),
    ),
    ofOthers,
    beyondCap,
  };
}

type Seen = TurnOutcome & { readonly runId: string };

function weigh(skill: Skill, seen: readonly Seen[]): SkillEvidence {
  const counts = { used: 0, ignored: 0, wrong: 0 };
  const weights = { inFavour: 0, against: 0 };
  for (const { outcome, isDisplaced, digest } of seen) {
    counts[outcome] += 1;
    const share = digest === skill.digest ? 1 : CHANGED_TEXT_SHARE;
    weights[outcome === "used" ? "inFavour" : "against"] +=
      share * WEIGHTS[isDisplaced ? "displaced" : outcome];
  }
  const [used, ignored, wrong] = [
    messagesOf(seen, "used"),
    messagesOf(seen, "ignored"),
    messagesOf(seen, "wrong"),
  ];
  // Evidence for both sides proves nothing.
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
