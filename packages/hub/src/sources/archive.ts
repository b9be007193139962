import type { TreeFile } from "@skillet/core";
import { type ArchiveEntry, type ArchiveItem, inflate, isTar, readTar, readZip } from "@skillet/kit/archive";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { quoteName } from "@skillet/kit/text";
import type { HubLimits } from "../hub-limits.ts";
import { checkEntryPath, findCollisions } from "./entry-path.ts";
import { checkPin, type FetchContext, type OpenedSource, openTree } from "./fetch-context.ts";
import { showUrl } from "./http/address.ts";
import { download } from "./http/download.ts";
import type { ResolvedOf, SourceOf } from "./source.ts";

/** What an archive is now; its bytes are read, since servers' tags and dates say nothing that could be relied on. */
export async function resolveArchive(
  source: SourceOf<"archive">,
  context: FetchContext,
): Promise<ResolvedOf<"archive">> {
  return (await readArchive(source, context)).resolved;
}

/** Opens a `.skill`, zip, tar or tar.gz; with a pin, its digest is compared before anything is unpacked. */
export async function openArchiveSource(
  source: SourceOf<"archive">,
  context: FetchContext,
  expected?: ResolvedOf<"archive">,
): Promise<OpenedSource> {
  const { bytes, name, contentType, resolved } = await readArchive(source, context);
  if (expected !== undefined) checkPin(name, expected.digest, resolved.digest);
  return openTree({ resolved, files: unpackFetched(bytes, name, context, contentType) });
}

/** Unpacks what was downloaded, and says so. */
export function unpackFetched(
  bytes: Uint8Array,
  name: string,
  { limits, onStep }: FetchContext,
  contentType?: string,
): readonly TreeFile[] {
  onStep?.({ step: "unpack", what: name });
  return unpackArchive(bytes, { name, limits, contentType });
}

const ACCEPT = "application/zip, application/gzip, application/x-tar, */*;q=0.5";

interface ReadArchive {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly contentType?: string | undefined;
  readonly resolved: ResolvedOf<"archive">;
}

async function readArchive({ location }: SourceOf<"archive">, context: FetchContext): Promise<ReadArchive> {
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
    contentType,
    resolved: { kind: "archive", location, digest: digestBytes(bytes) },
  };
}

interface UnpackOptions {
  readonly name: string;
  /** As its server called it; for messages only, since the bytes themselves say what they are. */
  readonly contentType?: string | undefined;
  readonly limits: HubLimits;
}

/**
 * Reads a zip, tar or tar.gz whole, in memory. One entry that should not be there and nothing is returned: an author
 * who packs a link to `/etc` beside a skill is not to be trusted with the rest.
 *
 * One folder around everything is taken off unless SKILL.md lies at the root.
 */
export function unpackArchive(bytes: Uint8Array, options: UnpackOptions): readonly TreeFile[] {
  const budget = new UnpackBudget(bytes.length, options);
  const entries: ArchiveEntry[] = [];
  for (const item of openArchive(bytes, budget, options)) {
    if ("fault" in item) throw budget.refuse(item.reason, item.entry);
    budget.addEntry(item);
    entries.push(item);
  }
  for (const { path } of entries) {
    const problem = checkEntryPath(path);
    if (problem !== undefined) throw budget.refuse(`its path ${problem}`, path);
  }
  const files = entries.filter(({ kind }) => kind !== "folder");
  // A folder holds at least a name that no file can have, so that a file of the folder's name is seen.
  const folders = new Set(entries.filter(({ kind }) => kind === "folder").map(({ path }) => `${path}/:`));
  const collision = findCollisions([...files.map(({ path }) => path), ...folders]);
  if (collision !== undefined) throw budget.refuse(collision);
  if (files.length === 0) throw budget.refuse("it has no files");
  const unpacked = files.map((entry) => ({
    path: entry.path,
    mode: entry.mode,
    bytes: contentOf(entry, budget),
  }));
  return stripTopFolder(unpacked.filter(({ path }) => !isAppleFork(path)));
}

export function archiveRefusal(name: string, reason: string, entry?: string): SkilletError {
  const where = entry === undefined ? "" : ` because of its entry ${quoteName(entry)}`;
  const message = `The archive ${name} is refused${where}: ${reason}. Nothing of it was unpacked; ask its author for a clean one.`;
  return new SkilletError("archive-refused", message, {
    data: { archive: name, reason, ...(entry === undefined ? {} : { entry: entry.slice(0, 256) }) },
  });
}

// Judged by the bytes: names and content types can say anything.
function openArchive(bytes: Uint8Array, budget: UnpackBudget, options: UnpackOptions): Iterable<ArchiveItem> {
  const startsWith = (...magic: readonly number[]): boolean =>
    magic.every((byte, index) => bytes[index] === byte);
  if (startsWith(0x50, 0x4b, 3, 4) || startsWith(0x50, 0x4b, 5, 6)) return readZip(bytes);
  if (startsWith(0x1f, 0x8b)) return readTar(gunzip(bytes, budget));
  if (isTar(bytes)) return readTar(bytes);
  const served =
    options.contentType === undefined ? "" : `, but came as ${quoteName(options.contentType.slice(0, 80))}`;
  throw budget.refuse(`it is neither a zip nor a tar or tar.gz${served}; pack it as one of these`);
}

function gunzip(bytes: Uint8Array, budget: UnpackBudget): Uint8Array {
  const inflated = inflate(bytes, "gzip", { maxBytes: budget.maxBytes });
  if ("fault" in inflated) throw budget.refuse(inflated.fault);
  // Tapes are filled up with zeros; anything else is something that only some programs would see.
  if (bytes.subarray(inflated.consumedBytes).some((byte) => byte !== 0))
    throw budget.refuse("bytes follow its end, where a second archive could hide");
  if (!isTar(inflated.bytes)) throw budget.refuse("what was compressed is not a tar");
  return inflated.bytes;
}

function contentOf(entry: ArchiveEntry, budget: UnpackBudget): Uint8Array {
  const { bytes, fault } = entry.read(entry.size);
  if (bytes === undefined || fault !== undefined)
    throw budget.refuse(fault ?? "it cannot be read", entry.path);
  return bytes;
}

// What one system's archiver adds beside each file: its icons and dates, never part of a skill.
function isAppleFork(path: string): boolean {
  return path.startsWith("__MACOSX/");
}

/** Hosts and package managers add a folder around everything; one that means something by its name stays. */
function stripTopFolder(files: readonly TreeFile[]): readonly TreeFile[] {
  const [first] = files;
  const end = first?.path.indexOf("/") ?? -1;
  if (first === undefined || end < 0) return files;
  const top = first.path.slice(0, end + 1);
  const isMeant = top === "skills/" || top.startsWith(".");
  if (isMeant || !files.every(({ path }) => path.startsWith(top))) return files;
  return files.map((file) => ({ ...file, path: file.path.slice(top.length) }));
}

// Small archives of very regular text are honest at any ratio.
const FREE_BYTES = 1024 * 1024;

class UnpackBudget {
  readonly maxBytes: number;
  readonly #options: UnpackOptions;
  readonly #packedBytes: number;
  #entries = 0;
  #bytes = 0;

  constructor(packedBytes: number, options: UnpackOptions) {
    const { maxUnpackedBytes, maxRatio } = options.limits;
    this.#options = options;
    this.#packedBytes = packedBytes;
    this.maxBytes = Math.min(maxUnpackedBytes, FREE_BYTES + packedBytes * maxRatio);
  }

  /** Counts an entry by its header, before any of its bytes are touched. */
  addEntry({ path, size }: ArchiveEntry): void {
    const { maxEntries, maxDepth, maxFileBytes, maxUnpackedBytes } = this.#options.limits;
    this.#entries += 1;
    this.#bytes += size;
    if (this.#entries > maxEntries) throw this.refuse(`it has more than ${maxEntries} entries`);
    if (path.split("/").length - 1 > maxDepth)
      throw this.refuse(`it lies more than ${maxDepth} folders deep`, path);
    if (size > maxFileBytes)
      throw this.refuse(`it has ${size} bytes; one file may have ${maxFileBytes}`, path);
    if (this.#bytes > maxUnpackedBytes)
      throw this.refuse(`with it, more than ${maxUnpackedBytes} bytes would be unpacked`, path);
    if (this.#bytes > this.maxBytes)
      throw this.refuse(
        `with it, ${this.#packedBytes} packed bytes would become ${this.#bytes}, as in a bomb`,
        path,
      );
  }

  refuse(reason: string, entry?: string): SkilletError {
    return archiveRefusal(this.#options.name, reason, entry);
  }
}
