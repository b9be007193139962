import type { NpmSource } from "../../source/source.ts";
import type { FetchContext } from "../fetch-context.ts";
import type { ResolvedNpm } from "../resolved.ts";
import { findVersion } from "./find-version.ts";

/** What the version or tag that was asked for is now; nothing but the package's document is downloaded. */
export async function resolveNpm(source: NpmSource, context: FetchContext): Promise<ResolvedNpm> {
  return (await findVersion(source, context)).resolved;
}
