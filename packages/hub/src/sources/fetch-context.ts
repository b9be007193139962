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
   * Who named the source. What a person typed may be a git server of their own network; what a skill, a marketplace or
   * a project's lock names may not, unless its host is allowed. Default: `content`.
   */
  readonly askedBy?: "person" | "content";
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

export class ReadBudget {
  readonly #limits: HubLimits;
  #bytes = 0;

  constructor(limits: HubLimits) {
    this.#limits = limits;
  }

  take(path: string, bytes: number): void {
    const { maxFileBytes, maxUnpackedBytes } = this.#limits;
    if (bytes > maxFileBytes)
      throw tooLarge(
        `${JSON.stringify(path)} has ${bytes} bytes; at most ${maxFileBytes} are read of a file.`,
        "maxFileBytes",
        path,
      );
    this.#bytes += bytes;
    if (this.#bytes > maxUnpackedBytes)
      throw tooLarge(
        `More than ${maxUnpackedBytes} bytes would be read from one source.`,
        "maxUnpackedBytes",
        path,
      );
  }
}

export function tooLarge(problem: string, limit: string, path?: string): SkilletError {
  const message = `${problem} Name a smaller source or a folder of it.`;
  return new SkilletError("source-too-large", message, {
    data: { limit, ...(path !== undefined && { path }) },
  });
}

/** Refuses bytes that are not those that were pinned or promised; nothing of them is unpacked, scanned or kept. */
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
      : `Either ${promisedBy} is out of date or the file was replaced; tell whoever runs it.`;
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
 * Every way to fetch gives one: a repository reads blobs by need, an archive was unpacked in memory, an index downloads
 * an artefact when a file of it is read.
 */
export interface OpenedSource {
  readonly resolved: Resolved;
  /** What origins are derived from: `owner/repository` of github.com over https or ssh, absent for everything else. */
  readonly identity?: string;
  /** Of a tree URL: the folder that is left when the remote's refs told where the ref ends; absent for its root. */
  readonly folder?: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly entries: readonly SourceEntry[];
  /** What an index says about its skills, by folder, so that nothing need be downloaded to list them. */
  readonly summaries?: ReadonlyMap<string, SourceSummary>;
  /** Where it says itself that its skills lie, for sources that have such a place, as packages do; others are searched. */
  readonly skillFolders?: readonly string[];
  /** The real entries of one folder, for sources whose `entries` name no more of it than its SKILL.md. */
  expand?(folder: string): Promise<readonly SourceEntry[]>;
  /** The pin of one folder where it has its own, as the entries of an index do; default: `resolved`. */
  resolvedOf?(folder: string): Resolved;
  /** What was signed about one folder, as found and not yet checked; absent where a source has no place for it. */
  signaturesOf?(folder: string): Promise<FoundEnvelopes>;
  read(
    paths: readonly string[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<readonly TreeFile[]>;
  close(): Promise<void>;
}

interface SourceSummary {
  readonly name: string;
  readonly description: string;
}

/** Makes a source of files that are all in memory; links are never among them. */
export function openTree(options: {
  readonly resolved: Resolved;
  readonly identity?: string;
  readonly files: readonly TreeFile[];
  readonly diagnostics?: readonly Diagnostic[];
}): OpenedSource {
  const files = options.files.toSorted((left, right) => compareByteOrder(left.path, right.path));
  const byPath = new Map(files.map((file) => [file.path, file]));
  let isOpen = true;
  return {
    resolved: options.resolved,
    ...(options.identity !== undefined && { identity: options.identity }),
    diagnostics: options.diagnostics ?? [],
    entries: files.map(({ path, mode, bytes }) => ({ path, mode, size: bytes.length })),
    async read(paths, { signal } = {}) {
      if (!isOpen) throw closedSource();
      signal?.throwIfAborted();
      return paths.map((path) => byPath.get(path) ?? missingEntry(path));
    },
    async close() {
      isOpen = false;
      byPath.clear();
    },
  };
}

export function closedSource(): SkilletError {
  const message = "The source was closed, so nothing of it can be read; open it again.";
  return new SkilletError("source-closed", message);
}

export function missingEntry(path: string): never {
  const message = `The source has no file ${JSON.stringify(path)}; ask for one that it lists.`;
  throw new SkilletError("source-entry-missing", message, { data: { path } });
}
