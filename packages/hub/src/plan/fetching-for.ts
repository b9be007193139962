import type { FetchContext } from "../fetch/fetch-context.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { HubParts } from "./hub-parts.ts";

/**
 * How the source of a lock's entry is fetched: as what a person asked for, where only this user's own commands wrote it.
 *
 * A project's lock comes with the project; what another skill brought along was that skill's wish, and what was imported
 * that of whoever wrote the file.
 */
export function fetchingFor(
  { scope, fetching }: Pick<HubParts, "scope" | "fetching">,
  { requiredBy, askedBy }: Pick<LockEntry, "requiredBy" | "askedBy">,
): FetchContext {
  const isPersons = scope.kind === "user" && requiredBy === undefined && askedBy === undefined;
  return isPersons ? { ...fetching, askedBy: "person" } : fetching;
}
