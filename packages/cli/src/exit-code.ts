/** 0 fine, 1 the answer is no (invalid, unknown, failed to load), 2 used wrongly or broken. */
export type ExitCode = 0 | 1 | 2;
