import type { WellKnownSource } from "../../source/source.ts";
import type { FetchContext } from "../fetch-context.ts";
import type { ResolvedWellKnown } from "../resolved.ts";
import { findIndex } from "./find-index.ts";
import { resolvedEntry } from "./open-well-known-source.ts";
import { entryOf } from "./skill-index.ts";

/** What the index says about one skill now; without a digest in indexes of version 0.1, where only the files tell. */
export async function resolveWellKnown(
  source: WellKnownSource,
  context: FetchContext,
  { name }: Pick<ResolvedWellKnown, "name">,
): Promise<ResolvedWellKnown> {
  const index = await findIndex(source.base, context);
  return resolvedEntry(entryOf(index, name), index);
}
