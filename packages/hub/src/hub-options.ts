import type { Ask } from "@skillet/core";
import type { Scan } from "./candidate/candidate.ts";
import type { HubLimits, HubScope } from "./hub-limits.ts";
import type { SignatureRule } from "./signature/check-signature-policy.ts";
import type { FetchStep } from "./sources/fetch-context.ts";

/** What a hub works with; the defaults are those of the command line. */
export interface HubOptions {
  readonly home: string;
  readonly userHome: string;
  readonly workspace: string;
  readonly scope: HubScope;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: () => number;
  /** The way to a person; absent where no one is there, and then whatever needs one is refused. */
  readonly ask?: Ask | undefined;
  /** Default: the scanner with its own rules. */
  readonly scan?: Scan;
  /** Exactly `owner/repository`; default: `DEFAULT_TRUSTED_SOURCES`. */
  readonly trustedSources?: readonly string[];
  readonly signatures?: readonly SignatureRule[];
  readonly allowedPrivateHosts?: readonly string[];
  readonly limits?: Partial<HubLimits>;
  /** Who holds which names already, outside the lock; an install takes none of them, nor one that looks like it. */
  readonly holders?: ReadonlyMap<string, string>;
  /** The project that a folder of this machine lies in and no one trusts, so that it is not the user's own; default: none. */
  readonly untrustedAround?: (path: string) => string | undefined;
  readonly onStep?: ((step: HubStep) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One step of the walk, for progress on a terminal and for tests of faults. */
export type HubStep =
  | FetchStep
  | { readonly step: "validate" | "scan" | "decide" | "place"; readonly what: string };
