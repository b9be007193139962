/**
 * A text as one word of a command that somebody is advised to paste into a shell.
 *
 * What a skill says it needs is written by a stranger: neither a command of his nor an option may come along.
 */
export function shellWord(text: string): string {
  const word = text.startsWith("-") ? `./${text}` : text;
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
