/** Two paths, of files or folders, that differ only in how Unicode spells them. */
export interface TwinPaths {
  readonly path: string;
  /** The one that came first. */
  readonly other: string;
}

/** Finds paths of a tree, files and the folders above them, that no digest tells apart: it counts their NFC forms. */
export function findTwinPaths(paths: readonly string[]): readonly TwinPaths[] {
  // Signs such as KELVIN are letters of ASCII in NFC, so plain paths matter too, but not among themselves.
  if (paths.every((path) => PLAIN.test(path))) return [];
  const spellings = new Map<string, string>();
  const twins = new Map<string, TwinPaths>();
  for (const path of paths.flatMap(withFolders)) {
    const form = path.normalize("NFC");
    const other = spellings.get(form);
    if (other === undefined) spellings.set(form, path);
    else if (other !== path) twins.set(path, { path, other });
  }
  return [...twins.values()];
}

const PLAIN = /^[ -~]*$/;

function withFolders(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
