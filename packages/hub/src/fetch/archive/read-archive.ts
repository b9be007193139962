import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import type { ArchiveSource } from "../../source/source.ts";
import type { FetchContext } from "../fetch-context.ts";
import { download } from "../http/download.ts";
import { showUrl } from "../http/show-url.ts";
import type { ResolvedArchive } from "../resolved.ts";

export interface ReadArchive {
  readonly bytes: Uint8Array;
  /** For messages. */
  readonly name: string;
  readonly contentType?: string;
  readonly resolved: ResolvedArchive;
}

/** Reads the bytes of an archive, packed as they are, from its address or its file. */
export async function readArchive({ location }: ArchiveSource, context: FetchContext): Promise<ReadArchive> {
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

const ACCEPT = "application/zip, application/gzip, application/x-tar, */*;q=0.5";
