import type { TreeFile } from "@skillet/core";
import { type ArchiveEntry, type ArchiveItem, inflate, isTar, readTar, readZip } from "@skillet/kit/archive";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { quoteName } from "@skillet/kit/text";
import { checkEntryPath, findCollisions } from "./entry-path.ts";
import { checkPin, type FetchContext, type OpenedSource, openTree } from "./fetch-context.ts";
import { showUrl } from "./http/address.ts";
import { download } from "./http/download.ts";
import type { ResolvedOf, SourceOf } from "./source.ts";

/** Opens a `.skill`, zip, tar or tar.gz; with a pin, its digest is checked before anything is unpacked. */
export async function openArchiveSource(
  { location }: SourceOf<"archive">,
  context: FetchContext,
  expected?: ResolvedOf<"archive">,
): Promise<OpenedSource> {
  const isRemote = /^https?:/i.test(location);
  const { bytes, contentType }: { bytes: Uint8Array; contentType?: string | undefined } = isRemote
    ? await download(location, context, { accept: ACCEPT })
    : { bytes: readLocal(location, context) };
  const name = isRemote ? showUrl(location) : location;
  const digest = digestBytes(bytes);
  if (expected !== undefined) checkPin(name, expected.digest, digest);
  const files = unpackArchive(bytes, { ...context, name, contentType });
  return openTree({ resolved: { kind: "archive", location, digest }, files });
}

const ACCEPT = "application/zip, application/gzip, application/x-tar, */*;q=0.5";

function readLocal(path: string, { limits, onStep }: FetchContext): Uint8Array {
  onStep?.({ step: "fetch", what: path });
  const bytes = readBoundedFile(path, { maxBytes: limits.maxDownloadBytes });
  if (bytes !== undefined) return bytes;
  const message = `There is no archive ${path}; check the path.`;
  throw new SkilletError("file-not-found", message, { data: { path } });
}

interface UnpackOptions extends Pick<FetchContext, "limits" | "onStep"> {
  readonly name: string;
  /** For messages only: the format is detected from the bytes. */
  readonly contentType?: string | undefined;
}

// Small archives of very regular text may have any ratio.
const FREE_BYTES = 1024 * 1024;

/**
 * Reads a whole zip, tar or tar.gz in memory. If one entry is not allowed, nothing is returned: an author who
 * packs a link to `/etc` beside a skill cannot be trusted with the rest.
 *
 * A single folder around everything is removed unless SKILL.md is at the root.
 */
export function unpackArchive(bytes: Uint8Array, options: UnpackOptions): readonly TreeFile[] {
  const { name, limits, onStep } = options;
  onStep?.({ step: "unpack", what: name });
  const maxBytes = Math.min(limits.maxUnpackedBytes, FREE_BYTES + bytes.length * limits.maxRatio);
  const entries: ArchiveEntry[] = [];
  let unpackedBytes = 0;
  // Entries are checked by their headers, before any of their bytes are touched.
  for (const item of openArchive(bytes, maxBytes, options)) {
    if ("fault" in item) throw archiveRefusal(name, item.reason, item.entry);
    entries.push(item);
    if (entries.length > limits.maxEntries)
      throw archiveRefusal(name, `it has more than ${limits.maxEntries} entries`);
    unpackedBytes += item.size;
    const problem = findExcess(item, unpackedBytes, options);
    if (problem !== undefined) throw archiveRefusal(name, problem, item.path);
    if (unpackedBytes > maxBytes) {
      const bomb = `with it, ${bytes.length} packed bytes would become ${unpackedBytes}, as in a bomb`;
      throw archiveRefusal(name, bomb, item.path);
    }
  }
  for (const { path } of entries) {
    const problem = checkEntryPath(path);
    if (problem !== undefined) throw archiveRefusal(name, `its path ${problem}`, path);
  }
  const files = entries.filter(({ kind }) => kind !== "folder");
  // Each folder gets an entry with a name that no file can have, so that a file with the folder's name collides.
  const folders = new Set(entries.filter(({ kind }) => kind === "folder").map(({ path }) => `${path}/:`));
  const collision = findCollisions([...files.map(({ path }) => path), ...folders]);
  if (collision !== undefined) throw archiveRefusal(name, collision);
  if (files.length === 0) throw archiveRefusal(name, "it has no files");
  const unpacked = files.map((entry) => ({
    path: entry.path,
    mode: entry.mode,
    bytes: contentOf(entry, name),
  }));
  // macOS adds icons and dates beside each file, which are never part of a skill.
  return stripTopFolder(unpacked.filter(({ path }) => !path.startsWith("__MACOSX/")));
}

function findExcess(
  { path, size }: ArchiveEntry,
  unpackedBytes: number,
  { limits: { maxDepth, maxFileBytes, maxUnpackedBytes } }: UnpackOptions,
): string | undefined {
  if (path.split("/").length - 1 > maxDepth) return `it lies more than ${maxDepth} folders deep`;
  if (size > maxFileBytes) return `it has ${size} bytes; one file may have ${maxFileBytes}`;
  if (unpackedBytes > maxUnpackedBytes)
    return `with it, more than ${maxUnpackedBytes} bytes would be unpacked`;
  return undefined;
}

export function archiveRefusal(name: string, reason: string, entry?: string): SkilletError {
  const where = entry === undefined ? "" : ` because of its entry ${quoteName(entry)}`;
  const message = `The archive ${name} is refused${where}: ${reason}. Nothing of it was unpacked; ask its author for a clean one.`;
  return new SkilletError("archive-refused", message, {
    data: { archive: name, reason, ...(entry === undefined ? {} : { entry: entry.slice(0, 256) }) },
  });
}

// Detected from the bytes: names and content types can say anything.
function openArchive(
  bytes: Uint8Array,
  maxBytes: number,
  { name, contentType }: UnpackOptions,
): Iterable<ArchiveItem> {
  const startsWith = (...magic: readonly number[]): boolean =>
    magic.every((byte, index) => bytes[index] === byte);
  if (startsWith(0x50, 0x4b, 3, 4) || startsWith(0x50, 0x4b, 5, 6)) return readZip(bytes);
  if (startsWith(0x1f, 0x8b)) return readTar(gunzip(bytes, maxBytes, name));
  if (isTar(bytes)) return readTar(bytes);
  const served = contentType === undefined ? "" : `, but came as ${quoteName(contentType.slice(0, 80))}`;
  throw archiveRefusal(name, `it is neither a zip nor a tar or tar.gz${served}; pack it as one of these`);
}

function gunzip(bytes: Uint8Array, maxBytes: number, name: string): Uint8Array {
  const inflated = inflate(bytes, "gzip", { maxBytes });
  if ("fault" in inflated) throw archiveRefusal(name, inflated.fault);
  // Tapes are padded with zeros; only some programs would see anything else.
  if (bytes.subarray(inflated.consumedBytes).some((byte) => byte !== 0))
    throw archiveRefusal(name, "bytes follow its end, where a second archive could hide");
  if (!isTar(inflated.bytes)) throw archiveRefusal(name, "what was compressed is not a tar");
  return inflated.bytes;
}

function contentOf(entry: ArchiveEntry, name: string): Uint8Array {
  const { bytes, fault } = entry.read(entry.size);
  if (bytes === undefined || fault !== undefined)
    throw archiveRefusal(name, fault ?? "it cannot be read", entry.path);
  return bytes;
}

/** Hosts and package managers add a folder around everything; a folder whose name has a meaning stays. */
function stripTopFolder(files: readonly TreeFile[]): readonly TreeFile[] {
  const [top] = /^[^/]*\//.exec(files[0]?.path ?? "") ?? [];
  if (top === undefined || top === "skills/" || top.startsWith(".")) return files;
  if (!files.every(({ path }) => path.startsWith(top))) return files;
  return files.map((file) => ({ ...file, path: file.path.slice(top.length) }));
}
