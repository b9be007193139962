import type { Skill } from "@skillet/core";
import type { RunOutcomes, TurnOutcome } from "@skillet/core/internal";
import { compareByteOrder } from "@skillet/kit/order";
import { cleanExample } from "@skillet/select/parts";

/** What recorded runs say about one skill. */
export interface SkillEvidence {
  readonly skill: Skill;
  /** In how many turns. */
  readonly used: number;
  readonly ignored: number;
  readonly wrong: number;
  /** The same by what it counts for: how much speaks for offering the skill, and how much against. */
  readonly inFavour: number;
  readonly against: number;
  /** How many runs it comes from. */
  readonly runs: number;
  /** Messages that it was used for, that it was wrong for, and that it was ignored for; each once, in order. */
  readonly usedFor: readonly string[];
  readonly wrongFor: readonly string[];
  readonly ignoredFor: readonly string[];
}

/** What was found, and what could not be counted. */
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

/** What was seen of another text of the skill. */
const CHANGED_TEXT_SHARE = 0.5;

/** Counts what runs say about the skills that are installed; a copy of a run counts once. */
export function collectEvidence(runs: readonly RunOutcomes[], skills: readonly Skill[]): CollectedEvidence {
  const installed = new Map(skills.map((skill) => [skill.qualifiedName, skill]));
  const found = new Map<string, Counting>();
  let ofOthers = 0;
  let beyondCap = 0;
  for (const run of distinctRuns(runs)) {
    const counted = new Map<string, number>();
    for (const outcome of run.outcomes) {
      const skill = installed.get(outcome.name);
      if (skill === undefined || skill.origin !== outcome.origin) {
        ofOthers += 1;
        continue;
      }
      const times = counted.get(outcome.name) ?? 0;
      if (times >= MAX_OUTCOMES_OF_RUN) {
        beyondCap += 1;
        continue;
      }
      counted.set(outcome.name, times + 1);
      const counting = found.get(outcome.name) ?? new Counting(skill);
      found.set(outcome.name, counting);
      counting.add(outcome, run.runId);
    }
  }
  const names = [...found.keys()].sort(compareByteOrder);
  return {
    skills: new Map(names.flatMap((name) => found.get(name)?.finish(name) ?? [])),
    ofOthers,
    beyondCap,
  };
}

/** In an order that does not depend on where the runs lie. */
function distinctRuns(runs: readonly RunOutcomes[]): readonly RunOutcomes[] {
  const byId = new Map<string, RunOutcomes>();
  for (const run of runs) if (!byId.has(run.runId)) byId.set(run.runId, run);
  return [...byId.values()].sort((left, right) => compareByteOrder(left.runId, right.runId));
}

class Counting {
  readonly #skill: Skill;
  readonly #counts = { used: 0, ignored: 0, wrong: 0 };
  readonly #weights = { inFavour: 0, against: 0 };
  readonly #runs = new Set<string>();
  /** By text in small letters. */
  readonly #messages: Readonly<Record<TurnOutcome["outcome"], Map<string, string>>> = {
    used: new Map(),
    ignored: new Map(),
    wrong: new Map(),
  };
  readonly #messagesOfRun = new Map<string, number>();

  constructor(skill: Skill) {
    this.#skill = skill;
  }

  add({ outcome, isDisplaced, digest, message }: TurnOutcome, runId: string): void {
    this.#counts[outcome] += 1;
    this.#runs.add(runId);
    const share = digest === this.#skill.digest ? 1 : CHANGED_TEXT_SHARE;
    const weight = share * WEIGHTS[isDisplaced ? "displaced" : outcome];
    this.#weights[outcome === "used" ? "inFavour" : "against"] += weight;
    const example = message === undefined ? undefined : cleanExample(message);
    if (example === undefined) return;
    const ofRun = `${outcome} ${runId}`;
    const kept = this.#messagesOfRun.get(ofRun) ?? 0;
    const key = example.toLowerCase();
    if (kept >= MAX_MESSAGES_OF_RUN || this.#messages[outcome].has(key)) return;
    this.#messagesOfRun.set(ofRun, kept + 1);
    this.#messages[outcome].set(key, example);
  }

  finish(name: string): [string, SkillEvidence][] {
    const { used, ignored, wrong } = this.#messages;
    // What speaks both ways says nothing.
    const isClear = (key: string): boolean => !(used.has(key) && (ignored.has(key) || wrong.has(key)));
    const clear = (messages: ReadonlyMap<string, string>): readonly string[] =>
      [...messages].filter(([key]) => isClear(key)).map(([, message]) => message);
    return [
      [
        name,
        {
          skill: this.#skill,
          ...this.#counts,
          ...this.#weights,
          runs: this.#runs.size,
          usedFor: clear(used),
          wrongFor: clear(wrong),
          ignoredFor: clear(ignored),
        },
      ],
    ];
  }
}
