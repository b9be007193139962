import { type AuditEntry, type Origin, readAudit } from "@skillet/core";
import { auditPath, suggestNames } from "@skillet/core/internal";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { nameSkeleton, type ScanReport, type SkillFile } from "@skillet/scan";
import { originOf } from "../candidate/candidate.ts";
import type { HubOptions } from "../hub-options.ts";
import type { Lock, LockEntry } from "../lock/lock-entry.ts";
import type { AuditWriter } from "../place/recover.ts";
import type { TreeStore } from "../place/tree-store.ts";
import type { FetchContext } from "../sources/fetch-context.ts";
import { sourceIdentity } from "../sources/source.ts";

type Given = "home" | "userHome" | "workspace" | "scope" | "environment" | "clock" | "ask" | "signal";
type Defaulted = "trustedSources" | "signatures" | "untrustedAround";

/** The options of a hub with their defaults, and what follows from them. */
export interface HubParts extends Pick<HubOptions, Given>, Required<Pick<HubOptions, Defaulted>> {
  readonly root: string;
  readonly lockFile: string;
  /** As it is now, after what a crash left was put right. */
  readonly lock: Lock;
  readonly store: TreeStore;
  readonly fetching: FetchContext;
  readonly scan: (files: readonly SkillFile[]) => Promise<ScanReport>;
  readonly held: HeldNames;
  readonly decisions: PastDecisions;
  /** Folders outside `root` that targets may lie in. */
  readonly outside: readonly string[];
  readonly audit: AuditWriter;
  readonly writeAudit: (entry: AuditEntry) => Promise<void>;
  readonly onStep: NonNullable<HubOptions["onStep"]>;
}

/** Names that are taken outside a lock. */
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
    // Built once: a source may offer thousands of names, and thousands may be held.
    this.#twins ??= new Map([...this.#holders].map(([held, holder]) => [nameSkeleton(held), holder]));
    return this.#twins.get(nameSkeleton(name));
  }
}

/** Earlier decisions from this machine's audit log, which is read once and only if asked: it grows for ever. */
export class PastDecisions {
  readonly #home: string;
  #known: Promise<ReadonlySet<string>> | undefined;

  constructor(home: string) {
    this.#home = home;
  }

  /** Whether exactly these bytes were once let in as of this origin. */
  async hasSeen(digest: Digest, origin: Origin): Promise<boolean> {
    return (await this.#read()).has(keyOf("bytes", digest, origin));
  }

  /** Whether a person named this source for this lock; with `origin`, only where it counted as that. */
  async isNamed(lockFile: string, source: string, origin?: Origin): Promise<boolean> {
    return (await this.#read()).has(
      keyOf("named", lockFile, source, ...(origin === undefined ? [] : [origin])),
    );
  }

  #read(): Promise<ReadonlySet<string>> {
    this.#known ??= readDecisions(this.#home);
    return this.#known;
  }
}

async function readDecisions(home: string): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for await (const { record, problems } of readAudit(auditPath(home))) {
    if (record === undefined || problems.length > 0 || record.decision !== "allow") continue;
    const { digest, origin, path, source, askedBy } = record;
    if (digest !== undefined && origin !== undefined) known.add(keyOf("bytes", digest, origin));
    if (askedBy !== "person" || path === undefined || source === undefined) continue;
    known.add(keyOf("named", path, source));
    if (origin !== undefined) known.add(keyOf("named", path, source, origin));
  }
  return known;
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/**
 * Whether this machine once saw exactly these bytes come from where a lock says.
 *
 * A lock comes with a repository: its claim that bytes are from a trusted source, or the user's own, proves nothing.
 * Bytes that count as the community's need no proof.
 */
export async function isProven(
  { decisions, trustedSources }: Pick<HubParts, "decisions" | "trustedSources">,
  { digest, resolved }: Pick<LockEntry, "digest" | "resolved">,
): Promise<boolean> {
  const identity = resolved.kind === "git" ? sourceIdentity(resolved.url) : undefined;
  const claimed = originOf({ resolved, ...(identity !== undefined && { identity }) }, trustedSources);
  return claimed === "community" || (await decisions.hasSeen(digest, claimed));
}

/** A command as someone must type it for this lock: for a project's with `--project`. */
export function scopedCommand({ scope }: Pick<HubParts, "scope">, words: string): string {
  return `skillet ${words}${scope.kind === "project" ? " --project" : ""}`;
}

/** A stranger wrote what a skill needs: it must smuggle in neither a command nor an option. */
export function shellWord(text: string): string {
  return shellArgument(text.startsWith("-") ? `./${text}` : text);
}

/** The entries of these names, or all of them; a name that is not installed is an error. */
export function chosenEntries(
  { lock, lockFile }: Pick<HubParts, "lock" | "lockFile">,
  names: readonly string[],
): readonly (readonly [string, LockEntry])[] {
  if (names.length === 0) return [...lock.skills];
  return names.map((name) => [
    name,
    lock.skills.get(name) ?? notInstalled(name, lockFile, [...lock.skills.keys()]),
  ]);
}

const MAX_NAMED = 12;

function notInstalled(name: string, lockFile: string, names: readonly string[]): never {
  const near = suggestNames(name, names);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  const known =
    near.length > 0
      ? `did you mean ${near.join(" or ")}?`
      : names.length === 0
        ? "nothing is."
        : `installed are ${names.slice(0, MAX_NAMED).join(", ")}${more}.`;
  const message = `${name} is not installed by ${lockFile}; ${known}`;
  throw new SkilletError("not-installed", message, { data: { name, lock: lockFile } });
}
