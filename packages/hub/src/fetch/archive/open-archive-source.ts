import type { ArchiveSource } from "../../source/source.ts";
import { checkPin } from "../check-pin.ts";
import type { FetchContext } from "../fetch-context.ts";
import { openTree } from "../open-tree.ts";
import type { OpenedSource } from "../opened-source.ts";
import type { ResolvedArchive } from "../resolved.ts";
import { readArchive } from "./read-archive.ts";
import { unpackArchive } from "./unpack-archive.ts";

/** Opens a `.skill`, zip, tar or tar.gz; with a pin, its digest is compared before anything is unpacked. */
export async function openArchiveSource(
  source: ArchiveSource,
  context: FetchContext,
  expected?: ResolvedArchive,
): Promise<OpenedSource> {
  const { bytes, name, contentType, resolved } = await readArchive(source, context);
  if (expected !== undefined) checkPin({ what: name, expected: expected.digest, found: resolved.digest });
  context.onStep?.({ step: "unpack", what: name });
  const files = await unpackArchive(bytes, {
    name,
    limits: context.limits,
    ...(contentType === undefined ? {} : { contentType }),
  });
  return openTree({ resolved, files });
}
