import { dirname } from "node:path";
import { isInside } from "@skillet/kit/files";
import type { SkillSource } from "../source/skill-source.ts";
import { diffSnapshots, isEmptyDiff, type Snapshot, type SnapshotDiff } from "./snapshot.ts";
import { type WatchCoverage, type WatchTargets, watchFolders } from "./watch-folders.ts";

/** A change of the skills on disk: the new snapshot, and how it differs from the previous one. */
export interface SkillsChange {
  readonly snapshot: Snapshot;
  readonly diff: SnapshotDiff;
}

/** The timing and error handler of a watch. */
export interface WatchOptions {
  /** Quiet time after the last event before files count as settled. */
  readonly settleMs?: number | undefined;
  /** The interval for checking everything, as events miss changes (network drives, used-up watches). */
  readonly pollMs?: number | undefined;
  /** Gets errors of reloads and listeners; the watch goes on. Default: a process warning. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A watch that runs until it is closed. */
export interface SkillsWatch {
  /** How much is covered by events; the rest is seen at the next poll. */
  readonly coverage: WatchCoverage;
  close(): void;
}

interface WatchedSkills {
  readonly snapshot: Snapshot;
  /** Configuration and trust; the files need not exist. */
  readonly settingsFiles: readonly string[];
  readonly sources: readonly SkillSource[];
  reload(): Promise<SkillsChange>;
}

const DEFAULT_SETTLE_MS = 200;
const DEFAULT_POLL_MS = 5_000;

/** Reloads when files change and reports each difference once; a burst of changes is one reload. */
export function watchSkills(
  skills: WatchedSkills,
  listener: (change: SkillsChange) => unknown,
  options: WatchOptions = {},
): SkillsWatch {
  let closed = false;
  let busy = false;
  let again = false;
  let seen = skills.snapshot;
  let timer: NodeJS.Timeout | undefined;
  const folders = watchFolders(schedule);
  const unwatch = skills.sources.map((source) => source.watch?.(schedule));

  function schedule(): void {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(() => void refresh(), options.settleMs ?? DEFAULT_SETTLE_MS).unref();
  }

  async function refresh(): Promise<void> {
    if (closed) return;
    again = busy;
    if (busy) return;
    busy = true;
    const failed = options.onError ?? warn;
    try {
      const { snapshot } = await skills.reload();
      if (!closed) {
        // Compared with what this listener last saw: another watch or the host may have reloaded in between.
        const diff = await diffSnapshots(seen, snapshot);
        seen = snapshot;
        folders.update(targetsOf(skills));
        // Not awaited: a listener that never ends must not block the watch.
        if (!isEmptyDiff(diff)) Promise.resolve(listener({ snapshot, diff })).catch(failed);
      }
    } catch (error) {
      failed(error);
    }
    busy = false;
    if (again) schedule();
  }

  folders.update(targetsOf(skills));
  const poll = setInterval(() => void refresh(), options.pollMs ?? DEFAULT_POLL_MS).unref();
  return {
    get coverage() {
      return folders.coverage;
    },
    close() {
      closed = true;
      clearTimeout(timer);
      clearInterval(poll);
      folders.close();
      for (const end of unwatch) end?.();
    },
  };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

function targetsOf({ snapshot, settingsFiles }: WatchedSkills): WatchTargets {
  return { files: settingsFiles, folders: foldersOf(snapshot) };
}

// Every folder from a root to a skill: new skills may appear in any of them.
function foldersOf(snapshot: Snapshot): Set<string> {
  const folders = new Set<string>();
  const roots = snapshot.roots
    .filter(({ sourceId }) => /^(?:file|commands):/.test(sourceId))
    .map(({ path }) => path);
  for (const root of roots) folders.add(root);
  for (const skill of snapshot.skills) {
    const directory = skill.hostDirectory ?? skill.directory;
    const root = roots.find((path) => isInside(directory, path));
    for (let folder = directory; root !== undefined && isInside(folder, root); folder = dirname(folder))
      folders.add(folder);
  }
  return folders;
}
