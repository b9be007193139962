/** Whether what a skill needs is written as a name, and not as a source. */
export function isPlainName(need: string): boolean {
  return !/[/:#@~]/.test(need) && !need.startsWith(".");
}
