/** A copy of a text that does not keep the longer one alive from which it was cut. */
export function detachText(text: string): string {
  // Engines share the memory of a string with its slices; only building it anew parts the two.
  return JSON.parse(JSON.stringify(text)) as string;
}
