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
  /** Hosts (`name` or `name:port`) of private addresses that may be contacted, as user and organisation config say. */
  readonly allowedPrivateHosts: readonly string[];
  /**
   * Who named the source. A person may name a git server of their own network; a skill, a marketplace or a project's
   * lock may not, unless its host is allowed. Default: `content`.
   */
  readonly askedBy?: "person" | "content";
  /** The `.npmrc` of the project, where that is trusted. */
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

/** A signal that ends one download or one look-up at its deadline, or with the whole. */
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

/** Refuses bytes other than those that were pinned or promised; none of them are unpacked, scanned or kept. */
export function checkPin(
  what: string,
  expected: string,
  found: string,
  /** The index or registry that gave the digest; absent: a lock did. */
  promisedBy?: string,
): void {
  if (expected === found) return;
  const advice =
    promisedBy === undefined
      ? "If the change is wanted, update instead."
      : `Either ${promisedBy} is out of date or the file was replaced; tell its owner.`;
  const message = `${what} is not what was promised: its digest is ${found} instead of ${expected}. Nothing of it is used. ${advice}`;
  throw new SkilletError("digest-mismatch", message, { data: { what, expected, found } });
}

export interface SourceEntry {
  readonly path: string;
  readonly mode: "644" | "755" | "120000" | "160000";
  readonly size?: number;
}

/**
 * A source that was resolved and can be looked into; nothing of it lies in a place where skills are found.
 *
 * A repository reads blobs by need, an archive was unpacked in memory, an index downloads an artefact when a file of it
 * is read.
 */
export interface OpenedSource {
  readonly resolved: Resolved;
  /** `owner/repository` of github.com over https or ssh, from which origins are derived; absent for everything else. */
  readonly identity?: string | undefined;
  /** Of a tree URL: the folder that is left when the remote's refs told where the ref ends; absent for its root. */
  readonly folder?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly entries: readonly SourceEntry[];
  /** Names and descriptions from an index, by folder, so that nothing need be downloaded to list them. */
  readonly summaries?: ReadonlyMap<
    string,
    { readonly kind?: "plugin"; readonly name: string; readonly description: string }
  >;
  /** Where a package declares its skills; other sources are searched. */
  readonly skillFolders?: readonly string[] | undefined;
  /** The real entries of one folder, for sources whose `entries` name no more of it than its SKILL.md. */
  expand?(folder: string): Promise<readonly SourceEntry[]>;
  /** The pin of one folder where it has its own, as the entries of an index do; default: `resolved`. */
  resolvedOf?(folder: string): Resolved;
  /** The signatures of one folder, not yet checked; absent where a source has no place for them. */
  signaturesOf?(folder: string): Promise<FoundEnvelopes>;
  read(
    paths: readonly string[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<readonly TreeFile[]>;
  close(): Promise<void>;
}

/** Completes a source with what is common to all kinds: once it is closed, nothing more of it is read. */
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

/** Makes a source of files that are all in memory; links are never among them. */
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
