import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

let identity: string | undefined;

/**
 * Stands for the version of this code: a rebuilt or upgraded parser never meets an older one's cache.
 *
 * By content, because package managers give every installed file the same time. Built, the file holds
 * all of core; the YAML library is not in it.
 */
export function codeIdentity(): string {
  if (identity === undefined) {
    const yaml = createRequire(import.meta.url)("yaml/package.json") as { version: string };
    identity = `${hash("sha256", readFileSync(fileURLToPath(import.meta.url)), "hex")} yaml ${yaml.version}`;
  }
  return identity;
}
