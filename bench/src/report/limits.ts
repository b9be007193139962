/** The ratios that the product promises; being slower is reported and is no failure of the bench. */
export const LIMITS = {
  cold: 3.0,
  warm: 1.0,
  version: 1.5,
  show: 3.0,
  catalog: 5.0,
  /** From the start of a script that is to be ended after 300 ms until its call settles. */
  deadlineMs: 1000,
  /** Peak resident memory with 100,000 skills. */
  memoryBytes: 1.5e9,
} as const;
