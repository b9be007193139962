import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

let identity: string | undefined;

/**
 * Stands for the version of this code: a rebuilt or upgraded parser never meets an older one's cache.
 *
 * By content, because package managers give every installed file the same time. Built, the file holds the parser too.
 */
export function codeIdentity(): string {
  identity ??= hash("sha256", readFileSync(fileURLToPath(import.meta.url)), "hex");
  return identity;
}
