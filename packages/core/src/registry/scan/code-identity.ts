import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Put in by the build; absent when the source itself runs. */
declare const BUILT_CODE_IDENTITY: string | undefined;

let identity: string | undefined;

/**
 * Stands for the version of this code and its YAML library: a rebuilt or upgraded parser never meets an older one's
 * cache. By content, because package managers give every installed file the same time.
 */
export function codeIdentity(): string {
  identity ??=
    typeof BUILT_CODE_IDENTITY === "string"
      ? BUILT_CODE_IDENTITY
      : hash("sha256", readFileSync(fileURLToPath(import.meta.url)), "hex");
  return identity;
}
