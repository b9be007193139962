/** One command line from a program and its arguments, quoted so that a shell would take each as it is. */
export function shellCommand(words: readonly string[]): string {
  return words.map(quote).join(" ");
}

function quote(word: string): string {
  return /^[\w@%+=:,./~$*{}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
