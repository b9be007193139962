/** A string of the profile language, whatever is in it: no path can end it and begin a rule. */
export function quoteProfileString(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
