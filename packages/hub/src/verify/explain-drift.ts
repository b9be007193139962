import { join } from "node:path";
import {
  type Digest,
  MAX_SKILL_BYTES,
  type Manifest,
  parseSkill,
  readBoundedFile,
  SkilletError,
} from "@skillet/core";
import { renderInline } from "../lock/render-json.ts";
import type { TreeStore } from "../store/tree-store.ts";
import type { Drift } from "./drift.ts";

const REF = /^(?:refs\/(?:heads|tags)\/)?[A-Za-z0-9][A-Za-z0-9._/+-]{0,99}$/;
const PATH = /^[A-Za-z0-9_.~-]{0,64}(?:\/[A-Za-z0-9_.~-]{1,64}){0,32}$/;

// `gh skill` writes these into a skill that it manages, and lays out the whole header anew. A model reads them too, so
// each may be nothing but what it is for: a sentence in one of them is no note.
const NOTES: ReadonlyMap<string, RegExp> = new Map([
  ["github-repo", /^(?:https:\/\/github\.com\/)?[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/],
  ["github-ref", REF],
  ["github-tree-sha", /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/],
  ["github-path", PATH],
  ["github-pinned", REF],
  ["local-path", PATH],
]);

/** What to explain. */
export interface ExplainOptions {
  readonly drifts: readonly Drift[];
  readonly folder: string;
  /** Of the tree that was installed. */
  readonly digest: Digest;
  readonly store: TreeStore;
}

/** Says of a changed SKILL.md that it only gained notes on where it came from, when that is proven. */
export async function explainDrift(options: ExplainOptions): Promise<readonly Drift[]> {
  const { drifts, folder } = options;
  if (!drifts.some(isChangedSkill)) return drifts;
  const files = await options.store.get(options.digest);
  const original = files?.find(({ path }) => path === "SKILL.md")?.bytes;
  const current = readSkill(join(folder, "SKILL.md"));
  if (original === undefined || current === undefined) return drifts;
  const gained = gainedNotes(original, current);
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

/** The keys that were added under `metadata`, provided that nothing else differs. */
function gainedNotes(original: Uint8Array, current: Uint8Array): readonly string[] {
  const [before, after] = [read(original), read(current)];
  if (before.manifest === undefined || after.manifest === undefined) return [];
  if (before.body !== after.body || !hasOnlyCommentsOf(before.header, after.header)) return [];
  const known = new Set(Object.keys(before.manifest.metadata));
  const gained = Object.entries(after.manifest.metadata).filter(([key]) => !known.has(key));
  if (!gained.every(([key, value]) => isNote(key, value))) return [];
  const keys = gained.map(([key]) => key);
  return renderInline(before.manifest) === renderInline(withoutNotes(after.manifest, keys))
    ? keys.map((key) => `metadata.${key}`).sort()
    : [];
}

function read(bytes: Uint8Array): {
  readonly manifest?: Manifest;
  readonly body: string;
  readonly header: string;
} {
  const text = new TextDecoder().decode(bytes);
  const { manifest, body } = parseSkill(text);
  return { body, header: text.slice(0, text.length - body.length), ...(manifest && { manifest }) };
}

function isNote(key: string, value: unknown): boolean {
  return typeof value === "boolean"
    ? key === "github-pinned"
    : typeof value === "string" && NOTES.get(key)?.test(value) === true;
}

// Also takes some texts for comments that are none, whereupon the change is left unexplained.
function hasOnlyCommentsOf(before: string, after: string): boolean {
  const known = new Set(commentsOf(before));
  return commentsOf(after).every((comment) => known.has(comment));
}

function commentsOf(header: string): readonly string[] {
  return header
    .split(/[\n\r\u0085\u2028\u2029]/)
    .flatMap((line) => /(?:^|\s)#.*$/.exec(line)?.[0].trim() ?? []);
}

function withoutNotes(manifest: Manifest, keys: readonly string[]): Manifest {
  const kept = Object.entries(manifest.metadata).filter(([key]) => !keys.includes(key));
  return { ...manifest, metadata: Object.fromEntries(kept) };
}
