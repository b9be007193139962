import { randomBytes } from "node:crypto";
import type { Dirent } from "node:fs";
import { lstat, readdir, readlink, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type AuditRecord, readAudit } from "@skillet/core";
import { auditPath } from "@skillet/core/internal";
import type { Digest } from "@skillet/kit/digest";
import { onRefusal, SkilletError, undefinedOn } from "@skillet/kit/errors";
import { canonicalPath, removeTree, withFileLock } from "@skillet/kit/files";
import { readLock } from "../lock/read-lock.ts";
import { replacedTargets } from "../place/plan-steps.ts";
import { isRealFolder, lstatOrAbsent } from "../place/stage.ts";
import { type HubParts, installAgain } from "../plan/hub-parts.ts";
import { isAdopted } from "../plan/lock-source.ts";
import { abandonedFetches } from "../sources/quarantine.ts";
import { readSwitchRecords, tidySwitchRecords } from "../switch/apply-switch.ts";
import { isTracked } from "../switch/git-around.ts";
import { adoptedTargets, readPlaced, removeSkills } from "./remove-skills.ts";

/** A file or folder in Skillet's own folder that can be deleted. */
export interface Leftover {
  readonly path: string;
  /** `removed`: skills that `remove` took from agents. `own`: Skillet's own records. */
  readonly kind: "store" | "cache" | "quarantine" | "removed" | "own";
  readonly bytes: number;
}

/**
 * Finds what no installed skill needs; with `all`, also what only a rollback needs, copies of scripts from
 * the last hours, and skills that were removed from agents, which may be the only copies left.
 */
export async function findUnneeded(
  parts: HubParts,
  { all }: { readonly all: boolean },
): Promise<readonly Leftover[]> {
  const { home, clock } = parts;
  const base = canonicalPath(home);
  const needed = await neededDigests(parts, all);
  const isUnneeded = ({ name }: Dirent): boolean => {
    const hex = /^([0-9a-f]{64})\.(?:tree|json)$/.exec(name)?.[1];
    return hex !== undefined && !needed.has(`sha256:${hex}`);
  };
  const found = async (
    name: string,
    kind: Leftover["kind"],
    isMeant: (entry: Dirent) => boolean = () => true,
  ): Promise<readonly Leftover[]> => {
    const folder = join(base, name);
    const entries = (await entriesOf(folder)).filter(isMeant);
    return Promise.all(entries.map((entry) => measured(join(folder, entry.name), kind)));
  };
  const fetches = await abandonedFetches(join(base, "quarantine"));
  const leftovers = [
    ...(await found("store", "store", isUnneeded)),
    ...(await found("signatures", "store", isUnneeded)),
    ...(await found("cache", "cache", ({ name }) => name !== "staged")),
    ...(all ? await found("removed", "removed") : []),
    ...(await Promise.all(fetches.map((path) => measured(path, "quarantine")))),
  ];
  for (const copy of await found("cache/staged", "cache"))
    if (all || clock() - (await lstat(copy.path)).mtimeMs > MIN_COPY_AGE_MS) leftovers.push(copy);
  return leftovers;
}

// A script may be running from it.
const MIN_COPY_AGE_MS = 6 * 60 * 60 * 1000;

/** Digests that the locks of this machine need. If a lock cannot be read, all of its versions count as needed. */
async function neededDigests(parts: HubParts, all: boolean): Promise<ReadonlySet<string>> {
  const needed = new Set<string>();
  for (const [lock, versions] of await readPlaced(parts)) {
    const found = await onRefusal(readLock(lock), () => undefined);
    if (found === undefined)
      for (const digest of digestsOf([...versions.values()].flat())) needed.add(digest);
    for (const [name, { digest }] of found?.skills ?? [])
      for (const one of [digest, ...(all ? [] : digestsOf(versions.get(name) ?? []))]) needed.add(one);
  }
  return needed;
}

function digestsOf(versions: readonly AuditRecord[]): readonly Digest[] {
  return versions.flatMap(({ digest, replaces }) => [digest ?? [], replaces ?? []].flat());
}

/** The entries of a folder of the home. Links are refused: through a link, files elsewhere would be removed. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  if ((await lstatOrAbsent(folder)) === undefined) return [];
  if (!isRealFolder(folder)) {
    const message = `${folder} is a link, or is reached through one, so nothing in it is removed. Remove the link yourself.`;
    throw new SkilletError("target-refused", message, { data: { path: folder } });
  }
  return (await readdir(folder, { withFileTypes: true }).catch(undefinedOn("ENOTDIR"))) ?? [];
}

async function measured(path: string, kind: Leftover["kind"]): Promise<Leftover> {
  return { path, kind, bytes: await sizeOf(path) };
}

async function sizeOf(path: string): Promise<number> {
  const stats = await lstatOrAbsent(path);
  if (stats?.isDirectory() !== true) return stats?.size ?? 0;
  let bytes = 0;
  for (const name of await readdir(path)) bytes += await sizeOf(join(path, name));
  return bytes;
}

/**
 * Removes leftovers, renaming each first, so that a killed process never leaves half of one under a name that
 * something refers to.
 */
export async function removeLeftovers(parts: HubParts, leftovers: readonly Leftover[]): Promise<void> {
  const { home, onStep, signal } = parts;
  const remove = async (): Promise<void> => {
    for (const [index, { path }] of leftovers.entries()) {
      const folder = dirname(path);
      await entriesOf(folder);
      const doomed = join(folder, `.pruned-${randomBytes(8).toString("hex")}`);
      const isThere = (await rename(path, doomed).then(() => true, undefinedOn("ENOENT"))) === true;
      onStep({ step: "place", what: `renamed ${index}` });
      if (isThere) await removeTree(doomed);
      // The note about which process the download belongs to.
      if (path.includes("/quarantine/fetch-")) await rm(`${path}.json`, { force: true });
      onStep({ step: "place", what: `removed ${index}` });
    }
  };
  await withFileLock(`${join(home, "lock.json")}.lock`, remove, { ...(signal && { signal }) });
  if (leftovers.some(({ kind }) => kind === "removed")) await tidySwitchRecords(parts);
}

export interface Uninstall {
  /** Everything that the user's lock lists, and where it is installed. */
  readonly installed: readonly {
    readonly name: string;
    /** The command that installs it again as it was. */
    readonly again: string;
    readonly targets: readonly string[];
    /** Folders that it was adopted in, which stay; what disabling took from there comes back. */
    readonly adopted: readonly string[];
  }[];
  readonly leftovers: readonly Leftover[];
  /** Files in Skillet's folder that Skillet did not make, above all the user's own skills. */
  readonly kept: readonly string[];
  /** Links that `new` and `init` made for agents, in projects and in the user's folders. */
  readonly links: readonly string[];
  /** What the locks of projects list; it belongs to the project and stays. */
  readonly projects: readonly string[];
}

// In this order: the records that say how to undo something go last.
const OWN: readonly string[] = (
  "cache quarantine store signatures tools plugin-data runs hooks " +
  "approvals.json agent-made.json scripts.json trust.json allowances.json selection.yaml scan-suppressions.yaml config.yaml " +
  "lock.json audit.jsonl"
).split(" ");
const RECORDS = "disabled.json";
// Left behind by a killed process. The lock of these changes themselves is removed when they are done.
const PRUNED = /^\.pruned-[0-9a-f]{16}$/;
const UNFINISHED = /^\.skillet-[0-9a-f]{16}\.tmp$|\.lock\.[0-9a-f]{32}(?:\.tmp)?$/;
const LOCKS: ReadonlySet<string> = new Set(
  [...OWN, RECORDS].flatMap((name) => (/^lock|^[^.]+$/.test(name) ? [] : [`${name}.lock`])),
);

export async function planUninstall(parts: HubParts): Promise<Uninstall> {
  const base = canonicalPath(parts.home);
  const entries = await entriesOf(base);
  const names = entries.map(({ name }) => name);
  const passing = entries.filter(
    (one) => PRUNED.test(one.name) || (one.isFile() && (LOCKS.has(one.name) || UNFINISHED.test(one.name))),
  );
  const own = OWN.filter((name) => names.includes(name));
  // The list of skills kept from agents is of use only as long as one of them is left.
  const records = await readSwitchRecords(base);
  if (names.includes(RECORDS) && records.every(({ kind }) => kind === "config")) own.unshift(RECORDS);
  const known = [...passing.map(({ name }) => name), ...own];
  // A repository's shell settings can set any folder as the home, and other folders contain a `store` too.
  const isMarked =
    base === join(canonicalPath(parts.userHome), ".skillet") ||
    names.some((name) => /^(?:lock\.json|audit\.jsonl)$/.test(name) || PRUNED.test(name));
  if (known.length > 0 && (!isMarked || names.includes(".git"))) {
    const why = isMarked ? "is a git repository" : "has neither Skillet's lock nor its audit log";
    const message = `${base} ${why}, so nothing in it is removed. Check SKILLET_HOME; if the folder is Skillet's, delete it yourself.`;
    throw new SkilletError("target-refused", message, { data: { path: base } });
  }
  const kept: string[] = [];
  for (const name of names) {
    if (known.includes(name)) continue;
    const held = name === "plugins" ? await entriesOf(join(base, name)) : [];
    const isOurs = name === "plugins" && held.every((one) => parts.lock.skills.has(one.name));
    if (!isOurs && (await sizeOf(join(base, name))) > 0) kept.push(join(base, name));
  }
  const installed: Uninstall["installed"][number][] = [];
  for (const [name, entry] of parts.lock.skills) {
    const replaced = await replacedTargets(entry, parts);
    const off = records.flatMap((one) => (one.kind === "target" && one.entry === name ? one.target : []));
    const placed = { ...entry, targets: [...entry.targets, ...off] };
    const adopted = adoptedTargets(parts, placed);
    const staying = [...adopted, ...replaced];
    kept.push(...replaced.map(({ path }) => resolve(parts.root, path)));
    const targets = entry.targets.flatMap((one) => (staying.includes(one) ? [] : one.path));
    const again = isAdopted(parts, placed) ? `skillet adopt ${name}` : installAgain(parts, name, entry);
    installed.push({ name, again, targets, adopted: adopted.map(({ path }) => path) });
  }
  const left: string[] = [];
  for (const path of (await readPlaced(parts)).keys())
    if (path.endsWith("skillet.lock") && (await lstatOrAbsent(path)) !== undefined)
      left.push(path, ...(await targetsOf(path)));
  return {
    installed,
    leftovers: await Promise.all(known.map((name) => measured(join(base, name), "own"))),
    kept,
    links: await madeLinks(parts),
    projects: left,
  };
}

/** What a project's lock lists, as far as it exists on disk. */
async function targetsOf(lock: string): Promise<readonly string[]> {
  if ((await lstatOrAbsent(lock))?.isFile() !== true) return [];
  // A lock that cannot be read stays, like any other.
  const found = await onRefusal(readLock(lock), () => undefined);
  const targets = [...(found?.skills.values() ?? [])].flatMap((entry) => entry.targets);
  const places = targets.map(({ path }) => resolve(dirname(lock), path));
  const kinds = await Promise.all(places.map(lstatOrAbsent));
  return places.filter((_, index) => kinds[index] !== undefined);
}

/** Links in the audit log that still lead to a skill of their name, and that no repository tracks. */
async function madeLinks({ home, environment }: HubParts): Promise<readonly string[]> {
  const links = new Set<string>();
  for await (const { record } of readAudit(auditPath(home))) {
    const { reason = "", path = "" } = record ?? {};
    const target = reason.startsWith("linked for ")
      ? await readlink(path).catch(undefinedOn("ENOENT", "EINVAL"))
      : "";
    if (target?.endsWith(`.agents/skills/${basename(path)}`) && !(await isTracked(environment, path)))
      links.add(path);
  }
  return [...links];
}

/** Removes the installed skills, then Skillet's own files; run again after a crash, it continues. */
export async function uninstall(
  parts: HubParts,
  { installed, leftovers, links }: Uninstall,
  { discardEdits }: { readonly discardEdits: boolean },
): Promise<void> {
  const names = installed.map(({ name }) => name);
  await removeSkills(parts, { names, discardEdits, dryRun: false });
  for (const link of links) await rm(link, { force: true });
  parts.onStep({ step: "place", what: "skills removed" });
  await removeLeftovers(parts, leftovers);
  await tidySwitchRecords(parts);
  const base = canonicalPath(parts.home);
  const stores = ["disabled", "removed"].map((name) => join(base, name));
  const made = (await Promise.all(stores.map(entriesOf))).flatMap((entries, index) =>
    entries.map(({ name }) => join(stores[index] ?? "", name)),
  );
  // Perhaps made for the links.
  const around = links.flatMap((link) => [dirname(link), dirname(dirname(link))]);
  for (const folder of [...around, ...made, ...stores, join(base, "plugins"), join(base, "skills"), base])
    await rmdir(folder).catch(undefinedOn("ENOENT", "ENOTDIR", "ENOTEMPTY", "EEXIST"));
}
