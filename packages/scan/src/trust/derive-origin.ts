import type { Origin, Scope } from "@skillet/core";
import { SCOPE_ORIGINS } from "@skillet/core/internal";

/** The known origin of a skill; nothing that the skill itself says. */
export interface Provenance {
  readonly scope: Scope;
  /** As its installer resolved it, such as `owner/repository/folder`; absent for what no one installed. */
  readonly source?: string | undefined;
  /** Exactly `owner/repository`. */
  readonly trustedSources: readonly string[];
}

/**
 * Where a skill's bytes came from, by exact rules; whatever does not fit one is the community's.
 *
 * @example
 * deriveOrigin({ scope: "plugin", source: "anthropics/skills/pdf", trustedSources: DEFAULT_TRUSTED_SOURCES }); // "trusted"
 */
export function deriveOrigin({ scope, source, trustedSources }: Provenance): Origin {
  if (source === undefined) return SCOPE_ORIGINS[scope];
  if (source === "official") return "builtin";
  if (source === "agent-created") return "agent-created";
  // A folder of this machine, as its installer recorded it.
  if (source === "local") return "local";
  const identity = stripPrefix(source);
  return isPlain(identity) && trustedSources.some((trusted) => isOf(trusted, identity))
    ? "trusted"
    : "community";
}

const PREFIXES = ["skills-sh/", "skills.sh/", "skils-sh/", "skils.sh/"];

// One only: what is left is compared whole, so a prefix before a prefix makes a stranger.
function stripPrefix(source: string): string {
  const prefix = PREFIXES.find((one) => source.startsWith(one));
  return prefix === undefined ? source : source.slice(prefix.length);
}

// `owner/repo/../../evil` begins like a friend; percent signs, backslashes and other scripts may be read otherwise elsewhere.
function isPlain(identity: string): boolean {
  const parts = identity.split("/");
  return parts.every((part) => /^[A-Za-z0-9._-]{1,100}$/.test(part) && part !== "." && part !== "..");
}

function isOf(trusted: string, identity: string): boolean {
  return /^[^/]+\/[^/]+$/.test(trusted) && (identity === trusted || identity.startsWith(`${trusted}/`));
}
