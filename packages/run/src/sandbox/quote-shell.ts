/**
 * One word for a POSIX shell, whatever it holds: single quotes take everything literally but themselves.
 *
 * NUL cannot be in an argument of any process; whoever calls must have refused it.
 */
export function quoteShell(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
