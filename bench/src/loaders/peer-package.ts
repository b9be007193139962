import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder with the peers' own package file, seen from the built bench. */
export const PEERS_DIRECTORY: URL = new URL("../../peers/", import.meta.url);

/** A file of an installed peer. */
export function peerFile(packageName: string, path: string): URL {
  return new URL(`node_modules/${packageName}/${path}`, PEERS_DIRECTORY);
}

/** The version that is pinned in the peers' package file. */
export function pinnedVersion(packageName: string): string {
  const manifest: unknown = JSON.parse(
    readFileSync(fileURLToPath(new URL("package.json", PEERS_DIRECTORY)), "utf8"),
  );
  const { dependencies } = manifest as { readonly dependencies: Readonly<Record<string, string>> };
  const version = dependencies[packageName];
  if (version === undefined) throw new Error(`${packageName} is not in the peers' package file.`);
  return version;
}
