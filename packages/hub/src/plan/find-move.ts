import type { Resolved } from "../fetch/resolved.ts";
import { publisherOf } from "./publisher-of.ts";

/**
 * That another version comes from somebody else than the installed one; undefined where it does not.
 *
 * The source that was asked for stays the same, but a marketplace may send whoever follows it to anybody.
 */
export function findMove(before: Resolved, after: Resolved): string | undefined {
  const [old, now] = [publisherOf(before), publisherOf(after)];
  return old === now ? undefined : `it comes from ${now} now, and the installed version from ${old}`;
}
