/** The part of a command's help that shows how it is used. */
export function helpExamples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}
