import type { TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import type { HubLimits } from "../hub-limits.ts";
import type { FoundEnvelopes } from "./collect-envelopes.ts";
import type { Resolved } from "./source.ts";

export interface FetchContext {
  readonly home: string;
  readonly limits: HubLimits;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Hosts (`name` or `name:port`) with private addresses that may be contacted, from user and organisation config. */
  readonly allowedPrivateHosts: readonly string[];
  /**
   * Who named the source. The user may name a git server in their own network; a skill, a marketplace or a
   * project's lock may not, unless its host is allowed. Default: `content`.
   */
  readonly askedBy?: "person" | "content";
  /** The `.npmrc` of the project, if the project is trusted. */
  readonly projectNpmrc?: () => string | undefined;
  readonly lookUp?: (host: string) => Promise<readonly string[]>;
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((step: FetchStep) => void) | undefined;
}

export interface FetchStep {
  readonly step: "resolve" | "fetch" | "unpack" | "read";
  readonly what: string;
  readonly doneBytes?: number;
  readonly totalBytes?: number | undefined;
}

/** A signal that aborts one download or one look-up at its deadline, or together with the whole operation. */
export function withDeadline({ limits, signal }: FetchContext): {
  readonly deadline: AbortSignal;
  readonly signal: AbortSignal;
} {
  const deadline = AbortSignal.timeout(limits.deadlineMs);
  return { deadline, signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]) };
}

/** Counts the bytes that are read from one source, and throws before a file exceeds its limits. */
export function readBudget(limits: HubLimits): (path: string, bytes: number) => void {
  const { maxFileBytes, maxUnpackedBytes } = limits;
  let total = 0;
  return (path, bytes) => {
    if (bytes > maxFileBytes) {
      const problem = `${JSON.stringify(path)} has ${bytes} bytes; a file may have at most ${maxFileBytes}.`;
      throw tooLarge(problem, "maxFileBytes", path);
    }
    total += bytes;
    if (total > maxUnpackedBytes)
      throw tooLarge(`The source has more than ${maxUnpackedBytes} bytes.`, "maxUnpackedBytes", path);
  };
}

export function tooLarge(problem: string, limit: string, path?: string): SkilletError {
  const message = `${problem} Name a smaller source or a folder of it.`;
  return new SkilletError("source-too-large", message, {
    data: { limit, ...(path !== undefined && { path }) },
  });
}

/** Refuses bytes other than those that were pinned or promised, before they are unpacked, scanned or stored. */
export function checkPin(
  what: string,
  expected: string,
  found: string,
  /** The index or registry that stated the digest; absent if a lock did. */
  promisedBy?: string,
): void {
  if (expected === found) return;
  const advice =
    promisedBy === undefined
      ? "If the change is wanted, update instead."
      : `Either ${promisedBy} is out of date or the file was replaced; tell its owner.`;
  const message = `${what} does not have the expected digest: it is ${found} instead of ${expected}. It is not used. ${advice}`;
  throw new SkilletError("digest-mismatch", message, { data: { what, expected, found } });
}

export interface SourceEntry {
  readonly path: string;
  readonly mode: "644" | "755" | "120000" | "160000";
  readonly size?: number;
}

/**
 * A source that was resolved and can be read; none of its files are in a folder where skills are discovered.
 *
 * A repository reads blobs on demand, an archive was unpacked in memory, and an index downloads an artefact
 * when one of its files is read.
 */
export interface OpenedSource {
  readonly resolved: Resolved;
  /** `owner/repository` on github.com over https or ssh, from which origins are derived; absent for other sources. */
  readonly identity?: string | undefined;
  /** For a tree URL: the folder after the ref, once the remote's refs tell where the ref ends; absent for its root. */
  readonly folder?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly entries: readonly SourceEntry[];
  /** Names and descriptions from an index, by folder, so that listing them needs no download. */
  readonly summaries?: ReadonlyMap<
    string,
    { readonly kind?: "plugin"; readonly name: string; readonly description: string }
  >;
  /** Where a package declares its skills; other sources are searched. */
  readonly skillFolders?: readonly string[] | undefined;
  /** All entries of one folder, for sources whose `entries` contain only its SKILL.md. */
  expand?(folder: string): Promise<readonly SourceEntry[]>;
  /** The pin of one folder that has its own, like the entries of an index. Default: `resolved`. */
  resolvedOf?(folder: string): Resolved;
  /** The signatures of one folder, not yet checked; absent if the source cannot contain any. */
  signaturesOf?(folder: string): Promise<FoundEnvelopes>;
  read(
    paths: readonly string[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<readonly TreeFile[]>;
  close(): Promise<void>;
}

/** Adds what is common to all kinds of sources: after `close`, nothing more is read. */
export function openedSource(
  source: Omit<OpenedSource, "close"> & Partial<Pick<OpenedSource, "close">>,
): OpenedSource {
  const closing = new AbortController();
  const { expand } = source;
  return {
    ...source,
    ...(expand && {
      expand: async (folder: string) => {
        closing.signal.throwIfAborted();
        return expand(folder);
      },
    }),
    async read(paths, options = {}) {
      const signal = AbortSignal.any([closing.signal, ...(options.signal ? [options.signal] : [])]);
      signal.throwIfAborted();
      return source.read(paths, { signal });
    },
    async close() {
      const message = "The source was closed, so nothing of it can be read; open it again.";
      closing.abort(new SkilletError("source-closed", message));
      await source.close?.();
    },
  };
}

/** Creates a source from files in memory; links are never among them. */
export function openTree(
  source: Pick<OpenedSource, "resolved" | "identity" | "skillFolders" | "signaturesOf"> & {
    readonly files: readonly TreeFile[];
    readonly diagnostics?: readonly Diagnostic[];
  },
): OpenedSource {
  const { files: unsorted, diagnostics = [], ...rest } = source;
  const files = unsorted.toSorted((left, right) => compareByteOrder(left.path, right.path));
  const byPath = new Map(files.map((file) => [file.path, file]));
  return openedSource({
    ...rest,
    diagnostics,
    entries: files.map(({ path, mode, bytes }) => ({ path, mode, size: bytes.length })),
    read: async (paths) => paths.map((path) => byPath.get(path) ?? missingEntry(path)),
  });
}

export function missingEntry(path: string): never {
  const message = `The source has no file ${JSON.stringify(path)}; ask for one that it lists.`;
  throw new SkilletError("source-entry-missing", message, { data: { path } });
}
