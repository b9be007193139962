import { createRequire } from "node:module";
import type * as Re2 from "re2js";

let loaded: typeof Re2 | undefined;

/** Regular expressions with linear-time matching, loaded on first use: few skills declare patterns. */
export function loadRe2(): typeof Re2 {
  loaded ??= createRequire(import.meta.url)("re2js") as typeof Re2;
  return loaded;
}
