/** A package as its package.json has it. */
export interface PublishedPackage {
  readonly name: string;
  readonly path: string;
}

/** What `npm pack --json` says about a tarball. */
export interface Tarball {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

export function publishedPackages(root: string, names?: readonly string[]): readonly PublishedPackage[];
export function packAll(paths: readonly string[], destination: string): readonly Tarball[];
export function checkTarballs(
  root: string,
  tarballs: readonly Tarball[],
  folder: string,
  packages?: readonly PublishedPackage[],
): readonly string[];
