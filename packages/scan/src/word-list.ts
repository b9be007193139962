export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** A list of entries that may hold spaces, written as one text with commas between them. */
export function phrases(text: string): readonly string[] {
  return text.trim().split(/,\s+/);
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(words(text));
}
