export interface FoundSkill {
  /** The folder itself, every link in its path resolved. */
  readonly absolute: string;
  /** Relative to the root as it was reached, when that was through a link; else see `relativePath`. */
  readonly linkPath: string | undefined;
  /** The folder's own name, or that of the link to it. */
  readonly name: string;
  readonly file: string;
  /** The skill file's real place, when it is a link. */
  readonly linkedFile?: string;
  readonly node: number;
  /** The same folder in the earlier memo, or -1. */
  readonly previousNode: number;
  readonly hasAgentsFolder: boolean;
  /** The folder was not listed: the file may be missing, or be a link or worse; then the answer is false. */
  readonly probing: boolean;
}

/** A found folder's path relative to the canonical root it was found in. */
export function relativePath(
  root: string,
  found: { readonly absolute: string; readonly linkPath: string | undefined },
): string {
  return found.linkPath ?? found.absolute.slice(root.endsWith("/") ? root.length : root.length + 1);
}
