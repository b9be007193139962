import { type Ask, type AuditEntry, type Origin, readAudit } from "@skillet/core";
import { auditPath } from "@skillet/core/internal";
import type { Digest } from "@skillet/kit/digest";
import { shellArgument } from "@skillet/kit/text";
import { nameSkeleton } from "@skillet/scan";
import type { HubScope } from "../hub-limits.ts";
import type { HubStep } from "../hub-options.ts";
import { originOf, type Scan } from "../inspect/inspect-candidate.ts";
import type { Lock, LockEntry } from "../lock/lock-entry.ts";
import type { AuditWriter } from "../place/audit-writer.ts";
import type { TreeStore } from "../place/tree-store.ts";
import type { SignatureRule } from "../signature/check-signature-policy.ts";
import type { FetchContext } from "../sources/fetch-context.ts";
import { sourceIdentity } from "../sources/source.ts";

export interface HubParts {
  readonly home: string;
  readonly userHome: string;
  readonly workspace: string;
  readonly scope: HubScope;
  readonly root: string;
  readonly lockFile: string;
  /** As it is now, after what a crash left was put right. */
  readonly lock: Lock;
  readonly store: TreeStore;
  readonly fetching: FetchContext;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly scan: Scan;
  readonly trustedSources: readonly string[];
  readonly signatures: readonly SignatureRule[];
  readonly held: HeldNames;
  readonly decisions: PastDecisions;
  readonly untrustedAround: (path: string) => string | undefined;
  readonly ask: Ask | undefined;
  readonly clock: () => number;
  readonly outside: readonly string[];
  readonly audit: AuditWriter;
  readonly writeAudit: (entry: AuditEntry) => Promise<void>;
  readonly onStep: (step: HubStep) => void;
  readonly signal: AbortSignal | undefined;
}

export class HeldNames {
  readonly #holders: ReadonlyMap<string, string>;
  #twins: ReadonlyMap<string, string> | undefined;

  /** By name, in words such as `the user skill ~/.skillet/skills/pdf`. */
  constructor(holders: ReadonlyMap<string, string>) {
    this.#holders = holders;
  }

  holderOf(name: string): string | undefined {
    return this.#holders.get(name);
  }

  holderOfLookAlike(name: string): string | undefined {
    // Once for all of them: a source may offer thousands, beside thousands that are held.
    this.#twins ??= new Map([...this.#holders].map(([held, holder]) => [nameSkeleton(held), holder]));
    return this.#twins.get(nameSkeleton(name));
  }
}

interface Known {
  readonly bytes: ReadonlySet<string>;
  readonly named: ReadonlySet<string>;
}

/**
 * What the audit log of this machine tells about earlier decisions.
 *
 * Read once for all that ask, and only when somebody does: the log grows for ever, and a lock may list hundreds of skills.
 */
export class PastDecisions {
  readonly #home: string;
  #known: Promise<Known> | undefined;

  constructor(home: string) {
    this.#home = home;
  }

  async hasSeen(digest: Digest, origin: Origin): Promise<boolean> {
    const { bytes } = await this.#read();
    return bytes.has(keyOf(digest, origin));
  }

  async isNamed(wanted: {
    readonly lockFile: string;
    readonly source: string;
    readonly origin?: Origin | undefined;
  }): Promise<boolean> {
    const { lockFile, source, origin } = wanted;
    const { named } = await this.#read();
    return named.has(origin === undefined ? keyOf(lockFile, source) : keyOf(lockFile, source, origin));
  }

  #read(): Promise<Known> {
    this.#known ??= readDecisions(this.#home);
    return this.#known;
  }
}

async function readDecisions(home: string): Promise<Known> {
  const bytes = new Set<string>();
  const named = new Set<string>();
  for await (const { record, problems } of readAudit(auditPath(home))) {
    if (record === undefined || problems.length > 0 || record.decision !== "allow") continue;
    const { digest, origin, path, source, askedBy } = record;
    if (digest !== undefined && origin !== undefined) bytes.add(keyOf(digest, origin));
    if (askedBy !== "person" || path === undefined || source === undefined) continue;
    named.add(keyOf(path, source));
    if (origin !== undefined) named.add(keyOf(path, source, origin));
  }
  return { bytes, named };
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/**
 * Whether this machine once saw exactly these bytes come from where a lock says.
 *
 * A lock comes with a repository: by itself, its word that bytes are a trusted source's, or the user's own, is worth
 * nothing. What counts for nothing better than the community's needs no proof.
 */
export async function isProven(
  { decisions, trustedSources }: Pick<HubParts, "decisions" | "trustedSources">,
  { digest, resolved }: Pick<LockEntry, "digest" | "resolved">,
): Promise<boolean> {
  const identity = resolved.kind === "git" ? sourceIdentity(resolved.url) : undefined;
  const claimed = originOf({ resolved, ...(identity !== undefined && { identity }) }, trustedSources);
  return claimed === "community" || (await decisions.hasSeen(digest, claimed));
}

/** A command as somebody must type it for this lock: for a project's with `--project`. */
export function scopedCommand({ scope }: Pick<HubParts, "scope">, words: string): string {
  return `skillet ${words}${scope.kind === "project" ? " --project" : ""}`;
}

/**
 * A text as one word of a command that somebody is advised to paste into a shell.
 *
 * What a skill says it needs is written by a stranger: neither a command of his nor an option may come along.
 */
export function shellWord(text: string): string {
  return shellArgument(text.startsWith("-") ? `./${text}` : text);
}
