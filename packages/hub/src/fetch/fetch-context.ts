import type { HubLimits } from "../hub-limits.ts";

/** What every way of fetching gets. */
export interface FetchContext {
  /** Skillet's own folder; downloads go to its `quarantine`. */
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
  /** Gives the addresses of a name; default: the system's resolver. */
  readonly lookUp?: (host: string) => Promise<readonly string[]>;
  readonly signal?: AbortSignal;
  /** Told what is going on, for progress on a terminal. */
  readonly onStep?: (step: FetchStep) => void;
}

/** One step of fetching. */
export interface FetchStep {
  readonly step: "resolve" | "fetch" | "unpack" | "read";
  /** For people, such as `https://github.com/owner/repository`. */
  readonly what: string;
  readonly doneBytes?: number;
  readonly totalBytes?: number;
}
