import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import type { ArchiveSource, ResolvedArchive } from "../../source/source.ts";
import { checkPin, type FetchContext } from "../fetch-context.ts";
import { showUrl } from "../http/check-url.ts";
import { download } from "../http/download.ts";
import { type OpenedSource, openTree } from "../opened-source.ts";
import { unpackArchive } from "./unpack-archive.ts";

/** What an archive is now; its bytes are read, since servers' tags and dates say nothing that could be relied on. */
export async function resolveArchive(source: ArchiveSource, context: FetchContext): Promise<ResolvedArchive> {
  return (await readArchive(source, context)).resolved;
}

/** Opens a `.skill`, zip, tar or tar.gz; with a pin, its digest is compared before anything is unpacked. */
export async function openArchiveSource(
  source: ArchiveSource,
  context: FetchContext,
  expected?: ResolvedArchive,
): Promise<OpenedSource> {
  const { bytes, name, contentType, resolved } = await readArchive(source, context);
  if (expected !== undefined) checkPin({ what: name, expected: expected.digest, found: resolved.digest });
  context.onStep?.({ step: "unpack", what: name });
  const files = unpackArchive(bytes, {
    name,
    limits: context.limits,
    ...(contentType === undefined ? {} : { contentType }),
  });
  return openTree({ resolved, files });
}

const ACCEPT = "application/zip, application/gzip, application/x-tar, */*;q=0.5";

interface ReadArchive {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly contentType?: string;
  readonly resolved: ResolvedArchive;
}

async function readArchive({ location }: ArchiveSource, context: FetchContext): Promise<ReadArchive> {
  if (!/^https?:/i.test(location)) {
    context.onStep?.({ step: "fetch", what: location });
    const bytes = readBoundedFile(location, { maxBytes: context.limits.maxDownloadBytes });
    if (bytes === undefined)
      throw new SkilletError("file-not-found", `There is no archive ${location}; check the path.`, {
        data: { path: location },
      });
    return { bytes, name: location, resolved: { kind: "archive", location, digest: digestBytes(bytes) } };
  }
  const { bytes, contentType } = await download(location, context, { accept: ACCEPT });
  return {
    bytes,
    name: showUrl(location),
    ...(contentType === undefined ? {} : { contentType }),
    resolved: { kind: "archive", location, digest: digestBytes(bytes) },
  };
}
