/** One word for a POSIX shell, whatever it contains. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
