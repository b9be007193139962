import type { Origin, Scope } from "@skillet/core";
import { SCOPE_ORIGINS } from "@skillet/core/internal";
import type { Verdict } from "../scan-report.ts";

/** The facts for a decision: where a skill came from, what the scan says, and whether someone insists. */
export interface DecisionRequest {
  /** One that is not known counts as the community's. */
  readonly origin: string;
  /** One that is not known counts as dangerous. */
  readonly verdict: string;
  readonly force: boolean;
  /** A person said why exactly these bytes are harmless, which overrides every block. */
  readonly isFalseAlarm?: boolean;
}

/** Whether a skill may be had, and if not, whether insisting would help. */
export interface TrustDecision {
  readonly outcome: "allow" | "ask" | "block";
  /** Allowed, but people are to be told. */
  readonly notice: boolean;
  /** Whether force would change the outcome, or has. */
  readonly forceable: boolean;
  /** A clause for people, such as `skills from unverified sources that ask for caution are blocked`. */
  readonly reason: string;
}

/** Looks the decision up: origin by verdict, and what force changes. */
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
