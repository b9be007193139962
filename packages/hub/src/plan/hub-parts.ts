import { type AuditEntry, type Origin, readAudit } from "@skillet/core";
import { auditPath, suggestNames } from "@skillet/core/internal";
import { onceUntilSuccess } from "@skillet/kit/async";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { listFirst, shellArgument } from "@skillet/kit/text";
import type { HubOptions } from "../hub-options.ts";
import { originOf, type SignalledScan } from "../inspect/inspect-item.ts";
import { placeName } from "../inspect/rename-item.ts";
import type { Lock, LockEntry } from "../lock/lock-entry.ts";
import type { AuditWriter } from "../place/recover.ts";
import type { TreeStore } from "../place/tree-store.ts";
import type { FetchContext } from "../sources/fetch-context.ts";
import { identityOf } from "../sources/source.ts";

type Given = "home" | "userHome" | "workspace" | "scope" | "environment" | "clock" | "ask" | "signal";
type Defaulted = "trustedSources" | "falseAlarms" | "signatures" | "untrustedAround" | "heldFor";

/** The options of a hub with their defaults, and everything derived from them. */
export interface HubParts extends Pick<HubOptions, Given>, Required<Pick<HubOptions, Defaulted>> {
  readonly root: string;
  readonly lockFile: string;
  /** The current lock, after recovery from a crash. */
  readonly lock: Lock;
  readonly store: TreeStore;
  readonly fetching: FetchContext;
  readonly scan: SignalledScan;
  /** Names that are taken outside the lock, with their holders, for example `the user skill ~/.skillet/skills/pdf`. */
  readonly held: ReadonlyMap<string, string>;
  readonly decisions: PastDecisions;
  /** Folders outside `root` that targets may be in. */
  readonly outside: readonly string[];
  readonly audit: AuditWriter;
  readonly writeAudit: (entry: AuditEntry) => Promise<void>;
  readonly onStep: NonNullable<HubOptions["onStep"]>;
}

interface PastDecisions {
  /** Whether exactly these bytes were once admitted with this origin. */
  hasSeen(digest: Digest, origin: Origin): Promise<boolean>;
  /**
   * Whether the user once named this source for this lock on this machine; with `origin`, only if it had that origin.
   *
   * Restoring or updating a lock does not count, because the author of the lock named the source.
   */
  isNamed(lockFile: string, source: string, origin?: Origin): Promise<boolean>;
}

/** Earlier decisions from this machine's audit log. It is read once, and only if needed, because it keeps growing. */
export function pastDecisions(home: string): PastDecisions {
  const known = onceUntilSuccess(() => readDecisions(home));
  const has = async (...parts: readonly string[]): Promise<boolean> =>
    (await known()).has(JSON.stringify(parts));
  return {
    hasSeen: (digest, origin) => has("bytes", digest, origin),
    isNamed: (lockFile, source, origin) =>
      has("named", lockFile, source, ...(origin === undefined ? [] : [origin])),
  };
}

async function readDecisions(home: string): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  const add = (...parts: readonly (string | undefined)[]): void => {
    if (!parts.includes(undefined)) known.add(JSON.stringify(parts));
  };
  for await (const { record, problems } of readAudit(auditPath(home))) {
    if (record === undefined || problems.length > 0 || record.decision !== "allow") continue;
    const { digest, origin, path, source, askedBy } = record;
    add("bytes", digest, origin);
    if (askedBy !== "person") continue;
    add("named", path, source);
    add("named", path, source, origin);
  }
  return known;
}

/**
 * A lock comes with a repository: its claim that bytes are from a trusted source, or the user's own, proves
 * nothing. Bytes of origin `community` need no proof.
 */
export async function isProven(
  { decisions, trustedSources }: Pick<HubParts, "decisions" | "trustedSources">,
  { digest, resolved }: Pick<LockEntry, "digest" | "resolved">,
): Promise<boolean> {
  const claimed = originOf({ resolved, identity: identityOf(resolved) }, trustedSources);
  return claimed === "community" || (await decisions.hasSeen(digest, claimed));
}

/** A command as it must be typed for this lock: with `--project` for a project's lock. */
export function scopedCommand({ scope }: Pick<HubParts, "scope">, words: string): string {
  return `skillet ${words}${scope.kind === "project" ? " --project" : ""}`;
}

/** The command that installs a skill as it is now: under its name, and for exactly the agents that have it. */
export function installAgain(
  parts: Pick<HubParts, "scope">,
  name: string,
  { source, targets, declaredName, linked }: LockEntry,
): string {
  const own = targets.filter(({ agent }) => agent !== undefined);
  const agents = own.map(({ agent }) => agent).join() || "none";
  const flags = [
    ...(declaredName === undefined ? [] : ["--name", shellWord(name)]),
    ...(linked === true ? ["--link"] : own.some(({ how }) => how === "copy") ? ["--copy"] : []),
    "--agent",
    shellWord(agents),
  ];
  return scopedCommand(parts, `install ${shellWord(source)} ${flags.join(" ")}`);
}

/** A stranger wrote what a skill needs: it must not smuggle in a command or an option. */
export function shellWord(text: string): string {
  return shellArgument(text.startsWith("-") ? `./${text}` : text);
}

/** A skill's name in the lock, also if its header has a name that no folder can have, for example `Azure CLI`. */
export function lockedName({ skills }: Pick<Lock, "skills">, name: string): string {
  const placed = placeName(name, name);
  return !skills.has(name) && skills.has(placed) ? placed : name;
}

/** The entries with these names, or all; a name that is not installed is an error. */
export function chosenEntries(
  parts: Locked,
  names: readonly string[],
): readonly (readonly [string, LockEntry])[] {
  if (names.length === 0) return [...parts.lock.skills];
  return names.map((name) => lockedName(parts.lock, name)).map((name) => [name, installedEntry(parts, name)]);
}

/** How to let Skillet manage the skill that holds a name; empty if it is not the user's own. */
export function adoptHint(name: string, holder: string | undefined): string {
  return holder?.startsWith("the user ") === true ? ` To let Skillet manage it: skillet adopt ${name}` : "";
}

const MAX_NAMED = 12;

type Locked = Pick<HubParts, "lock" | "lockFile" | "held">;

export function installedEntry({ lock, lockFile, held }: Locked, name: string): LockEntry {
  const entry = lock.skills.get(name);
  if (entry !== undefined) return entry;
  const names = [...lock.skills.keys()];
  const near = suggestNames(name, names);
  const known =
    near.length > 0
      ? `did you mean ${near.join(" or ")}?`
      : names.length === 0
        ? "nothing is installed."
        : `installed are ${listFirst(names, MAX_NAMED)}. Skills of your own are in: skillet show`;
  const holder = held.get(name);
  const message =
    holder === undefined
      ? `${name} is not installed; ${known}`
      : `${name} is ${holder}, which Skillet did not install, so no lock has it.${adoptHint(name, holder)}`;
  throw new SkilletError("not-installed", message, { data: { name, lock: lockFile } });
}
