import { hash } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createPause, onceUntilSuccess } from "@skillet/kit/async";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { digestBytes } from "@skillet/kit/digest";
import { errorCode, onRefusal } from "@skillet/kit/errors";
import { makeFolders } from "@skillet/kit/files";
import { fieldOf, parseJson } from "@skillet/kit/json";
import { type CallOptions, unlessAborted } from "../ask.ts";
import { FaultList } from "../format/fault-list.ts";
import { MAX_SKILL_BYTES } from "../format/format-limits.ts";
import { splitSkill } from "../format/split-skill.ts";
import { removeIfThere } from "../registry/scan/discovery-cache.ts";
import type { Skill } from "../registry/skill.ts";
import type { Snapshot } from "../registry/snapshot.ts";
import type { Selector, SelectorOptions } from "../selection.ts";
import { couldBeSatisfied } from "../session/secrets.ts";
import { pathBelow } from "../source/check-relative-path.ts";
import type { SkillSource } from "../source/skill-source.ts";
import { loadSelection } from "./load-selection.ts";

/** What a host knows about its skills beyond their files. */
export type SelectionOptions = Pick<SelectorOptions, "examples" | "learned" | "vectorOf" | "model">;

export interface SelectorRequest extends SelectionOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after each skill read for the index, with the count and its maximum; cached ones do not count. */
  readonly onProgress?: (read: number, atMost: number) => void;
}

/** The selector over one snapshot, created on first use. */
export interface Selection {
  /** Ranks the enabled skills. Given options, it makes a separate selector over the same cached index. */
  selector(options?: SelectorRequest): Promise<Selector>;
  /** Also ranks skills that only lack values of variables, which a session may supply. */
  sessionSelector(): Promise<Selector>;
}

interface SelectionParts {
  readonly snapshot: Snapshot;
  readonly sourceOf: (skill: Skill) => SkillSource;
  readonly cacheDirectory: string | undefined;
  /** Skillet's own folder, which contains the learned file. */
  readonly home: string;
  readonly options: SelectionOptions;
}

/** Prepares to select from a snapshot; nothing is loaded or read yet. */
export function openSelection(parts: SelectionParts): Selection {
  const waiting = new Set<OnProgress>();
  const tellAll: OnProgress = (read, atMost) => {
    for (const tell of waiting) tell(read, atMost);
  };
  const getCommon = onceUntilSuccess(() => create(parts, { ...parts.options, onProgress: tellAll }));
  const onlyEnabled = async (selector: Promise<Selector>): Promise<Selector> =>
    parts.snapshot.skills.some(couldBeSatisfied)
      ? (await selector).among(({ state }) => state === "enabled")
      : selector;
  const getEnabled = onceUntilSuccess(() => onlyEnabled(getCommon()));
  return {
    sessionSelector: getCommon,
    selector: async ({ signal, onProgress, ...own } = {}) => {
      signal?.throwIfAborted();
      const isOwn = Object.values(own).some((value) => value !== undefined);
      const told = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
      if (isOwn) return onlyEnabled(create(parts, { ...parts.options, ...own, ...told }));
      if (onProgress === undefined) return unlessAborted(getEnabled(), signal);
      waiting.add(onProgress);
      try {
        return await unlessAborted(getEnabled(), signal);
      } finally {
        waiting.delete(onProgress);
      }
    },
  };
}

type OnProgress = NonNullable<SelectorRequest["onProgress"]>;

async function create(
  { snapshot, sourceOf, cacheDirectory, home }: SelectionParts,
  { onProgress, ...options }: SelectorRequest,
): Promise<Selector> {
  const { createSelector, readLearned } = await loadSelection();
  const { learned, diagnostics } =
    options.learned === undefined ? readLearned(home) : { learned: options.learned, diagnostics: [] };
  const ids = snapshot.roots.map(({ sourceId }) => sourceId);
  const cacheFile = cacheDirectory === undefined ? undefined : selectionCacheFile(cacheDirectory, ids);
  const { signal } = options;
  // A session that has the values of missing variables uses such skills like any other.
  const skills = snapshot.skills.filter(
    (skill) => skill.kind === "skill" && (skill.state === "enabled" || couldBeSatisfied(skill)),
  );
  // Headers are parsed on first use, and ranking needs all of them together.
  const pause = createPause(signal);
  for (const skill of skills) {
    void skill.manifest;
    await pause();
  }
  const readSet: Parameters<typeof readExamples>[1] = (skill, file) =>
    readIfThere(sourceOf(skill), pathBelow(skill.source.folder, file), { signal });
  let read = 0;
  const made = await createSelector(skills, {
    ...options,
    examples: new Map([...(await readExamples(skills, readSet)), ...(options.examples ?? [])]),
    learned,
    ...(cacheFile !== undefined && { cacheFile }),
    readBody: (skill) => {
      read += 1;
      onProgress?.(read, snapshot.skills.length);
      const source = sourceOf(skill);
      if (source.remote !== undefined) return undefined;
      return readSkillBody(source, skill, { signal });
    },
  });
  if (cacheFile !== undefined) pruneSelectionCache(cacheFile, Date.now());
  return diagnostics.length === 0 ? made : withDiagnostics(made, diagnostics);
}

// A narrowed selector reports them as well. If another learned file is given, these faults do not matter.
function withDiagnostics(selector: Selector, more: readonly Diagnostic[]): Selector {
  const among: Selector["among"] = (isAsked) => withDiagnostics(selector.among(isAsked), more);
  const get = (): Selector["diagnostics"] => [...selector.diagnostics, ...more];
  return Object.create(selector, { among: { value: among }, diagnostics: { get } }) as Selector;
}

/**
 * Prepares the enabled skills of a snapshot for ranking; unchanged skills are not read again.
 */
export async function createSelector(snapshot: Snapshot, options: SelectorOptions = {}): Promise<Selector> {
  const selection = await loadSelection();
  const skills = snapshot.skills.filter(({ state, kind }) => state === "enabled" && kind === "skill");
  return selection.createSelector(skills, options);
}

/** The body of a skill as the snapshot saw it; undefined if it is gone or changed. */
async function readSkillBody(
  source: SkillSource,
  skill: Skill,
  options: CallOptions = {},
): Promise<string | undefined> {
  const bytes = await readIfThere(source, pathBelow(skill.source.folder, skill.source.file), options);
  // The index caches by digest: other bytes stored under this one would stay there.
  if (bytes === undefined || digestBytes(bytes) !== skill.digest) return undefined;
  const text = new TextDecoder().decode(bytes);
  const parts = splitSkill(text, new FaultList(skill.path, "lenient"));
  return parts === undefined ? undefined : text.slice(parts.body.start, parts.body.end);
}

/** The trigger sets of bundled skills teach the selector. Others do not: nobody has measured their claims. */
export async function readExamples(
  skills: readonly Skill[],
  read: (skill: Skill, file: string) => Promise<Uint8Array | undefined>,
): Promise<NonNullable<SelectionOptions["examples"]>> {
  const bundled = skills.filter(({ origin }) => origin === "builtin");
  const sets = bundled.map(async (skill) => {
    const rows = new TextDecoder().decode(await read(skill, "evals/triggers.jsonl")).split("\n");
    const examples = rows.map(parseJson).flatMap((row) => {
      const [message, expected] = [fieldOf(row, "message"), fieldOf(row, "expected")];
      return typeof message === "string" ? [{ message, shouldTrigger: expected === true }] : [];
    });
    return [skill.qualifiedName, examples] as const;
  });
  return new Map(await Promise.all(sets));
}

async function readIfThere(
  source: SkillSource,
  path: string,
  options: CallOptions,
): Promise<Uint8Array | undefined> {
  const reading = source.read(path, { ...options, maxBytes: MAX_SKILL_BYTES });
  // Gone, closed or grown since the snapshot: the header is known, and loading the skill reports the reason.
  const read = await onRefusal(reading, () => undefined);
  return read?.truncated === false ? read.bytes : undefined;
}

/** The most index files and bytes that are kept; the index of 100,000 skills takes 250 MB. */
const MAX_FILES = 16;
const MAX_BYTES = 1024 * 1024 * 1024;

/** Older temporary files were left by an interrupted write. */
const ABANDONED_MS = 3_600_000;

const FOLDER = "selection";
const SUFFIX = ".idx";

/** One file per set of sources, or projects would evict each other. Undefined if nothing can be cached. */
export function selectionCacheFile(directory: string, sourceIds: readonly string[]): string | undefined {
  const folder = join(directory, FOLDER);
  const key = hash("sha256", JSON.stringify(sourceIds), "hex").slice(0, 32);
  try {
    makeFolders(folder, 0o700);
  } catch (error) {
    // Whatever the file system reports, a cache that cannot be written must not stop a command.
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
  return join(folder, `${key}${SUFFIX}`);
}

/** Removes the oldest indexes beyond the bounds; `kept` stays. */
export function pruneSelectionCache(kept: string, now: number): void {
  const folder = join(kept, "..");
  let files = 0;
  let bytes = 0;
  for (const { path, size, writtenMs } of readEntries(folder).sort(byAge)) {
    if (!path.endsWith(SUFFIX)) {
      if (path.endsWith(".tmp") && now - writtenMs > ABANDONED_MS) removeIfThere(path);
      continue;
    }
    files += 1;
    bytes += size;
    if (path !== kept && (files > MAX_FILES || bytes > MAX_BYTES)) removeIfThere(path);
  }
}

interface CacheEntry {
  readonly path: string;
  readonly size: number;
  readonly writtenMs: number;
}

function byAge(left: CacheEntry, right: CacheEntry): number {
  return right.writtenMs - left.writtenMs || (left.path < right.path ? -1 : 1);
}

// A cache folder that cannot be listed is not cleaned up.
function readEntries(folder: string): CacheEntry[] {
  try {
    return readdirSync(folder).flatMap((name): CacheEntry[] => {
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats?.isFile() === true ? [{ path, size: stats.size, writtenMs: stats.mtimeMs }] : [];
    });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}
