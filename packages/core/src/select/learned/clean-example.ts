import { cutText, removeHidden } from "@skillet/kit/text";
import { LEARNED_LIMITS } from "./learned.ts";

/** A message as an example in a learned file: one line, nothing hidden, not too long; undefined when nothing is left. */
export function cleanExample(message: string): string | undefined {
  const line = removeHidden(message.slice(0, MAX_LOOKED_AT)).replace(/\s+/g, " ").trim();
  return cutText(line, LEARNED_LIMITS.exampleCharacters).trim() || undefined;
}

const MAX_LOOKED_AT = 4_000;
