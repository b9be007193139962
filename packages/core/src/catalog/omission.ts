/** How a model finds skills that the catalogue has no room for. */
export interface CatalogSearch {
  /** The host's tool that searches all skills. */
  readonly toolName: string;
}

/** Skills that are left out. */
export interface Omission {
  readonly count: number;
  readonly search: CatalogSearch | undefined;
}

/** Says how many skills are left out and how to find them; a tool is named only where there is one. */
export function omissionText(
  { count, search }: Omission,
  quoteName: (name: string) => string = (name) => name,
): string {
  const what = count === 1 ? "1 more skill is not listed here." : `${count} more skills are not listed here.`;
  if (search === undefined) return `${what} The user can name the one to use.`;
  return `${what} Find what you need with ${quoteName(search.toolName)}: a few words about the task are enough.`;
}
