import { createRequire } from "node:module";
import type * as Unbash from "unbash";

let loaded: typeof Unbash | undefined;

/** The shell parser, loaded on first need: most commands and many sessions never judge a shell command. */
export function loadUnbash(): typeof Unbash {
  loaded ??= createRequire(import.meta.url)("unbash") as typeof Unbash;
  return loaded;
}
