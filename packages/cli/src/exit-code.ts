/**
 * 0 fine, 1 the answer is no (invalid, unknown, failed to load), 2 used wrongly or broken.
 *
 * The others are what a shell expects of a command that a signal ended: 128 and the signal's number.
 */
export type ExitCode = 0 | 1 | 2 | 129 | 130 | 141 | 143;
