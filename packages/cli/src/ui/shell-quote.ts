/** An argument as it must be typed in a POSIX shell, for the exact commands that messages suggest. */
export function shellQuote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
