import { join } from "node:path";
import { parseSkill } from "@skillet/core";
import { MAX_SKILL_BYTES } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { renderInline } from "../lock/format-lock.ts";
import { type Drift, type LockEntry, type LockedTarget, lockedDigest } from "../lock/lock-entry.ts";
import { findDrift } from "./find-drift.ts";
import { leadsTo, linkDestination, locateTarget, type TargetBounds } from "./locate-target.ts";
import { lstatOrAbsent } from "./stage.ts";
import type { TreeStore } from "./tree-store.ts";

interface VerifyOptions {
  readonly outside?: readonly string[];
  /** Has the bytes that were installed, so that harmless changes can be explained. */
  readonly store?: TreeStore;
  readonly signal?: AbortSignal | undefined;
}

/** Hashes every target of an entry and lists each difference from the lock; changes nothing. */
export async function verifyEntry(
  root: string,
  name: string,
  entry: LockEntry,
  options: VerifyOptions = {},
): Promise<readonly Drift[]> {
  const bounds: TargetBounds = { root, ...(options.outside && { outside: options.outside }) };
  const drifts: Drift[] = [];
  if (entry.linked !== true && lockedDigest(entry) !== entry.digest)
    drifts.push(...whole("", "changed", "the lock's digest is not that of the files it lists"));
  for (const target of entry.targets) {
    options.signal?.throwIfAborted();
    drifts.push(...(await verifyTarget(target, entry, bounds, options)));
  }
  if (entry.targets.length === 0) drifts.push(...whole("", "missing", `${name} has no target in the lock`));
  return drifts;
}

export async function verifyTarget(
  target: LockedTarget,
  entry: LockEntry,
  bounds: TargetBounds,
  options: VerifyOptions,
): Promise<readonly Drift[]> {
  const located = locateTarget(target.path, bounds);
  if ("problem" in located) return whole(target.path, "type", `cannot be looked at: it ${located.problem}`);
  const { place } = located;
  return verifyPlace({ place, lies: place, target, entry, bounds }, options);
}

export async function verifyPlace(
  looked: {
    readonly place: string;
    /** Where its content is: the place, or a name beside it while it is being replaced. */
    readonly lies: string;
    readonly target: LockedTarget;
    readonly entry: LockEntry;
    readonly bounds: TargetBounds;
  },
  { signal, store }: VerifyOptions,
): Promise<readonly Drift[]> {
  const { place, lies, entry, bounds } = looked;
  const { path, how } = looked.target;
  const stats = await lstatOrAbsent(lies);
  if (stats === undefined) return whole(path, "missing", "is missing");
  if (how === "link") {
    const destination = linkDestination(entry, bounds);
    if (destination === undefined) return whole(path, "link", "has nothing to lead to in the lock");
    const isGone = entry.linked === true && (await lstatOrAbsent(destination)) === undefined;
    if (isGone) return whole(path, "missing", `leads to ${destination}, which is gone`);
    if (destination === place) return [];
    if (!stats.isSymbolicLink()) return whole(path, "type", "is not a link any more");
    return (await leadsTo(lies, destination)) ? [] : whole(path, "link", "leads somewhere else");
  }
  if (!stats.isDirectory())
    return whole(path, "type", stats.isSymbolicLink() ? "is a link instead of a folder" : "is not a folder");
  const drifts = await findDrift({ folder: lies, target: path, files: entry.files, signal });
  return store === undefined ? drifts : explainDrift(drifts, lies, entry, store);
}

function whole(target: string, kind: Drift["kind"], message: string): readonly Drift[] {
  return [{ target, file: "", kind, message }];
}

const REF = /^(?:refs\/(?:heads|tags)\/)?[A-Za-z0-9][A-Za-z0-9._/+-]{0,99}$/;

// `gh skill` writes these into a skill that it manages, and lays out the whole header anew. A model reads them too, so
// each may hold nothing but its own kind of value: a sentence in one of them is not a note.
const NOTES: ReadonlyMap<string, RegExp> = new Map([
  ["github-repo", /^(?:https:\/\/github\.com\/)?[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/],
  ["github-ref", REF],
  ["github-tree-sha", /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/],
  ["github-pinned", REF],
]);

/** Explains a changed SKILL.md that provably only gained notes on where it came from. */
async function explainDrift(
  drifts: readonly Drift[],
  folder: string,
  entry: LockEntry,
  store: TreeStore,
): Promise<readonly Drift[]> {
  const isChangedSkill = ({ file, kind }: Drift): boolean => file === "SKILL.md" && kind === "changed";
  if (!drifts.some(isChangedSkill)) return drifts;
  const files = await store.get(entry.digest);
  const original = files?.find(({ path }) => path === "SKILL.md")?.bytes;
  const current = readSkill(join(folder, "SKILL.md"));
  if (original === undefined || current === undefined) return drifts;
  const gained = gainedNotes(parse(original), parse(current), entry);
  if (gained.length === 0) return drifts;
  const explanation = `gh skill added ${gained.join(", ")} and changed nothing else that a reader sees`;
  return drifts.map((drift) => (isChangedSkill(drift) ? { ...drift, explanation } : drift));
}

function readSkill(path: string): Uint8Array | undefined {
  try {
    return readBoundedFile(path, { maxBytes: MAX_SKILL_BYTES, links: "refuse" });
  } catch (error) {
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}

type ParsedSkill = ReturnType<typeof parseSkill> & { readonly header: string };

function parse(bytes: Uint8Array): ParsedSkill {
  const text = new TextDecoder().decode(bytes);
  const parsed = parseSkill(text);
  return { ...parsed, header: text.slice(0, text.lastIndexOf(parsed.body)) };
}

function gainedNotes(before: ParsedSkill, after: ParsedSkill, entry: LockEntry): readonly string[] {
  const [old, now] = [before.manifest, after.manifest];
  if (old === undefined || now === undefined || before.body !== after.body) return [];
  const known = new Set(Object.keys(old.metadata));
  const gained = Object.entries(now.metadata).filter(([key]) => !known.has(key));
  const paths = knownPaths(old.name, entry);
  if (!gained.every(([key, value]) => isNote(key, value, paths))) return [];
  if (hasNewText(before, after, gained)) return [];
  const kept = Object.entries(now.metadata).filter(([key]) => known.has(key));
  const withoutNotes = { ...now, metadata: Object.fromEntries(kept) };
  if (renderInline(old) !== renderInline(withoutNotes)) return [];
  return gained.map(([key]) => `metadata.${key}`).sort();
}

// Any words can be written as a path, so only those that the lock knows are notes.
function knownPaths(name: string, { folder, resolved }: LockEntry): ReadonlyMap<string, readonly string[]> {
  const local = resolved.kind === "local" ? [resolved.path, join(resolved.path, folder)] : [];
  return new Map([
    ["github-path", [folder, name, `skills/${name}`]],
    ["local-path", local],
  ]);
}

function isNote(key: string, value: unknown, paths: ReadonlyMap<string, readonly string[]>): boolean {
  if (typeof value === "boolean") return key === "github-pinned";
  if (typeof value !== "string") return false;
  const path = value.replace(/(?:^|\/)SKILL\.md$/, "");
  return paths.get(key)?.includes(path) ?? NOTES.get(key)?.test(value) === true;
}

/**
 * Whether a header says anything that its manifest may not show: the first of two equal keys, a directive, a comment or
 * a line that is passed over. Takes some other layouts for new text too; such a change is left unexplained.
 */
function hasNewText(
  before: ParsedSkill,
  after: ParsedSkill,
  gained: readonly (readonly [string, unknown])[],
): boolean {
  const notes = gained.map(([key, value]) => `${key} ${String(value)}`).join(" ");
  const codesOf = ({ diagnostics }: ParsedSkill): readonly string[] => diagnostics.map(({ code }) => code);
  return (
    hasMore(codesOf(after), codesOf(before)) ||
    hasMore(wordsOf(after.header), wordsOf(`${before.header} metadata ${notes}`)) ||
    hasMore(commentsOf(after.header), commentsOf(before.header))
  );
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function commentsOf(header: string): readonly string[] {
  return header
    .split(/[\n\r\u0085\u2028\u2029]/)
    .flatMap((line) => /(?:^|\s)#.*$/.exec(line)?.[0].trim() ?? []);
}

function hasMore(texts: readonly string[], known: readonly string[]): boolean {
  const left = new Map<string, number>();
  for (const text of known) left.set(text, (left.get(text) ?? 0) + 1);
  return texts.some((text) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}
