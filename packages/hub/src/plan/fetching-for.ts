import type { FetchContext } from "../fetch/fetch-context.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { HubParts } from "./hub-parts.ts";

/**
 * How the source of a lock's entry is fetched: as what a person asked for, where only this user's own commands wrote it.
 *
 * A project's lock comes with the project, and what another skill brought along was that skill's wish.
 */
export function fetchingFor(
  { scope, fetching }: Pick<HubParts, "scope" | "fetching">,
  { requiredBy }: Pick<LockEntry, "requiredBy">,
): FetchContext {
  return scope.kind === "user" && requiredBy === undefined ? { ...fetching, askedBy: "person" } : fetching;
}
