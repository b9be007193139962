/**
 * The text that somebody would have typed behind a skill's name, for arguments of a command line.
 *
 * One argument is that text already. Several were words to the shell, and stay words: `"big file" v2`.
 */
export function argumentText(args: readonly string[]): string | undefined {
  const [only, second] = args;
  return second === undefined ? only : args.map(quote).join(" ");
}

function quote(word: string): string {
  if (word !== "" && !/[\s"'\\]/.test(word)) return word;
  return `"${word.replaceAll(/["\\]/g, "\\$&")}"`;
}
