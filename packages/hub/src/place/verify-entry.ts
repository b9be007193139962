import { join } from "node:path";
import { type Manifest, parseSkill } from "@skillet/core";
import { MAX_SKILL_BYTES } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { readBoundedFile } from "@skillet/kit/files";
import { renderInline } from "../lock/format-lock.ts";
import { type LockEntry, type LockedTarget, lockedDigest } from "../lock/lock-entry.ts";
import { type Drift, findDrift } from "./find-drift.ts";
import { leadsTo, linkDestination, locateTarget, type TargetBounds } from "./locate-target.ts";
import { lstatOrAbsent } from "./stage.ts";
import type { TreeStore } from "./tree-store.ts";

interface VerifyOptions {
  readonly outside?: readonly string[];
  /** Has the bytes that were installed, so that harmless changes can be explained. */
  readonly store?: TreeStore;
  readonly signal?: AbortSignal | undefined;
}

/** Hashes what is on disk at every target of an entry and lists each difference; nothing is changed. */
export async function verifyEntry(
  root: string,
  name: string,
  entry: LockEntry,
  options: VerifyOptions = {},
): Promise<readonly Drift[]> {
  const bounds: TargetBounds = { root, ...(options.outside && { outside: options.outside }) };
  const drifts: Drift[] = [];
  if (entry.linked !== true && lockedDigest(entry) !== entry.digest)
    drifts.push(...whole({ path: "" }, "changed", "the lock's digest is not that of the files it lists"));
  for (const target of entry.targets) {
    options.signal?.throwIfAborted();
    drifts.push(...(await verifyTarget(target, entry, bounds, options)));
  }
  if (entry.targets.length === 0)
    drifts.push(...whole({ path: "" }, "missing", `${name} has no target in the lock`));
  return drifts;
}

export async function verifyTarget(
  target: LockedTarget,
  entry: LockEntry,
  bounds: TargetBounds,
  options: VerifyOptions,
): Promise<readonly Drift[]> {
  const located = locateTarget(target.path, bounds);
  if ("problem" in located) return whole(target, "type", `cannot be looked at: it ${located.problem}`);
  const { place } = located;
  return verifyPlace({ place, lies: place, target, entry, bounds }, options);
}

interface PlaceToVerify {
  readonly place: string;
  /** Where its content is: the place, or a name beside it while it is being replaced. */
  readonly lies: string;
  readonly target: LockedTarget;
  readonly entry: LockEntry;
  readonly bounds: TargetBounds;
}

export async function verifyPlace(
  { place, lies, target, entry, bounds }: PlaceToVerify,
  options: VerifyOptions,
): Promise<readonly Drift[]> {
  const stats = await lstatOrAbsent(lies);
  if (stats === undefined) return whole(target, "missing", "is missing");
  if (target.how === "link") {
    const destination = linkDestination(entry, bounds);
    if (destination === undefined) return whole(target, "link", "has nothing to lead to in the lock");
    const isGone = entry.linked === true && (await lstatOrAbsent(destination)) === undefined;
    if (isGone) return whole(target, "missing", `leads to ${destination}, which is gone`);
    if (destination === place) return [];
    if (!stats.isSymbolicLink()) return whole(target, "type", "is not a link any more");
    return (await leadsTo(lies, destination)) ? [] : whole(target, "link", "leads somewhere else");
  }
  if (!stats.isDirectory())
    return whole(target, "type", stats.isSymbolicLink() ? "is a link instead of a folder" : "is no folder");
  const { signal, store } = options;
  const drifts = await findDrift({ folder: lies, target: target.path, files: entry.files, signal });
  return store === undefined ? drifts : explainDrift(drifts, lies, entry, store);
}

function whole({ path }: Pick<LockedTarget, "path">, kind: Drift["kind"], message: string): readonly Drift[] {
  return [{ target: path, file: "", kind, message }];
}

const REF = /^(?:refs\/(?:heads|tags)\/)?[A-Za-z0-9][A-Za-z0-9._/+-]{0,99}$/;

// `gh skill` writes these into a skill that it manages, and lays out the whole header anew. A model reads them too, so
// each may be nothing but what it is for: a sentence in one of them is not a note.
const NOTES: ReadonlyMap<string, RegExp> = new Map([
  ["github-repo", /^(?:https:\/\/github\.com\/)?[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/],
  ["github-ref", REF],
  ["github-tree-sha", /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/],
  ["github-pinned", REF],
]);

/** Says of a changed SKILL.md that it only gained notes on where it came from, when that is proven. */
async function explainDrift(
  drifts: readonly Drift[],
  folder: string,
  entry: LockEntry,
  store: TreeStore,
): Promise<readonly Drift[]> {
  if (!drifts.some(isChangedSkill)) return drifts;
  const files = await store.get(entry.digest);
  const original = files?.find(({ path }) => path === "SKILL.md")?.bytes;
  const current = readSkill(join(folder, "SKILL.md"));
  if (original === undefined || current === undefined) return drifts;
  const gained = gainedNotes(original, current, entry);
  if (gained.length === 0) return drifts;
  const explanation = `gh skill added ${gained.join(", ")} and changed nothing else that a reader sees`;
  return drifts.map((drift) => (isChangedSkill(drift) ? { ...drift, explanation } : drift));
}

function isChangedSkill(drift: Drift): boolean {
  return drift.file === "SKILL.md" && drift.kind === "changed";
}

function readSkill(path: string): Uint8Array | undefined {
  try {
    return readBoundedFile(path, { maxBytes: MAX_SKILL_BYTES, links: "refuse" });
  } catch (error) {
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}

function gainedNotes(original: Uint8Array, current: Uint8Array, entry: LockEntry): readonly string[] {
  const [before, after] = [read(original), read(current)];
  if (before.manifest === undefined || after.manifest === undefined || before.body !== after.body) return [];
  const known = new Set(Object.keys(before.manifest.metadata));
  const gained = Object.entries(after.manifest.metadata).filter(([key]) => !known.has(key));
  const paths = knownPaths(before.manifest.name, entry);
  if (!gained.every(([key, value]) => isNote(key, value, paths))) return [];
  if (hasNewText(before, after, gained)) return [];
  const keys = gained.map(([key]) => key);
  return renderInline(before.manifest) === renderInline(withoutNotes(after.manifest, keys))
    ? keys.map((key) => `metadata.${key}`).sort()
    : [];
}

interface SkillReading {
  readonly manifest?: Manifest;
  readonly body: string;
  readonly header: string;
  readonly diagnostics: readonly Diagnostic[];
}

function read(bytes: Uint8Array): SkillReading {
  const text = new TextDecoder().decode(bytes);
  const { manifest, body, diagnostics } = parseSkill(text);
  const header = text.slice(0, text.lastIndexOf(body));
  return { body, header, diagnostics, ...(manifest && { manifest }) };
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
 * a line that is passed over. Also takes some other layouts for new text, whereupon the change is left unexplained.
 */
function hasNewText(
  before: SkillReading,
  after: SkillReading,
  gained: readonly (readonly [string, unknown])[],
): boolean {
  const notes = gained.map(([key, value]) => `${key} ${String(value)}`).join(" ");
  return (
    hasMore(after.diagnostics.map(codeOf), before.diagnostics.map(codeOf)) ||
    hasMore(wordsOf(after.header), wordsOf(`${before.header} metadata ${notes}`)) ||
    hasMore(commentsOf(after.header), commentsOf(before.header))
  );
}

function codeOf({ code }: Diagnostic): string {
  return code;
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

function withoutNotes(manifest: Manifest, keys: readonly string[]): Manifest {
  const kept = Object.entries(manifest.metadata).filter(([key]) => !keys.includes(key));
  return { ...manifest, metadata: Object.fromEntries(kept) };
}
