/** How often a skill was called rightly and wrongly. */
export interface TriggerCounts {
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly trueNegatives: number;
  readonly falseNegatives: number;
}

/** The figures of an evaluation, each between 0 and 1, and absent where nothing was measured that it could be of. */
export interface TriggerMetrics extends TriggerCounts {
  /** Of the calls, the share that was right; absent where nothing was called. */
  readonly precision?: number;
  /** Of what should call it, the share that did; absent where nothing should. */
  readonly recall?: number;
  /** Absent where nothing was called, and nothing should be. */
  readonly f1?: number;
  readonly accuracy?: number;
}

/** Counts calls, each a query of the selector or a run of a model. */
export function measureTriggers(
  calls: readonly { readonly shouldTrigger: boolean; readonly triggers: number; readonly runs: number }[],
): TriggerMetrics {
  const sum = (shouldTrigger: boolean, countOf: (call: (typeof calls)[number]) => number): number =>
    calls.reduce((total, call) => total + (call.shouldTrigger === shouldTrigger ? countOf(call) : 0), 0);
  const truePositives = sum(true, ({ triggers }) => triggers);
  const falseNegatives = sum(true, ({ triggers, runs }) => runs - triggers);
  const falsePositives = sum(false, ({ triggers }) => triggers);
  const trueNegatives = sum(false, ({ triggers, runs }) => runs - triggers);
  const all = truePositives + falseNegatives + falsePositives + trueNegatives;
  return {
    ...{ truePositives, falsePositives, trueNegatives, falseNegatives },
    ...share("precision", truePositives, truePositives + falsePositives),
    ...share("recall", truePositives, truePositives + falseNegatives),
    ...share("f1", 2 * truePositives, 2 * truePositives + falsePositives + falseNegatives),
    ...share("accuracy", truePositives + trueNegatives, all),
  };
}

function share(
  name: Exclude<keyof TriggerMetrics, keyof TriggerCounts>,
  part: number,
  whole: number,
): Partial<TriggerMetrics> {
  return whole === 0 ? {} : { [name]: part / whole };
}
