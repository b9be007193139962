import type { Offer } from "../discover/offer.ts";
import type { Source } from "../source/source.ts";
import { isPick } from "../source/source-tail.ts";

/**
 * The source of one offer, as a lock keeps it: updates must find the same again, also where there are others by then.
 *
 * A name that cannot be picked by, such as one with spaces, is stood for by its folder.
 */
export function pickedSource(source: Source, { name, kind, folder }: Offer): Source {
  if (source.kind === "skill-file") return source;
  const pick = [kind === "plugin" ? `plugin:${name}` : name, folder.slice(folder.lastIndexOf("/") + 1)].find(
    isPick,
  );
  if (pick !== undefined) return { ...source, pick };
  const { pick: _, ...rest } = source;
  return rest.kind === "git" && rest.refAndFolder === undefined && folder !== "" ? { ...rest, folder } : rest;
}
