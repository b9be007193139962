import type { Origin, Scope } from "@skillet/core";
import { SCOPE_ORIGINS } from "@skillet/core/internal";
import type { Verdict } from "../scan-report.ts";

/** The facts for a decision: a skill's origin, the scan's verdict, and whether the user insists. */
export interface DecisionRequest {
  /** An unknown origin counts as `community`. */
  readonly origin: string;
  /** An unknown verdict counts as `dangerous`. */
  readonly verdict: string;
  readonly force: boolean;
  /** A user stated why exactly these bytes are harmless, which overrides every block. */
  readonly isFalseAlarm?: boolean;
}

/** Whether a skill may be used, and if not, whether insisting would help. */
export interface TrustDecision {
  readonly outcome: "allow" | "ask" | "block";
  /** Allowed, but the user must be told. */
  readonly notice: boolean;
  /** Whether `force` would change the outcome, or has done so. */
  readonly forceable: boolean;
  /** A clause for users, such as `skills from unverified sources that ask for caution are blocked`. */
  readonly reason: string;
}

/** Looks the decision up by origin and verdict, and applies `force`. */
export function decide({ origin, verdict, force, isFalseAlarm = false }: DecisionRequest): TrustDecision {
  const row = isOrigin(origin) ? origin : "community";
  const column = isVerdict(verdict) ? verdict : "dangerous";
  const cell = MATRIX[row][column];
  const forceable = cell === "ask" || cell === "block-unless-forced" || (cell === "block" && isFalseAlarm);
  const reason = `${PEOPLE[row]} ${WORDS[column]}`;
  if (forceable && (force || isFalseAlarm))
    return { outcome: "allow", notice: false, forceable, reason: `${reason} were approved` };
  const [outcome, clause] = CELLS[cell];
  return { outcome, notice: cell === "notice", forceable, reason: `${reason} ${clause}` };
}

type Cell = "allow" | "notice" | "ask" | "block" | "block-unless-forced";

const CELLS: Readonly<Record<Cell, readonly [outcome: TrustDecision["outcome"], clause: string]>> = {
  allow: ["allow", "are allowed"],
  notice: ["allow", "are allowed with a notice"],
  ask: ["ask", "need your approval"],
  block: ["block", "are blocked"],
  "block-unless-forced": ["block", "are blocked"],
};

const MATRIX: Readonly<Record<Origin, Readonly<Record<Verdict, Cell>>>> = {
  builtin: { safe: "allow", caution: "allow", dangerous: "allow" },
  trusted: { safe: "allow", caution: "allow", dangerous: "block" },
  community: { safe: "allow", caution: "block-unless-forced", dangerous: "block" },
  "agent-created": { safe: "allow", caution: "allow", dangerous: "ask" },
  organisation: { safe: "allow", caution: "allow", dangerous: "ask" },
  local: { safe: "allow", caution: "notice", dangerous: "ask" },
};

const PEOPLE: Readonly<Record<Origin, string>> = {
  builtin: "bundled skills",
  trusted: "skills from trusted sources",
  community: "skills from unverified sources",
  "agent-created": "skills that agents made",
  organisation: "skills from your organisation",
  local: "local skills",
};

const WORDS: Readonly<Record<Verdict, string>> = {
  safe: "that are safe",
  caution: "that ask for caution",
  dangerous: "that are dangerous",
};

function isOrigin(value: string): value is Origin {
  return Object.hasOwn(MATRIX, value);
}

function isVerdict(value: string): value is Verdict {
  return Object.hasOwn(WORDS, value);
}

/** The known origin of a skill; never anything that the skill itself says. */
export interface Provenance {
  readonly scope: Scope;
  /** As its installer resolved it, such as `owner/repository/folder`; absent if it was not installed. */
  readonly source?: string | undefined;
  /** Exactly `owner/repository`. */
  readonly trustedSources: readonly string[];
}

/**
 * A skill's origin, by exact rules; a source that fits none of them is `community`.
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

// Only one prefix: the rest is compared whole, so a second prefix does not match a trusted source.
function stripPrefix(source: string): string {
  const prefix = PREFIXES.find((one) => source.startsWith(one));
  return prefix === undefined ? source : source.slice(prefix.length);
}

// `owner/repo/../../evil` begins like a trusted source; other tools may decode percent signs, backslashes and other scripts.
function isPlain(identity: string): boolean {
  const parts = identity.split("/");
  return parts.every((part) => /^[A-Za-z0-9._-]{1,100}$/.test(part) && part !== "." && part !== "..");
}

function isOf(trusted: string, identity: string): boolean {
  return /^[^/]+\/[^/]+$/.test(trusted) && (identity === trusted || identity.startsWith(`${trusted}/`));
}
