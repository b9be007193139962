import type { Ask } from "@skillet/core";
import type { Digest } from "@skillet/kit/digest";
import type { HubLimits, HubScope } from "./hub-limits.ts";
import type { Scan } from "./inspect/inspect-item.ts";
import type { SignatureRule } from "./signature/check-signature-policy.ts";
import type { FetchStep } from "./sources/fetch-context.ts";

/** The defaults are those of the command line. */
export interface HubOptions {
  readonly home: string;
  readonly userHome: string;
  readonly workspace: string;
  readonly scope: HubScope;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: () => number;
  /** Asks a person; without it, everything that needs an approval is refused. */
  readonly ask?: Ask | undefined;
  /** Default: the scanner with its own rules. */
  readonly scan?: Scan;
  /** Exactly `owner/repository`; default: `DEFAULT_TRUSTED_SOURCES`. */
  readonly trustedSources?: readonly string[];
  /** Whether approvals that call a finding a false alarm count; default true. */
  readonly falseAlarms?: boolean;
  readonly signatures?: readonly SignatureRule[];
  readonly allowedPrivateHosts?: readonly string[];
  readonly limits?: Partial<HubLimits>;
  /** The holders of names outside the lock; an install takes none of these names, nor one that looks like them. */
  readonly holders?: ReadonlyMap<string, string>;
  /**
   * The agents that read the holder of a name, where it has exactly these bytes, so that there is nothing to install for
   * them; undefined where it has others. Default: always undefined.
   */
  readonly heldFor?: (name: string, digest: Digest) => Promise<readonly string[] | undefined>;
  /** Whether the workspace's project is trusted, so that its `.npmrc` counts for its own installs; default: false. */
  readonly projectTrusted?: boolean;
  /** The untrusted repository that a folder of this machine lies in, so that it is not the user's own; default: none. */
  readonly untrustedAround?: (path: string) => string | undefined;
  readonly onStep?: ((step: HubStep) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One step of the walk, for progress on a terminal and for tests of faults. */
export type HubStep =
  | FetchStep
  | { readonly step: "validate" | "scan" | "decide" | "place"; readonly what: string };
