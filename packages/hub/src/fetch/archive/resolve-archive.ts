import type { ArchiveSource } from "../../source/source.ts";
import type { FetchContext } from "../fetch-context.ts";
import type { ResolvedArchive } from "../resolved.ts";
import { readArchive } from "./read-archive.ts";

/** What an archive is now; its bytes are read, since servers' tags and dates say nothing that could be relied on. */
export async function resolveArchive(source: ArchiveSource, context: FetchContext): Promise<ResolvedArchive> {
  return (await readArchive(source, context)).resolved;
}
