import type { Ask } from "@skillet/core";
import type { Digest } from "@skillet/kit/digest";
import type { HubLimits, HubScope } from "./hub-limits.ts";
import type { Scan } from "./inspect/inspect-item.ts";
import type { SignatureRule } from "./signature/check-signature-policy.ts";
import type { FetchStep } from "./sources/fetch-context.ts";

/** Options of `openHub`; the defaults are those of the command line. */
export interface HubOptions {
  readonly home: string;
  readonly userHome: string;
  readonly workspace: string;
  readonly scope: HubScope;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: () => number;
  /** Asks the user; without it, everything that needs an approval is refused. */
  readonly ask?: Ask | undefined;
  /** Default: the scanner with its built-in rules. */
  readonly scan?: Scan;
  /** Exactly `owner/repository`. Default: `DEFAULT_TRUSTED_SOURCES`. */
  readonly trustedSources?: readonly string[];
  /** Whether approvals that call a finding a false alarm count. Default: true. */
  readonly falseAlarms?: boolean;
  readonly signatures?: readonly SignatureRule[];
  readonly allowedPrivateHosts?: readonly string[];
  readonly limits?: Partial<HubLimits>;
  /** The holders of names outside the lock; an install takes none of these names, nor one that looks like them. */
  readonly holders?: ReadonlyMap<string, string>;
  /**
   * The agents that already read the holder of a name, if it has exactly these bytes, so that there is
   * nothing to install for them; undefined if its bytes differ. Default: always undefined.
   */
  readonly heldFor?: (name: string, digest: Digest) => Promise<readonly string[] | undefined>;
  /** Whether the workspace's project is trusted, so that its `.npmrc` applies to its own installs. Default: false. */
  readonly projectTrusted?: boolean;
  /** The untrusted repository that a local folder is in, which makes it not the user's own. Default: none. */
  readonly untrustedAround?: (path: string) => string | undefined;
  readonly onStep?: ((step: HubStep) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A step of the work, for progress on a terminal and for fault injection in tests. */
export type HubStep =
  | FetchStep
  | { readonly step: "validate" | "scan" | "decide" | "place"; readonly what: string };
