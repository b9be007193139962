/** Whether a text says something: five words, or six signs of a script that has no blanks. */
export function isSentence(text: string): boolean {
  return /\S\s+\S+\s+\S+\s+\S+\s+\S/.test(text) || /[\u3040-\u30ff\u3400-\u9fff]{6}/.test(text);
}
