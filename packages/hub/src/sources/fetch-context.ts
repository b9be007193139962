import { SkilletError } from "@skillet/kit/errors";
import type { HubLimits } from "../hub-limits.ts";

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
        {
          limit: "maxFileBytes",
          path,
        },
      );
    this.#bytes += bytes;
    if (this.#bytes > maxUnpackedBytes)
      throw tooLarge(`More than ${maxUnpackedBytes} bytes would be read from one source.`, {
        limit: "maxUnpackedBytes",
        path,
      });
  }
}

export function tooLarge(
  message: string,
  data: { readonly limit: string; readonly path?: string },
): SkilletError {
  return new SkilletError("source-too-large", `${message} Name a smaller source or a folder of it.`, {
    data: { ...data },
  });
}

/** Refuses bytes that are not those that were pinned or promised; nothing of them is unpacked, scanned or kept. */
export function checkPin({
  what,
  expected,
  found,
  promisedBy,
}: {
  readonly what: string;
  readonly expected: string;
  readonly found: string;
  /** The index or registry that gave the digest; absent: a lock did. */
  readonly promisedBy?: string;
}): void {
  if (expected === found) return;
  const advice =
    promisedBy === undefined
      ? "If the change is wanted, update instead."
      : `Either ${promisedBy} is out of date or the file was replaced; tell whoever runs it.`;
  const message = `${what} is not what was promised: its digest is ${found} instead of ${expected}. Nothing of it is used. ${advice}`;
  throw new SkilletError("digest-mismatch", message, { data: { what, expected, found } });
}
