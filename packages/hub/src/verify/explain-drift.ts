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

// `gh skill` writes these into a skill that it manages, and lays out the whole header anew.
const NOTED = /^(?:github-(?:repo|ref|tree-sha|path|pinned)|local-path)$/;

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
    return readBoundedFile(path, { maxBytes: MAX_SKILL_BYTES });
  } catch (error) {
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}

/** The keys that were added under `metadata`, provided that nothing else differs. */
function gainedNotes(original: Uint8Array, current: Uint8Array): readonly string[] {
  const [before, after] = [original, current].map((bytes) => parseSkill(new TextDecoder().decode(bytes)));
  if (before?.manifest === undefined || after?.manifest === undefined) return [];
  if (before.body !== after.body) return [];
  const known = new Set(Object.keys(before.manifest.metadata));
  const gained = Object.keys(after.manifest.metadata).filter((key) => !known.has(key) && NOTED.test(key));
  return renderInline(before.manifest) === renderInline(withoutNotes(after.manifest, gained))
    ? gained.map((key) => `metadata.${key}`).sort()
    : [];
}

function withoutNotes(manifest: Manifest, keys: readonly string[]): Manifest {
  const kept = Object.entries(manifest.metadata).filter(([key]) => !keys.includes(key));
  return { ...manifest, metadata: Object.fromEntries(kept) };
}
